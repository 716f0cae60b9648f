// Lines into records. Only a header begins one (klog_record.hpp). Every other line belongs to the record before it, since each
// record is one write: the lines of a "=<" block, of a raw multi-line message, of a panic.
#pragma once

#include <cstdint>
#include <optional>

#include "stream/lines/klog/klog_record.hpp"
#include "stream/lines/line_assembler.hpp"

namespace flowtap::flow {

/// A line and the record it belongs to.
struct RecordLine {
  LineView line;
  std::uint64_t record = 0;  ///< the record's number in the stream
  bool first = false;        ///< it begins the record
  bool headed =
      false;  ///< the record has a header; those without are what a stream or the rest behind a gap begins with
  std::optional<KlogForm> form = {};  ///< of a first line with a header
};

/// Finds one stream's records. It keeps no text, since a record has no bound, and gives each line at once.
class RecordAssembler {
 public:
  RecordLine add(const LineView& line) {
    // Nobody knows which record goes on behind a gap.
    const bool joined = any_ && line.begin == end_;
    // The text behind a part is not a line of its own, whatever it looks like.
    const auto form = joined && line_open_ ? std::nullopt : klog_form(line.text);
    const bool first = form || !joined;
    if (first) {
      record_ += any_ ? 1 : 0;
      headed_ = form.has_value();
    }
    any_ = true;
    line_open_ = !line.full;
    end_ = line.end;
    return {line, record_, first, headed_, form};
  }

 private:
  std::uint64_t record_ = 0;
  std::uint64_t end_ = 0;
  bool any_ = false;
  bool headed_ = false;
  bool line_open_ = false;
};

}  // namespace flowtap::flow
