// The scheduler's lines in one output of a saved file, out of its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "around/close_fields.hpp"
#include "around/first_record.hpp"
#include "characters/doubled_backslashes.hpp"
#include "characters/quoted_printable.hpp"
#include "characters/shown_controls.hpp"
#include "characters/text_decoder.hpp"
#include "framed_lines.hpp"
#include "objects/object_lines.hpp"
#include "objects/part_lines.hpp"
#include "objects/yaml_events.hpp"
#include "order/line_order.hpp"
#include "pieces.hpp"
#include "tools/flowtap/logs/line_cutter.hpp"
#include "wrapped/screen_tables.hpp"
#include "wrapped/wrapped_lines.hpp"

namespace flowtap::cli {

/// It has many members, since each step on the way from bytes to lines may hold some of them.
class SavedLines {
 public:
  explicit SavedLines(LineOrder::Take take) : order_(std::move(take)) {}
  SavedLines(const SavedLines&) = delete;
  SavedLines& operator=(const SavedLines&) = delete;

  /// `time`: when the bytes were written, in ns since 1970; 0: not known.
  void add(std::string_view bytes, std::uint64_t time) {
    time_ = time;
    cut(decoder_.decode(bytes));
  }
  /// No more bytes come. The last line may have no newline.
  void finish() {
    cut(decoder_.finish());
    lines_.finish([this](std::string_view line) { give(line, false); });
    end();
  }
  /// The bytes break off within a line, which says nothing.
  void lose() {
    lines_.finish([](std::string_view /*line*/) {});
    end();
  }
  [[nodiscard]] std::uint64_t left_out() const { return order_.left_out(); }
  [[nodiscard]] std::uint64_t late_parts() const { return order_.late_parts(); }

 private:
  // Whoever puts files together leaves the byte order mark of each, which is UTF-8's by now.
  static std::string_view without_mark(std::string_view line) {
    while (line.starts_with(kUtf8Mark)) line.remove_prefix(kUtf8Mark.size());
    return line;
  }
  void cut(std::string_view text) {
    lines_.take(text, [this](std::string_view line) { give(line, true); });
  }
  void give(std::string_view line, bool full) {
    line = controls_.undo(without_mark(line));
    line = without_doubled_backslashes(line, halved_);
    mail_.add(close_fields_.undo(line), full, time_, decodes_);
  }
  void end() {
    mail_.finish(decodes_);
    framed_.finish(frames_);
    first_.finish(divides_);
    yaml_.finish(undoes_);
    tables_.finish(rows_);
    wrapped_.finish(joins_);
    objects_.finish(completes_);
    parts_.finish(adds_);
    order_.finish();
  }

  TextDecoder decoder_;
  LineCutter lines_{kLongestWhole, dividing_place};
  std::uint64_t time_ = 0;
  ShownControls controls_;
  std::string halved_;
  CloseFields close_fields_;
  QuotedPrintable mail_;
  FramedLines framed_;
  FirstRecord first_;
  YamlEvents yaml_;
  ScreenTables tables_;
  WrappedLines wrapped_;
  ObjectLines objects_;
  PartLines parts_;
  LineOrder order_;
  const PartLines::Take adds_ = [this](std::string_view line, bool full, std::uint64_t time) {
    order_.add(line, full, time);
  };
  const ObjectLines::Take completes_ = [this](std::string_view line, bool full, std::uint64_t time) {
    parts_.add(line, full, time, adds_);
  };
  const WrappedLines::Take joins_ = [this](std::string_view line, bool full, std::uint64_t time) {
    objects_.add(line, full, time, completes_);
  };
  const ScreenTables::Take rows_ = [this](std::string_view line, bool full, std::uint64_t time) {
    wrapped_.add(line, full, time, joins_);
  };
  // A Windows console ends the parts of a line that it has broken as it ends lines.
  const YamlEvents::Take undoes_ = [this](std::string_view line, bool full, std::uint64_t time) {
    while (full && line.ends_with('\r')) line.remove_suffix(1);
    tables_.add(line, full, time, rows_);
  };
  const FirstRecord::Take divides_ = [this](std::string_view line, bool full, std::uint64_t time) {
    yaml_.add(line, full, time, undoes_);
  };
  const FramedLines::Take frames_ = [this](std::string_view line, bool full, std::uint64_t time) {
    first_.add(line, full, time, divides_);
  };
  const QuotedPrintable::Take decodes_ = [this](std::string_view line, bool full, std::uint64_t time) {
    framed_.add(line, full, time, frames_);
  };
};

}  // namespace flowtap::cli
