// Runs bpf/usage.bpf.c: while this lives it tells which cgroups come and go.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "base/result.hpp"
#include "stats/usage_source.hpp"

struct usage_bpf;
struct ring_buffer;

namespace flowtap::kernel {

/// What a record of its ring says; absent: the bytes are no record.
[[nodiscard]] std::optional<stats::CgroupEvent> parse_cgroup_event(std::span<const std::byte> record);

class CgroupWatch {
 public:
  /// Loads and attaches the programs. `hierarchy` says whose cgroups, as in Accounting.
  [[nodiscard]] static Result<std::unique_ptr<CgroupWatch>> start(std::uint32_t hierarchy = 0);
  ~CgroupWatch();
  CgroupWatch(const CgroupWatch&) = delete;
  CgroupWatch& operator=(const CgroupWatch&) = delete;

  /// UsageSource::take_events().
  [[nodiscard]] bool take(const std::function<void(stats::CgroupEvent)>& take);
  /// UsageSource::lost_events(), as of the last take().
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  /// UsageSource::ends().
  [[nodiscard]] int ends() const;

 private:
  CgroupWatch() = default;
  static int note(void* watch, void* record, unsigned long size) noexcept;

  struct SkeletonDeleter {
    void operator()(usage_bpf* skeleton) const noexcept;
  };
  struct RingDeleter {
    void operator()(ring_buffer* ring) const noexcept;
  };
  std::unique_ptr<usage_bpf, SkeletonDeleter> skeleton_;
  std::unique_ptr<ring_buffer, RingDeleter> ring_;
  const std::function<void(stats::CgroupEvent)>* take_ = nullptr;  // during take()
  std::uint64_t broken_ = 0;                                       // records that could not be read
  std::uint64_t lost_ = 0;                                         // records lost up to the last take()
};

}  // namespace flowtap::kernel
