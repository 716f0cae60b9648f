#include "stream/capture/log_tap.hpp"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "base/printable.hpp"
#include "kernel/log/log_hooks.hpp"

namespace flowtap {

std::string LogTap::how() const {
  std::string text =
      fmt::format("every container's output, through {}", kernel::backend_name(live_->backend()));
  // This backend sees the ends of system calls. Containers write into pipes, and it sees their readers if they use system calls.
  if (live_->backend() == kernel::LogBackend::kSysExit)
    text +=
        "; flowtapd does not see what io_uring writes to tapped files, terminals and sockets, or reads from "
        "pipes";
  if (live_->taken_over()) text += "; taken over from the previous flowtapd";
  if (!pinned_) text += "; capture ends when flowtapd ends: " + pinned_.error().what;
  return text;
}

void LogTap::look_at_recording(std::vector<std::string>& warnings) {
  const auto why = recording_ != nullptr ? recording_->cut_short() : std::nullopt;
  if (!why) return;
  warnings.push_back("the recording is cut short: " + *why);
  recording_ = nullptr;  // it is enough to say it once
}

// Somebody may remove them: a clean-up, or `umount`.
void LogTap::keep_pinned() {
  const auto kept = live_->keep_pinned();
  if (kept && (*kept || !pinned_)) spdlog::warn("stream: what was pinned was removed; it is pinned again");
  // Tells each trouble once, however long it lasts.
  if (!kept && (pinned_ || pinned_.error().what != kept.error().what)) {
    spdlog::error("stream: capture ends when flowtapd ends, since what was pinned was removed: {}",
                  printable(kept.error().what));
    if (!kept.error().hint.empty()) spdlog::error("hint: {}", printable(kept.error().hint));
  }
  pinned_ = kept ? Status() : std::unexpected(kept.error());
  are_pinned_ = pinned_.has_value();
}

void LogTap::look_around(ReadErrors& errors, std::vector<std::string>& warnings) {
  keep_pinned();
  look_at_recording(warnings);
  programs_.clear();
  const auto programs = live_->program_stats(false);
  for (const auto& program : programs) {
    if (!program) {
      ++errors[kProgramErrors];
      continue;
    }
    api::ProgramStatus& status = programs_.emplace_back();
    status.name = program->name;
    status.attached = true;
    status.run_count = program->runs;
    status.recursion_misses = program->recursion_misses;
    if (program->name == kernel::program_of(kernel::kExecHook)) exec_misses_ = program->recursion_misses;
  }
  of_programs_.look(live_->program_names(), programs);
}

const kernel::LogMisses& LogTap::count_misses() {
  misses_ = of_programs_.sum();
  misses_.unseen += slots_->kernel().unsure();
  return misses_;
}

void LogTap::report(api::StreamStatusReport& report) const {
  report.backend = kernel::backend_name(live_->backend());
  report.reason = live_->why();
  report.pinned = outlives();
  report.pinned_in_namespace = pinned_in_namespace_;
  report.ring_bytes = ring_->capacity();
  report.ring_waiting = ring_->backlog();
  report.lost_events = slots_->kernel().lost_events();
  report.no_slot = slots_->kernel().no_slot();
  if (of_programs_.any()) report.recursion_misses = misses_.unseen;
}

void LogTap::append_samples(std::vector<stats::Series>& out, const api::StreamStatusReport& status) const {
  using stats::StatId;
  const auto one = [&out](StatId id, stats::Labels labels, stats::Value value) {
    out.push_back({&stats::stat(id), std::move(labels), value});
  };
  one(StatId::kLOG_LOST_EVENTS, {}, status.lost_events);
  one(StatId::kLOG_REFUSED, {}, status.no_slot);
  if (status.recursion_misses) one(StatId::kLOG_UNSEEN, {}, *status.recursion_misses);
  one(StatId::kLOG_RESCUED, {}, slots_->kernel().rescued());
  if (status.ring_waiting) one(StatId::kLOG_RING_WAITING, {}, static_cast<double>(*status.ring_waiting));
  one(StatId::kLOG_RING_SIZE, {}, static_cast<double>(status.ring_bytes));
  for (const api::ProgramStatus& p : programs_) {
    if (p.run_count) one(StatId::kPROGRAM_RUNS, {p.name}, *p.run_count);
    if (p.recursion_misses) one(StatId::kRECURSION_MISSES, {p.name}, *p.recursion_misses);
  }
}

}  // namespace flowtap
