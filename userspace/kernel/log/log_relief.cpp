// How this build relieves one of another layout while that captures. See bpf/lib/log/hook.bpf.h for why no byte is
// captured by both or by neither.
#include <algorithm>
#include <utility>

#include "kernel/log/log_programs.hpp"

namespace flowtap::kernel {

Result<std::vector<Relieved>> LogLive::relieve() {
  std::vector<Relieved> all;
  if (!pins_) return all;
  // The order of the hooks: first those that bytes pass, which pass their events on until a stream is put into our
  // tables. The hooks that find new streams come last, so that none is registered whose bytes go by.
  const auto lead = [this](bool exec) -> Status {
    for (const LogHook& hook : hooks_) {
      const LogHandler* handler = generation_.handler(hook.name);
      if (handler != nullptr && (hook.name == kExecHook) == exec)
        FTAP_TRY(lead_to(hook, handler->program.get()));
    }
    return {};
  };
  FTAP_TRY_ASSIGN(ours, streams());
  const auto mark_all = [this, &ours] {
    for (const LogOlder& older : older_)
      for (const LogMark& mark : older.marks()) static_cast<void>(ours.mark(mark.cgroup, mark.mounts));
  };
  // Repeats until no process is left that one which was not ours yet has started meanwhile.
  const auto join_all = [this, &ours] {
    for (bool more = true; more;) {
      more = false;
      for (const LogOlder& older : older_)
        for (const auto& [pid, member] : older.members()) more = ours.join(pid, member.run) || more;
    }
  };
  FTAP_TRY(lead(false));
  mark_all();
  // What is listed is found before userspace lists it here, too.
  for (const LogOlder& older : older_) ours.take_lists(older.generation().maps);
  FTAP_TRY(lead(true));
  if (older_.empty()) return all;
  wait_for_programs();  // which still register streams over there
  mark_all();           // including the cgroups that were entered in between
  join_all();
  // The newest comes first: then we find what it had taken from an even older one.
  for (auto older = older_.rbegin(); older != older_.rend(); ++older) {
    std::vector<Relieved> streams = go_on_with(*older, ours);
    std::ranges::move(streams, std::back_inserter(all));
  }
  wait_for_programs();  // which looked in our tables before that, and capture over there
  for (LogOlder& older : older_) {
    // What was noted over there and is still in the pipe is ours now. One that was muted before has handed it on.
    if (!older.is_muted()) {
      for (const LogStream& stream : older.sweep())
        if (stream.written > stream.passed) ours.note_written(stream.target, stream.written - stream.passed);
      // A build that dies between these two has the next one count them twice. The other way round they would be forgotten, and
      // what they make suspect with them.
      ours.add_counts(older.control());
    }
    older.mute();
    for (const LogStream& now : older.sweep()) {
      const auto it = std::ranges::find(all, now.stream, [](const Relieved& r) { return r.before.stream; });
      if (it != all.end()) it->before = now;
    }
  }
  return all;
}

std::vector<Relieved> LogLive::go_on_with(const LogOlder& older, LogStreams& ours) {
  std::vector<Relieved> all;
  for (const LogStream& stream : older.sweep()) {
    if (stream.state != FTAP_STREAM_OPEN) continue;
    Relieved relieved{.before = stream, .number = 0, .why = {}};
    if (older.is_muted())  // another build has gone on with its streams, and ours with that build's
      relieved.number = ours.find(stream.target).value_or(0);
    else if (auto number = ours.open(stream.target))
      relieved.number = *number;
    else
      relieved.why = std::move(number).error().what;
    all.push_back(std::move(relieved));
  }
  return all;
}

void LogLive::forget_older() {
  if (!pins_) return;
  Status all;
  std::erase_if(hooks_, [&](const LogHook& hook) {
    if (generation_.handler(hook.name) != nullptr) return false;
    if (Status removed = remove_hook(*pins_, hook); !removed) all = std::move(removed);
    return true;
  });
  // Nobody has to be asked any more, and nothing keeps what is unpinned now.
  for (const LogHandler& handler : generation_.handlers) clear_program(handler.older.get());
  if (Status removed = pins_->remove_all_but(LogPins::kHooks, log_abi()); !removed) all = std::move(removed);
  if (!all) left_over_ = std::move(all).error();
  older_.clear();
}

}  // namespace flowtap::kernel
