#include "stream/reading/earlier/stored_outputs.hpp"

#include <algorithm>
#include <cerrno>

#include "stream/lines/cri_line.hpp"
#include "stream/reading/forms/form.hpp"
#include "stream/reading/reading_start.hpp"

namespace flowtap {
namespace {

// The log makes room once in some MiB, so somebody who is overtaken this often would be so for ever.
constexpr int kMostLooks = 16;

}  // namespace

Status StoredOutputs::look() {
  if (++looks_ > kMostLooks)
    return std::unexpected(Error{"the log makes room for newer lines faster than it can be read",
                                 "read it again when less is written", ESTALE});
  standing_ = store_.standing(*flow_);
  if (!standing_) return log_has_gone();
  at_ = standing_->bounds.begin;
  rest_.clear();
  bytes_ = {};
  numbers_ = flow::LineNumbers(options_.whole_lines);
  missing_ = 0;
  begins_ = {};
  return {};
}

Result<bool> StoredOutputs::step() {
  if (!standing_) FTAP_TRY(look());
  for (int parts = 0; at_ < standing_->bounds.end; ++parts) {
    if (parts == kLogParts) return false;
    FTAP_TRY_ASSIGN(part,
                    store_.read(*flow_, at_, std::min<std::size_t>(kLogPart, standing_->bounds.end - at_)));
    if (part.gone || part.text.empty() || part.from != at_ || part.edits != standing_->bounds.edits) {
      const flow::FlowStore::Bounds before = standing_->bounds;
      FTAP_TRY(look());
      // Somebody else has removed the file.
      const flow::FlowStore::Bounds& now = standing_->bounds;
      if (now.begin == before.begin && now.edits == before.edits) return log_has_gone();
      return false;
    }
    rest_ += part.text;
    at_ = part.next;
    std::size_t begin = 0;
    for (std::size_t newline = 0; (newline = rest_.find('\n', begin)) != std::string::npos;
         begin = newline + 1)
      add(std::string_view(rest_).substr(begin, newline - begin));
    rest_.erase(0, begin);
  }
  return true;
}

void StoredOutputs::add(std::string_view text) {
  const auto line = flow::parse_cri_line(text);
  if (!line) return;
  const std::size_t output = flow::output_index(line->output);
  bytes_.at(output) += line->bytes();
  if (line->missing && is_asked_for(options_, *line)) missing_ += *line->missing;
  (void)numbers_.of(*line, shows_gaps(options_));
  if (begins_.at(output) == Begins::kNotYet)
    begins_.at(output) = line->missing ? Begins::kWithGap : Begins::kWithLine;
}

}  // namespace flowtap
