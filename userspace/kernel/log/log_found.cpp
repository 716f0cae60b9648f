#include "kernel/log/log_found.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kernel/map_view.hpp"
#include "kernel/ring_reader.hpp"

namespace flowtap::kernel {
namespace {

bool is_unused(const LogGeneration& generation) {
  const auto streams = LogStreams::map(generation.maps);
  const auto ring = RingReader::open(generation.maps.ring.get());
  return streams && streams->sweep().empty() && ring && (*ring)->backlog() == 0;
}

// The oldest first.
Result<std::vector<LogOlder>> find_others(const LogPins& pins, std::optional<Error>& unreadable) {
  std::vector<LogOlder> others;
  FTAP_TRY_ASSIGN(layouts, pins.layouts());
  for (const std::string& layout : layouts) {
    if (layout == log_abi()) continue;
    auto older = LogOlder::open(pins, layout);
    if (older) {
      others.push_back(std::move(*older));
    } else if (older.error().code != 0) {
      // Only this process fails, and only now: the other build goes on capturing for whoever may read it.
      return std::unexpected(std::move(older).error().in("cannot take over from another build of flowtapd"));
    } else {
      unreadable = std::move(older).error().in("what the layout " + layout + " has captured is lost");
    }
  }
  std::ranges::sort(others, {}, &LogOlder::next_stream);
  return others;
}

// That a hook leads to a build does not say that this one captures: a newer build lets it keep the hooks that it does
// not know itself, also once it is muted. The build that has the hook which registers new streams does capture.
// Without that hook, the newest build goes on with its relief, and an older one has been relieved.
Result<bool> is_current(const LogPins& pins, const LogGeneration& own, bool registers) {
  FTAP_TRY_ASSIGN(view, MapView<ftap_log_control>::map(own.maps.control.get(), 1));
  const ftap_log_control& control = view.elements().front();
  if (__atomic_load_n(&control.muted, __ATOMIC_ACQUIRE) != 0) return false;
  if (registers) return true;
  std::optional<Error> unreadable;  // find_log() looks at all of them again, and tells
  FTAP_TRY_ASSIGN(others, find_others(pins, unreadable));
  return others.empty() || others.back().next_stream() < control.next_stream;
}

// What this layout's build has pinned, if it is the one that captures. Otherwise it counts as one of the others: its
// start did not come that far (all new hooks are pinned before an older build's are led anywhere else), or another
// build has relieved it and died before it had drained the ring.
Result<std::optional<LogGeneration>> find_own(const LogPins& pins, std::vector<LogHook>& hooks) {
  FTAP_TRY_ASSIGN(found, pins.find(log_abi()));
  if (found.empty()) return std::nullopt;
  FTAP_TRY_ASSIGN(generation, LogGeneration::open(std::move(found)));
  std::size_t there = 0;
  std::vector<LogHook> ours;
  std::vector<LogHook> others;
  for (LogHook& hook : hooks) {
    const LogHandler* handler = generation.handler(hook.name);
    bool leads = false;
    if (handler != nullptr) {
      ++there;
      FTAP_TRY_ASSIGN(to_us, leads_to(hook, handler->program.get()));
      leads = to_us;
    }
    (leads ? ours : others).push_back(std::move(hook));
  }
  hooks = std::move(others);
  const bool complete = there == generation.handlers.size();
  const bool registers = std::ranges::find(ours, kExecHook, &LogHook::name) != ours.end();
  FTAP_TRY_ASSIGN(current, is_current(pins, generation, registers));
  if (!ours.empty() && complete && current) {
    std::ranges::move(ours, std::back_inserter(hooks));
    return generation;
  }
  // Nobody has captured anything with this, so it needs no place beside what is loaded next.
  if (ours.empty() && current && is_unused(generation)) {
    FTAP_TRY(pins.remove_folder(log_abi()));
    return std::nullopt;
  }
  if (complete) {
    // Bytes may still come through these, unless the build is muted. The new programs pass them on until relieve().
    std::ranges::move(ours, std::back_inserter(hooks));
  } else {
    // Only new hooks lead to a build that died before it had pinned all of them, and to one whose hooks were being
    // removed: it has no streams, or is muted.
    for (const LogHook& hook : ours) FTAP_TRY(remove_hook(pins, hook));
  }
  FTAP_TRY(pins.set_aside(log_abi()));
  return std::nullopt;
}

}  // namespace

Result<LogFound> find_log(const LogPins& pins, std::vector<LogHook> hooks) {
  LogFound found;
  FTAP_TRY_ASSIGN(own, find_own(pins, hooks));
  FTAP_TRY_ASSIGN(others, find_others(pins, found.unreadable));
  found.hooks = std::move(hooks);
  found.own = std::move(own);
  found.others = std::move(others);
  return found;
}

}  // namespace flowtap::kernel
