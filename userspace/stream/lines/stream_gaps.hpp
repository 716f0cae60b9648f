// What is missing of a stream, for flows that have some of its lines: what their next line is not known to follow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace flowtap::flow {

/// One stream's gaps, in order. Of many the newest are known one by one: what a flow lacks of those before is not told again.
class StreamGaps {
 public:
  static constexpr std::size_t kMostKept = 256;

  [[nodiscard]] bool empty() const { return gaps_.empty(); }
  /// Of the last gap: where it ends, and when what is behind it was written, ns since 1970. Only where there is one.
  [[nodiscard]] std::uint64_t end() const { return gaps_.back().end; }
  [[nodiscard]] std::uint64_t time() const { return gaps_.back().time; }

  void add(std::uint64_t end, std::uint64_t bytes, std::uint64_t time) {
    total_ += bytes;
    gaps_.push_back({end, time, total_});
    if (gaps_.size() <= kMostKept) return;
    before_ = gaps_.front().total;
    gaps_.pop_front();
  }

  /// Bytes that are missing behind this offset.
  [[nodiscard]] std::uint64_t behind(std::uint64_t offset) const {
    return from(std::ranges::upper_bound(gaps_, offset, {}, &Gap::end));
  }
  /// Bytes that have been missing since.
  [[nodiscard]] std::uint64_t since(std::uint64_t time) const {
    return from(std::ranges::find_if(gaps_, [time](const Gap& gap) { return gap.time >= time; }));
  }

 private:
  struct Gap {
    std::uint64_t end = 0;
    std::uint64_t time = 0;
    std::uint64_t total = 0;  // bytes of all up to this one
  };

  [[nodiscard]] std::uint64_t from(const std::deque<Gap>::const_iterator& gap) const {
    if (gap == gaps_.end()) return 0;
    return total_ - (gap == gaps_.begin() ? before_ : (gap - 1)->total);
  }

  std::deque<Gap> gaps_;
  std::uint64_t total_ = 0;
  std::uint64_t before_ = 0;  // bytes of those that are not kept
};

}  // namespace flowtap::flow
