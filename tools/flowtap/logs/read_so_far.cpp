#include "read_so_far.hpp"

#include <charconv>

#include "base/rfc3339.hpp"

namespace flowtap::cli {

std::optional<std::string_view> ReadSoFar::take(std::string_view line) {
  const std::string_view time = TimedMerge::time_of(line, form_);
  if (time.empty()) return within_ ? std::nullopt : std::optional(line);
  within_ = left_ > 0 && time == newest_;
  if (within_) return rest_of(line, time);
  left_ = 0;
  cut_.clear();
  if (first_.empty()) first_ = time;
  if (time > newest_) {
    newest_ = time;
    same_ = 0;
  }
  if (time == newest_) ++same_;
  return line;
}

// The line was read before, but perhaps not to its end.
std::optional<std::string_view> ReadSoFar::rest_of(std::string_view line, std::string_view time) {
  if (left_ != kAll && --left_ > 0) return std::nullopt;
  if (cut_.empty() || line.size() <= cut_.size() || !line.starts_with(cut_)) return std::nullopt;
  const std::string_view rest = line.substr(cut_.size());
  if (form_ == TimedMerge::Form::kJson && rest.starts_with('"')) return std::nullopt;  // no more text
  within_ = false;
  left_ = 0;  // that was the last one to skip
  rest_ = form_ == TimedMerge::Form::kJson ? R"({"time":")" + std::string(time) + R"(","text":")"
                                           : std::string(time) + " ";
  rest_ += rest;
  cut_.clear();
  return rest_;
}

void ReadSoFar::note_cut(std::string_view line) {
  if (form_ == TimedMerge::Form::kJson) {
    constexpr std::string_view kEnd = R"(","partial":true})";
    if (!line.ends_with(kEnd)) return;
    line.remove_suffix(kEnd.size());
  }
  cut_ = line;
}

void ReadSoFar::begin_at_last(std::uint64_t lines, std::chrono::system_clock::time_point now) {
  at_last_ = true;
  if (lines == 0) left_out_ = now;
}

void ReadSoFar::begin_again() {
  left_ = at_last_ && newest_ == first_ ? kAll : same_;
  within_ = false;
}

std::optional<std::chrono::system_clock::time_point> ReadSoFar::since() const {
  if (newest_.empty()) return left_out_;
  if (form_ != TimedMerge::Form::kOtel) return parse_rfc3339(newest_);
  std::int64_t ns = 0;
  const char* const end = newest_.data() + newest_.size();
  if (const auto [rest, error] = std::from_chars(newest_.data(), end, ns);
      error != std::errc{} || rest != end)
    return std::nullopt;
  return std::chrono::system_clock::time_point(std::chrono::nanoseconds(ns));
}

}  // namespace flowtap::cli
