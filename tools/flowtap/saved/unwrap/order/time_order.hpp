// Puts what was found in a file in the order of its times where the file's parts are in another one: the pages of an export, or the
// logs of several pods, one behind the other. A clock that was set back does not make a part: what was written later is later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "stream/lines/klog/klog_time.hpp"
#include "tools/flowtap/saved/unwrap/unwrapper.hpp"

namespace flowtap::cli {

/// The time of a record; nothing: it is none, or does not say it.
[[nodiscard]] flow::KlogTime time_of_record(const SavedLine& line);

/// Follows the times of records, in the order in which they stand.
class TimeSteps {
 public:
  /// A scheduler that writes from several threads has records in the wrong order, but by less than this.
  static constexpr std::int64_t kSecond = 1'000'000;  // µs
  static constexpr std::int64_t kOutOfOrder = kSecond;
  /// A clock is hardly set back by more, but for daylight saving time.
  static constexpr std::int64_t kLargestStep = std::int64_t{15} * 60 * kSecond;

  enum class Step : std::uint8_t {
    kOn,         ///< the part goes on
    kClockBack,  ///< its clock may have been set back, also by an hour at the end of daylight saving time: the source's own times go back
    kSkew,       ///< a part of another log, whose clock is hardly another
    kApart       ///< another part begins
  };
  [[nodiscard]] Step next(flow::KlogTime time, std::string_view source);

 private:
  void note(flow::KlogTime time, std::string_view source);

  flow::KlogTime first_;                                          // of the part
  flow::KlogTime latest_;                                         // since the clock was set back
  std::map<std::string, flow::KlogTime, std::less<>> latest_by_;  // the same, of each source in the part
};

/// Holds what was found until all of it is known.
class TimeOrder {
 public:
  using Take = Unwrapper::Take;

  /// `most`: bytes of memory.
  explicit TimeOrder(std::size_t most) : most_(most) {}

  /// False: no more can be held.
  [[nodiscard]] bool add(const SavedLine& line);
  /// Only steps of less than a second tell that the file's order is a wrong one. A clock may have made them.
  void doubt() { doubted_ = true; }
  /// Gives all that is held in its order, and holds nothing any more.
  void give(const Take& take);

 private:
  struct Entry {
    std::string_view text;
    std::string_view source;
    std::uint64_t written = 0;  // ns since 1970; 0: not known
    flow::KlogTime time;
    std::int64_t key = 0;     // what it is sorted by
    std::uint32_t index = 0;  // in the file
    std::uint32_t group = 0;  // the index of the record that it belongs to
    std::uint32_t event = 0;  // from 1; 0: none
    SavedLine::Kind kind = SavedLine::Kind::kRecord;
    bool full = true;
  };

  [[nodiscard]] std::string_view kept(std::string_view text);
  [[nodiscard]] bool has_one_clock() const;
  [[nodiscard]] bool is_set_back(std::size_t begin, std::size_t at) const;
  [[nodiscard]] bool is_clock_back_a_little() const;
  void set_keys();

  std::size_t most_;
  bool doubted_ = false;
  std::size_t bytes_ = 0;
  std::deque<std::string> texts_;  // none of them moves
  std::map<std::string, std::uint32_t, std::less<>>
      last_;  // by source, the number of its last record, from 1
  std::deque<Entry> entries_;
  std::deque<KubeEvent> events_;
};

}  // namespace flowtap::cli
