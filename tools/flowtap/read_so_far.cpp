#include "read_so_far.hpp"

#include <charconv>
#include <utility>

#include "base/rfc3339.hpp"

namespace flowtap::cli {

std::optional<std::string_view> ReadSoFar::take(std::string_view line) {
  const std::string_view time = TimedMerge::time_of(line, form_);
  if (time.empty()) return within_ ? std::nullopt : std::optional(line);
  within_ = left_ > 0 && time == newest_;
  if (within_) {
    if (--left_ > 0) return std::nullopt;
    const std::string cut = std::exchange(cut_, {});
    if (cut.empty() || line.size() <= cut.size() || !line.starts_with(cut)) return std::nullopt;
    within_ = false;
    (rest_ = std::string(time) + " ") += line.substr(cut.size());
    return rest_;
  }
  left_ = 0;
  cut_.clear();
  if (time > newest_) {
    newest_ = time;
    same_ = 0;
  }
  if (time == newest_) ++same_;
  return line;
}

void ReadSoFar::begin_again() {
  left_ = same_;
  within_ = false;
}

std::optional<std::chrono::system_clock::time_point> ReadSoFar::since() const {
  if (form_ == TimedMerge::Form::kText) return parse_rfc3339(newest_);
  std::int64_t ns = 0;
  const char* const end = newest_.data() + newest_.size();
  if (const auto [rest, error] = std::from_chars(newest_.data(), end, ns);
      error != std::errc{} || rest != end)
    return std::nullopt;
  return std::chrono::system_clock::time_point(std::chrono::nanoseconds(ns));
}

}  // namespace flowtap::cli
