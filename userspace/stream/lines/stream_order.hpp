// A stream's records in the order of their bytes. They come out of the ring nearly in order: a writer may be overtaken between
// taking its offset and taking its room.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace flowtap::flow {

/// Holds bytes that came early until the bytes before them are there, or are given up.
class StreamOrder {
 public:
  using Clock = std::chrono::steady_clock;

  /// The most bytes that are held; beyond that, what is missing before them is given up.
  static constexpr std::size_t kMostHeld = std::size_t{256} << 10U;
  /// Overtaken writers are microseconds late.
  static constexpr std::chrono::milliseconds kPatience{100};

  explicit StreamOrder(std::uint64_t next = 0) : next_(next) {}

  [[nodiscard]] std::uint64_t next() const { return next_; }
  /// Until when held bytes wait; max: none are held.
  [[nodiscard]] Clock::time_point until() const { return early_.empty() ? Clock::time_point::max() : until_; }

  /// `take(bytes, time)` is called for the bytes that are in order now, which begin at next(). Bytes that were there before are
  /// left out.
  template <typename Take>
  void add(std::uint64_t offset, std::string_view bytes, std::uint64_t time, Clock::time_point now,
           Take&& take) {
    if (offset > next_) return hold(offset, bytes, time, now);
    give(offset, bytes, time, take);
    give_held(take);
  }

  [[nodiscard]] bool is_due(Clock::time_point now) const {
    return !early_.empty() && (now >= until_ || held_ > kMostHeld);
  }

  /// The bytes missing before the earliest held ones will not come: calls `missing(from, to)`, and then takes what was held.
  template <typename Take, typename Missing>
  void give_up(Clock::time_point now, Take&& take, Missing&& missing) {
    if (early_.empty()) return;
    skip_to(early_.begin()->first, missing);
    until_ = now + kPatience;
    give_held(take);
  }

  /// The bytes before `offset` will not come.
  template <typename Missing>
  void skip_to(std::uint64_t offset, Missing&& missing) {
    if (offset <= next_) return;
    missing(next_, offset);
    next_ = offset;
  }

 private:
  struct Early {
    std::string bytes;
    std::uint64_t time = 0;
  };

  void hold(std::uint64_t offset, std::string_view bytes, std::uint64_t time, Clock::time_point now) {
    if (early_.empty()) until_ = now + kPatience;
    const auto [at, fresh] = early_.try_emplace(offset);
    if (!fresh && at->second.bytes.size() >= bytes.size()) return;
    held_ += bytes.size() - at->second.bytes.size();
    at->second = {std::string(bytes), time};
  }

  template <typename Take>
  void give(std::uint64_t offset, std::string_view bytes, std::uint64_t time, Take&& take) {
    const std::uint64_t known = next_ - offset;
    if (known >= bytes.size()) return;
    take(bytes.substr(known), time);
    next_ = offset + bytes.size();
  }

  template <typename Take>
  void give_held(Take&& take) {
    while (!early_.empty() && early_.begin()->first <= next_) {
      const auto node = early_.extract(early_.begin());
      held_ -= node.mapped().bytes.size();
      give(node.key(), node.mapped().bytes, node.mapped().time, take);
    }
  }

  std::uint64_t next_;
  std::map<std::uint64_t, Early> early_;  // by offset
  std::size_t held_ = 0;
  Clock::time_point until_{};
};

}  // namespace flowtap::flow
