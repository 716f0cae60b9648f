// Makes whole records of a log's lines, and parses each record from its text. In flowtapd the lines' thread has parsed it once
// already, to find its pod. The next record's first line ends a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "stream/lines/record_assembler.hpp"

namespace flowtap::flow {

/// Does not own its text.
struct WholeRecord {
  std::uint64_t time = 0;          ///< LineView::time of its first line; 0: not known
  std::string_view text;           ///< without its last newline
  std::optional<KlogRecord> klog;  ///< parsed from the text; absent: no header begins it
  bool cut = false;                ///< the record was longer
  bool mid_line = false;           ///< the end of its last line has not come
};

/// Takes a text that is one record already.
[[nodiscard]] inline WholeRecord whole_record(std::string_view text, std::uint64_t time = 0) {
  return {time, text, parse_klog_record(text)};
}

struct RecordRules {
  /// The most bytes of one record. Schedulers write whole pods and nodes into one value.
  std::size_t most = std::size_t{1} << 20U;
  bool has_headers =
      true;  ///< a header of klog's begins a record; else each line is one, in however many parts
  /// Each byte is in a record. What is longer goes on in a record of its own. Lines without a header, as at the beginning or
  /// behind a gap, are records one by one, since nobody knows which of them belong together. If false, both are left out.
  bool takes_all = false;
};

/// Makes one stream's records. `take(const WholeRecord&)` is called with each record that is whole now.
class WholeRecords {
 public:
  explicit WholeRecords(const RecordRules& rules = {}) : rules_(rules) {}

  template <typename Take>
  void add(const LineView& line, Take&& take) {
    const RecordLine found = place(line);
    if (found.first || (!found.headed && !mid_line_)) flush(take);
    if (found.headed || rules_.takes_all) put(found);
    mid_line_ = !line.full;
    if (!rules_.takes_all) return;
    const bool may_go_on = mid_line_ || found.headed;
    if (!may_go_on || text_.size() >= rules_.most) flush(take);
  }

  /// The stream has ended or been idle: nothing more of the last record comes. If lines do come, they are a record of their own.
  template <typename Take>
  void flush(Take&& take) {
    if (!begun_) return;
    begun_ = false;
    take(WholeRecord{.time = time_,
                     .text = text_,
                     .klog = form_ ? parse_klog_record(*form_, text_) : parse_klog_record(text_),
                     .cut = !rules_.takes_all && text_.size() == rules_.most,
                     .mid_line = mid_line_});
    text_.clear();
    // Few of thousands of logs have long records, so a buffer that one of them has made large is given back.
    if (text_.capacity() > rules_.most / 16) text_ = {};
  }

  /// The next line does not go on with the last one.
  template <typename Take>
  void lose(Take&& take) {
    flush(take);
    lines_ = {};
    mid_line_ = false;
  }

  /// A record has begun that may go on.
  [[nodiscard]] bool has_begun() const { return begun_; }
  /// The last line was a part, and what follows belongs to it.
  [[nodiscard]] bool is_mid_line() const { return mid_line_; }

 private:
  RecordLine place(const LineView& line) {
    if (!rules_.has_headers) return {.line = line, .first = !mid_line_};
    // A log goes on with its source's next stream, whose first record does not continue what the last stream left unfinished: a
    // part that is shorter than a part has to be.
    if (rules_.takes_all && short_part_ && begins_klog_record(line.text)) lines_ = {};
    short_part_ = !line.full && line.text.size() < kMaxLine;
    return lines_.add(line);
  }

  void put(const RecordLine& line) {
    if (!begun_) {
      text_.clear();
      time_ = line.line.time;
      form_ = line.form;
    } else if (!mid_line_) {
      append("\n");
    }
    append(line.line.text);
    begun_ = true;
  }

  void append(std::string_view text) {
    text_.append(rules_.takes_all ? text : text.substr(0, rules_.most - text_.size()));
  }

  RecordRules rules_;
  RecordAssembler lines_;
  std::string text_;
  std::uint64_t time_ = 0;
  std::optional<KlogForm> form_;  // from its header; absent: it began without one
  bool begun_ = false;
  bool mid_line_ = false;
  bool short_part_ = false;  // the last line was such a part
};

}  // namespace flowtap::flow
