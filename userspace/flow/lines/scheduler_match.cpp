#include "flow/lines/scheduler_match.hpp"

#include <algorithm>

namespace flowtap::flow {
namespace {

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t slash = text.find('/');
    parts.emplace_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    text.remove_prefix(slash + 1);
  }
}

// Linear: behind each `*` the first place that fits is as good as any other.
bool fits(std::string_view pattern, std::string_view text) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  pattern.remove_prefix(star + 1);
  while (true) {
    const std::size_t next = pattern.find('*');
    const std::string_view piece = pattern.substr(0, next);
    if (next == std::string_view::npos) return text.ends_with(piece);
    const std::size_t at = text.find(piece);
    if (at == std::string_view::npos) return false;
    text.remove_prefix(at + piece.size());
    pattern.remove_prefix(next + 1);
  }
}

// The parts of an id that a pattern is about. A container inside another one is never a scheduler.
std::vector<std::string> named_parts(std::string_view flow) {
  auto parts = parts_of(flow);
  if (parts.front() == "pod")
    return parts.size() == 6 ? std::vector{parts[0], parts[1], parts[2], parts[4]}
                             : std::vector<std::string>();
  if (parts.front() == "file") return {parts[0], std::string(flow.substr(flow.find('/') + 1))};
  return parts.size() == 2 ? parts : std::vector<std::string>();
}

bool is_pattern(const std::vector<std::string>& parts) {
  if (std::ranges::any_of(parts, &std::string::empty)) return false;
  if (parts.front() == "pod") return parts.size() == 4 && parts[1].find('*') == std::string::npos;
  return parts.size() == 2 &&
         (parts.front() == "unit" || parts.front() == "container" || parts.front() == "file");
}

}  // namespace

Result<SchedulerMatch> SchedulerMatch::parse(const std::vector<std::string>& patterns) {
  SchedulerMatch match;
  for (const std::string& pattern : patterns) {
    auto parts = parts_of(pattern);
    if (parts.front() == "file" && pattern.find('/') != std::string::npos)
      parts = {"file", pattern.substr(5)};
    if (!is_pattern(parts))
      return fail("\"" + pattern + "\" names no scheduler's output",
                  "pod/NAMESPACE/POD/CONTAINER, unit/NAME, container/NAME or file/PATH");
    match.patterns_.push_back(std::move(parts));
  }
  return match;
}

bool SchedulerMatch::matches(std::string_view flow) const {
  const auto parts = named_parts(flow);
  return std::ranges::any_of(patterns_, [&parts](const std::vector<std::string>& pattern) {
    if (pattern.size() != parts.size() || pattern.front() != parts.front()) return false;
    if (pattern.front() == "file") return pattern == parts;
    return std::ranges::equal(pattern, parts, fits);
  });
}

}  // namespace flowtap::flow
