// Any bytes as a record of the ring of bpf/usage.bpf.c: it tells one thing of its cgroup, and the whole path or none.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "bpf/abi/cgroup_event.h"
#include "kernel/dispatch/cgroup_watch.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The copy has exactly this size, so that a read behind it is seen.
  std::vector<std::byte> copy(size);
  if (size != 0) std::memcpy(copy.data(), data, size);
  const auto event = flowtap::kernel::parse_cgroup_event(copy);
  if (!event) return 0;
  const int things = int{event->gone} + int{event->empty} + int{event->ended.has_value()} +
                     int{event->began.has_value()} + int{event->process_ended.has_value()};
  const auto& path = event->path;
  const bool whole = path.starts_with('/') && path.size() < FTAP_CGROUP_PATH && !path.contains('\0');
  if (things > 1 || (!path.empty() && !whole)) std::abort();
  return 0;
}
