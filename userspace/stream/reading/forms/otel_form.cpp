#include "stream/reading/forms/otel_form.hpp"

#include <functional>

#include "stream/lines/cri_line.hpp"
#include "stream/lines/output_index.hpp"

namespace flowtap {

using flow::CriLine;

void OtelForm::take(const CriLine& line, Piece& piece) {
  loses_ = line.missing.has_value();
  records_.add(line, writes(piece));
  loses_ = false;
  if (!line.missing) return;
  piece.missing_before += *line.missing;
  if (!shows_gaps(options_)) return;
  OtelRecord gap{line.time, 0, line.output, line.text};
  gap.missing = line.counted();
  gap.cause = line.cause;
  put(gap, piece);
}

void OtelForm::say(std::string_view text, Piece& piece) {
  records_.finish(writes(piece));
  put({std::nullopt, words_++, {}, "[flowtap: " + std::string(text) + "]"}, piece);
}

void OtelForm::jump(Piece& piece) {
  loses_ = true;
  records_.jump(writes(piece));
  loses_ = false;
}

OtelForm::Clock::time_point OtelForm::rest(Piece& piece) {
  return records_.rest(writes(piece));
}

void OtelForm::finish(Piece& piece) {
  records_.finish(writes(piece));
}

void OtelForm::write(std::string_view name, const flow::WholeRecord& record, Piece& piece) {
  Output& output = outputs_.at(flow::output_index(name));
  if (record.time != output.time) output.known.clear();
  output.time = record.time;
  // Records are told apart by their text, not by their place, since a reading may begin amid the records of one time.
  const std::size_t says = std::hash<std::string_view>()(record.text.substr(0, record.text.find('\n')));
  OtelRecord out{record.time, output.known[says]++, name, record.text, record.klog};
  out.cut = loses_ && record.mid_line;
  put(out, piece);
}

// Half an object is not JSON, so a record that does not fit as a whole is left out, and so is everything behind it.
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
