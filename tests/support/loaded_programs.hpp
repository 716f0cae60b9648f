// What the kernel knows of the BPF programs that are loaded.
#pragma once

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.hpp"

namespace flowtap::test {

/// All programs of the machine, in the order of their ids. A program that goes meanwhile is left out.
inline std::vector<bpf_prog_info> loaded_programs() {
  std::vector<bpf_prog_info> all;
  std::uint32_t id = 0;
  while (bpf_prog_get_next_id(id, &id) == 0) {
    const Fd program(bpf_prog_get_fd_by_id(id));
    bpf_prog_info info{};
    std::uint32_t size = sizeof(info);
    if (program.valid() && bpf_prog_get_info_by_fd(program.get(), &info, &size) == 0) all.push_back(info);
  }
  return all;
}

inline std::string name_of(const bpf_prog_info& program) {
  return static_cast<const char*>(program.name);
}

}  // namespace flowtap::test
