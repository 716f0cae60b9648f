// Exports and reversed files have the newest line first, and pages of an export or files that were joined have their parts in any
// order. This puts them in the order of their times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "stream/lines/klog/klog_time.hpp"
#include "time_order.hpp"
#include "tools/flowtap/saved/unwrap/doubted_prefixes.hpp"
#include "tools/flowtap/saved/unwrap/unwrapper.hpp"

namespace flowtap::cli {

/// It has many members, since the order shows only after many lines, and these are held.
class LineOrder {
 public:
  /// Bytes. Much more than an export has. Of a file with its newest line first, the lines beyond that are left out, the oldest ones.
  static constexpr std::size_t kMostHeld = std::size_t{256} << 20U;

  /// Bytes of the beginning of a file, in which parts are put in order. If none are in another one there, later ones stay where they
  /// are.
  static constexpr std::size_t kPutInOrder = std::size_t{32} << 20U;

  using Take = Unwrapper::Take;

  /// Gives `take` what Unwrapper finds in the lines, the oldest first.
  explicit LineOrder(Take take) : take_(std::move(take)) {}
  LineOrder(const LineOrder&) = delete;
  LineOrder& operator=(const LineOrder&) = delete;

  void add(std::string_view line, bool full, std::uint64_t time);
  /// No more lines come.
  void finish();
  /// Lines that were left out.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// Parts that were given behind newer ones, since they begin behind kPutInOrder.
  [[nodiscard]] std::uint64_t late_parts() const { return late_parts_; }

 private:
  enum class Way : std::uint8_t { kUndecided, kOldestFirst, kNewestFirst, kMixed };
  struct Line {
    std::string text;  // with those that belong to it
    bool full;
    std::uint64_t time;
    bool by_lines = false;  // these are lines of their own, and not of a field
    bool loose = false;
    std::unique_ptr<ObjectSources> sources = {};  // of a part of a line
  };
  /// What a line is in the file's own order.
  struct Look {
    bool any = false;
    bool goes_on = false;  // all that is in it belongs to the record before
    bool begins = false;   // with the first line of a value of several lines
    bool loose = false;
    std::string source;
    std::unique_ptr<ObjectSources> sources = {};
  };

  [[nodiscard]] Look look(std::string_view line);
  void hold(std::string_view line, Look found, bool full, std::uint64_t time);
  void unwrap(std::string_view line, bool full, std::uint64_t time);
  void give_reversed(const Line& line);
  void give_reversed(const std::vector<std::string_view>& lines, std::uint64_t time,
                     Unwrapper::PieceOf piece);
  void join_loose(std::deque<Line>& held) const;
  [[nodiscard]] bool is_newest_first() const;
  [[nodiscard]] bool ends_before_its_begin() const;
  void decide();
  void give_held();
  void give_all();
  void give(const SavedLine& found);
  void give_sorted();

  Take take_;
  DoubtedPrefixes doubted_;
  LogNames names_;
  CsvRows rows_;
  Unwrapper unwrapper_{doubted_, names_, rows_};
  Unwrapper scout_{doubted_, names_, rows_, true};  // looks at the lines in their own order
  Way way_ = Way::kUndecided;
  bool in_field_ =
      false;  // the next line belongs to the last one that is held: it has a newline in a field of CSV
  std::map<std::string, std::size_t, std::less<>> last_held_;  // by source, the place of its last line
  bool own_order_ = false;  // such a value stands in the order of its lines
  std::deque<Line> held_;
  std::size_t bytes_ = 0;
  flow::KlogTime first_;
  flow::KlogTime last_;
  flow::KlogTime latest_;
  bool mixed_ = false;              // a record is much older than another one before it
  bool indented_ = false;           // the last line was, as those of a value of several lines
  bool ended_ = false;              // a value's end stood above these
  bool opened_ = false;             // it was the first one of such a value
  std::uint64_t upright_ = 0;       // values that stand below their first line
  std::uint64_t turned_round_ = 0;  // those above it
  std::uint64_t rising_ = 0;
  std::uint64_t falling_ = 0;
  std::uint64_t left_out_ = 0;
  TimeOrder order_{kMostHeld};
  TimeSteps given_;  // follows what is given in the file's order
  std::uint64_t late_parts_ = 0;
};

}  // namespace flowtap::cli
