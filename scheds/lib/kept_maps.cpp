#include "scheds/lib/kept_maps.hpp"

#include <bpf/libbpf.h>
#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <string_view>
#include <utility>

namespace flowtap::scheds {
namespace {

bool is_kept(const bpf_map* map) {
  return bpf_map__type(map) == BPF_MAP_TYPE_TASK_STORAGE;
}

}  // namespace

Status KeptMaps::give(bpf_object* object) const {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    const auto kept = maps_.find(std::string_view(bpf_map__name(map)));
    if (!is_kept(map) || kept == maps_.end()) continue;
    if (const int err = bpf_map__reuse_fd(map, kept->second.get()); err != 0)
      return fail_errno(-err, fmt::format("cannot give the scheduler its map {} again", kept->first));
  }
  return {};
}

Status KeptMaps::keep(bpf_object* object) {
  bpf_map* map = nullptr;
  bpf_object__for_each_map(map, object) {
    const std::string_view name = bpf_map__name(map);
    if (!is_kept(map) || maps_.contains(name)) continue;
    Fd copy(::fcntl(bpf_map__fd(map), F_DUPFD_CLOEXEC, 0));
    if (!copy.valid()) return fail_errno(errno, fmt::format("cannot keep the scheduler's map {}", name));
    maps_.emplace(name, std::move(copy));
  }
  return {};
}

}  // namespace flowtap::scheds
