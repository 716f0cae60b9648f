#include "stream/reading/forms/otel_form.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "stream/lines/cri_line.hpp"

namespace flowtap {

using flow::CriLine;

void OtelForm::take(const CriLine& line, Piece& piece) {
  Output& output = outputs_.at(line.output == outputs_[1].name ? 1 : 0);
  if (line.missing) {
    write(output, piece);
    piece.missing_before += *line.missing;
    output.mid_line = false;
    ++output.end;
    if (options_.follow) put({line.time, 0, output.name, line.text}, piece);
    return;
  }
  if (begins(output, line)) write(output, piece);
  Record& record = output.record;
  if (!record.begun) {
    record.begun = true;
    record.time = line.time;
  } else if (!output.mid_line) {
    record.text += '\n';
  }
  record.text += line.text;
  record.until = {};
  output.mid_line = !line.full;
  const bool may_go_on = output.mid_line || output.headed;
  if (!may_go_on || record.text.size() >= (is_schedulers_ ? kLongestBody : kLongestLine))
    write(output, piece);
}

// Lines that no header of klog's stands before, as at the beginning or behind a gap, are records one by one: nobody knows
// which of them belong together.
bool OtelForm::begins(Output& output, const CriLine& line) const {
  if (!is_schedulers_) return !output.mid_line;
  // A flow of a scheduler's goes on with its next stream: that one's first record is none of what the last one left unfinished.
  if (output.short_part && flow::begins_klog_record(line.text)) ++output.end;
  const std::uint64_t end = output.end + line.text.size() + (line.full ? 1 : 0);
  const flow::RecordLine found = output.lines.add({line.text, line.full, output.end, end, line.time});
  output.end = end;
  output.short_part = !line.full && line.text.size() < flow::kMaxLine;
  output.headed = found.headed;
  return found.first || (!found.headed && !output.mid_line);
}

void OtelForm::say(std::string_view text, Piece& piece) {
  write_all(piece);
  put({std::nullopt, words_++, {}, "[flowtap: " + std::string(text) + "]"}, piece);
}

void OtelForm::jump(Piece& piece) {
  write_all(piece);
  for (Output& output : outputs_) {
    output.mid_line = false;
    ++output.end;
  }
}

OtelForm::Clock::time_point OtelForm::rest(Piece& piece) {
  auto next = Clock::time_point::max();
  for (Output& output : outputs_) {
    Record& record = output.record;
    if (!record.begun || output.mid_line) continue;
    const auto now = Clock::now();
    if (record.until == Clock::time_point()) record.until = now + kRecordIsWritten;
    if (record.until <= now)
      write(output, piece);
    else
      next = std::min(next, record.until);
  }
  return next;
}

void OtelForm::finish(Piece& piece) {
  write_all(piece);
}

void OtelForm::write_all(Piece& piece) {
  for (Output& output : outputs_) write(output, piece);
}

void OtelForm::write(Output& output, Piece& piece) {
  if (!output.record.begun) return;
  const Record record = std::exchange(output.record, {});
  if (record.time != output.time) output.known.clear();
  output.time = record.time;
  // By what it says, not by its place: a reading may begin amid records of one time.
  const std::size_t says =
      std::hash<std::string_view>()(std::string_view(record.text).substr(0, record.text.find('\n')));
  put({record.time, output.known[says]++, output.name, record.text}, piece);
}

// Half an object is no JSON: what does not fit as a whole is left out, and so is all behind it.
void OtelForm::put(const OtelRecord& record, Piece& piece) {
  if (over_) return;
  const std::string line = otel_record(flow_, record) + "\n";
  const std::uint64_t most = options_.limit_bytes.value_or(~std::uint64_t{0});
  over_ = line.size() > most - sent_;
  if (!over_) {
    sent_ += line.size();
    piece.bytes += line;
  }
  piece.end = piece.end || over_ || sent_ == most;
}

}  // namespace flowtap
