#include "kernel/functions.hpp"

#include <bpf/btf.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_set>

namespace flowtap::kernel {

std::set<std::string> kernel_functions(const std::set<std::string>& asked) {
  std::set<std::string> found;
  const std::unique_ptr<btf, void (*)(btf*)> kernel(btf__load_vmlinux_btf(), btf__free);
  if (!kernel) return found;
  const std::unordered_set<std::string_view> wanted(asked.begin(), asked.end());
  for (std::uint32_t id = 1; id < btf__type_cnt(kernel.get()) && found.size() < wanted.size(); ++id) {
    const btf_type* type = btf__type_by_id(kernel.get(), id);
    if (!btf_is_func(type)) continue;
    const char* name = btf__name_by_offset(kernel.get(), type->name_off);
    if (name != nullptr && wanted.contains(name)) found.insert(name);
  }
  return found;
}

}  // namespace flowtap::kernel
