#include "stream/reading/forms/json_form.hpp"

#include <boost/json.hpp>

#include "base/printable.hpp"
#include "stream/lines/output_index.hpp"

namespace flowtap {
namespace {

boost::json::object timed_text(std::string_view time, std::string_view text) {
  return {{"time", boost::json::string_view(time.data(), time.size())}, {"text", utf8(text)}};
}

}  // namespace

void JsonForm::take(const flow::CriLine& line, Piece& piece) {
  Output& output = outputs_.at(flow::output_index(line.output));
  if (line.missing) {
    piece.missing_before += *line.missing;
    flush(output, "cut", piece);
    if (!shows_gaps(options_)) return;
    boost::json::object gap = timed_text(clock_.text(line.time), line.text);
    if (const auto bytes = line.counted()) gap["missing_bytes"] = *bytes;
    if (line.cause != flow::MissingCause::kUnknown) gap["cause"] = std::string(to_string(line.cause));
    gap["stream"] = std::string(line.output);
    return put(boost::json::serialize(gap), piece);
  }
  if (!output.is_open) output.time = line.time;
  output.is_open = true;
  output.text += line.text;
  if (line.full)
    flush(output, {}, piece);
  else if (output.text.size() >= kLongest)
    flush(output, "partial", piece);
}

void JsonForm::say(std::string_view text, Piece& piece) {
  put(boost::json::serialize(boost::json::object{{"text", "[flowtap: " + utf8(text) + "]"}}), piece);
}

void JsonForm::jump(Piece& piece) {
  for (Output& output : outputs_) flush(output, "cut", piece);
}

void JsonForm::finish(Piece& piece) {
  for (Output& output : outputs_) flush(output, "partial", piece);
}

void JsonForm::flush(Output& output, std::string_view flag, Piece& piece) {
  if (!output.is_open) return;
  boost::json::object line = timed_text(clock_.text(output.time), output.text);
  if (!flag.empty()) line[boost::json::string_view(flag.data(), flag.size())] = true;
  output.is_open = false;
  // Few of thousands of logs have long lines, so a buffer that one of them has made large is given back.
  if (output.text.capacity() > kLongest / 16)
    std::string().swap(output.text);
  else
    output.text.clear();
  put(boost::json::serialize(line), piece);
}

// Half an object is not JSON, so one that does not fit as a whole is left out, and so is everything behind it.
void JsonForm::put(std::string line, Piece& piece) {
  if (over_) return;
  line += '\n';
  const std::uint64_t most = options_.limit_bytes.value_or(~std::uint64_t{0});
  over_ = line.size() > most - sent_;
  if (!over_) {
    sent_ += line.size();
    piece.bytes += line;
  }
  piece.end = piece.end || over_ || sent_ == most;
}

}  // namespace flowtap
