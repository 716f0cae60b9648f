// Any bytes as the kernel's event counters of a sched_ext scheduler: each line is a counter with a name that a label may
// have, or is counted as unreadable.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kernel/sched_ext.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  unsigned unreadable = 0;
  const auto events = flowtap::kernel::parse_sched_ext_events(text, unreadable);
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  if (events.size() > 64 || events.size() + unreadable > lines) std::abort();
  for (const auto& [name, value] : events)
    if (name.empty() || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
      std::abort();
  return 0;
}
