// Tests of functions with two programs (bpf/lib/log/second.bpf.h).
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_pinned.hpp"
#include "tests/support/must.hpp"

namespace flowtap::test {

// What one pinned build has at the functions and in its ring.
class LogTapSecond : public test::PinnedTap {
 protected:
  void SetUp() override {
    test::PinnedTap::SetUp();
    FLOWTAP_SKIP_IF_REFUSED(kernel::LogBackend::kFunctions);
    options_.backend = kernel::LogBackend::kFunctions;
    options_.seconds = true;
    live_.emplace(start());
    slots_.emplace(must(live_->streams()));
    ring_ = must(live_->ring());
    hooks_ = must(kernel::open_hooks(must(kernel::LogPins(options_.bpffs).find(kernel::LogPins::kHooks))));
    generation_ =
        must(kernel::LogGeneration::open(must(kernel::LogPins(options_.bpffs).find(kernel::log_abi()))));
  }

  // A hook that leads nowhere works like one whose program the kernel does not run. It takes a while to lead each of
  // them.
  void keep_from(std::string_view hook) {
    for (const kernel::LogHook& known : hooks_)
      if (known.name == hook) kernel::clear_program(known.at.get());
  }

  void lead_pipes(bool to_first, bool to_second) {
    lead("apipe", to_first, to_second);
    lead("pipe", to_first, to_second);
  }

  void lead(std::string_view first, bool to_first, bool to_second) {
    for (const kernel::LogHook& hook : hooks_) {
      const bool second = kernel::is_second(hook.name);
      if ((second ? kernel::first_of(hook.name) : hook.name) != first) continue;
      if (second ? to_second : to_first)
        ASSERT_TRUE(kernel::lead_to(hook, generation_.handler(hook.name)->program.get()));
      else
        kernel::clear_program(hook.at.get());
    }
  }

  void lead(bool to_first, bool to_second) {
    for (const std::string_view hook : {"apipe", "pipe", "unix", "shmem", "gen"})
      lead(hook, to_first, to_second);
    kernel::wait_for_programs();
  }

  flow::StreamNo tap(int fd, ftap_log_kind kind = FTAP_KIND_PIPE) {
    return must(slots_->open(test::target_of(fd, kind)));
  }

  const test::Captured& captured() {
    while (true) {
      const auto end =
          must(ring_->drain(1U << 20U, [this](std::span<const std::byte> raw) { captured_.add(raw); }));
      if (end == ring_->position()) return captured_;
      ring_->commit(end);
    }
  }

  // Nothing else is tapped here, so these are few; but the kernel may keep some events from the first program.
  [[nodiscard]] std::uint64_t kept_by_kernel() const {
    const auto misses = kernel::count_misses(live_->program_stats(false)).value();
    return misses.passed + misses.unseen;
  }

  std::optional<kernel::LogLive> live_;
  std::optional<kernel::LogStreams> slots_;
  std::unique_ptr<kernel::RingReader> ring_;
  std::vector<kernel::LogHook> hooks_;
  kernel::LogGeneration generation_;
  test::Captured captured_;
};

}  // namespace flowtap::test
