// A stream's gaps, for flows that have some of its lines: bytes that are missing before such a flow's next line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace flowtap::flow {

/// One stream's gaps, in order. If there are many, only the newest are known one by one; older ones are not told to any flow
/// again. Almost no stream has one, and a vector without elements takes no memory.
class StreamGaps {
 public:
  static constexpr std::size_t kMostKept = 256;

  [[nodiscard]] bool empty() const { return gaps_.empty(); }
  /// The last gap: where it ends, and when the bytes behind it were written, ns since 1970. Call these only where there is a gap.
  [[nodiscard]] std::uint64_t end() const { return gaps_.back().end; }
  [[nodiscard]] std::uint64_t time() const { return gaps_.back().time; }

  void add(std::uint64_t end, std::uint64_t bytes, std::uint64_t time) {
    total_ += bytes;
    gaps_.push_back({end, time, total_});
    if (gaps_.size() <= kMostKept) return;
    before_ = gaps_.front().total;
    gaps_.erase(gaps_.begin());
  }

  /// The bytes that are missing behind this offset.
  [[nodiscard]] std::uint64_t behind(std::uint64_t offset) const {
    return from(std::ranges::upper_bound(gaps_, offset, {}, &Gap::end));
  }
  /// The bytes that have gone missing since this time.
  [[nodiscard]] std::uint64_t since(std::uint64_t time) const {
    return from(std::ranges::find_if(gaps_, [time](const Gap& gap) { return gap.time >= time; }));
  }

 private:
  struct Gap {
    std::uint64_t end = 0;
    std::uint64_t time = 0;
    std::uint64_t total = 0;  // bytes of all gaps up to this one
  };

  [[nodiscard]] std::uint64_t from(const std::vector<Gap>::const_iterator& gap) const {
    if (gap == gaps_.end()) return 0;
    return total_ - (gap == gaps_.begin() ? before_ : (gap - 1)->total);
  }

  std::vector<Gap> gaps_;
  std::uint64_t total_ = 0;
  std::uint64_t before_ = 0;  // bytes of the gaps that are not kept
};

}  // namespace flowtap::flow
