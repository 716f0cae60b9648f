#include "identity/patterns/scheduler_match.hpp"

#include <algorithm>
#include <utility>

#include "base/flows/container_flow.hpp"
#include "base/flows/flow_run.hpp"
#include "base/percent.hpp"
#include "identity/flow_id.hpp"
#include "identity/patterns/name_pattern.hpp"

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

// The parts of an id that a pattern is about. A container inside another one is never a scheduler.
std::vector<std::string> named_parts(std::string_view flow) {
  auto parts = parts_of(run_of_flow(flow).first);
  if (parts.front() == "pod")
    return parts.size() == 6 ? std::vector{parts[0], parts[1], parts[2], parts[4]}
                             : std::vector<std::string>();
  if (parts.front() == "file") return {parts[0], std::string(flow.substr(flow.find('/') + 1))};
  return parts.size() == 2 ? parts : std::vector<std::string>();
}

bool is_pattern(const std::vector<std::string>& parts) {
  if (std::ranges::any_of(parts, &std::string::empty)) return false;
  const auto has_too_many = [](const std::string& part) {
    return std::cmp_greater(std::ranges::count(part, '*'), kMostStars);
  };
  if (parts.front() != "file" && std::ranges::any_of(parts, has_too_many)) return false;
  if (parts.front() == "pod") return parts.size() == 4 && parts[1].find_first_of("*?") == std::string::npos;
  return parts.size() == 2 &&
         (parts.front() == "unit" || parts.front() == "container" || parts.front() == "file");
}

// An id has some characters escaped, and a pattern may be written either way.
bool is_path(const std::string& pattern, std::string_view in_id) {
  return pattern == in_id ||
         identity::file_flow_id("/" + pattern).substr(std::string_view("file/").size()) == in_id;
}
bool fits_name(const std::string& pattern, const std::string& in_id) {
  if (fits(pattern, in_id)) return true;
  const auto name = identity::flow_id_components(in_id);
  return name && fits(pattern, name->front());
}

bool has_name(std::string_view flow, const std::string& name) {
  const auto of = container_flow(flow);
  return of && !of->name.empty() && (of->name == name || percent_decoded(of->name) == name);
}

}  // namespace

Result<SchedulerMatch> SchedulerMatch::parse(const std::vector<std::string>& patterns) {
  SchedulerMatch match;
  for (const std::string& pattern : patterns) {
    auto parts = parts_of(pattern);
    if (parts.front() == "file" && pattern.find('/') != std::string::npos) {
      // A path begins with a slash, and an id has only one there: both forms are meant.
      std::string_view path = std::string_view(pattern).substr(5);
      path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
      parts = {"file", std::string(path)};
    }
    if (!is_pattern(parts))
      return fail("\"" + pattern + "\" names no scheduler's output",
                  "pod/NAMESPACE/POD/CONTAINER, unit/NAME, container/NAME or file/PATH");
    match.patterns_.push_back(std::move(parts));
  }
  return match;
}

bool SchedulerMatch::matches(std::string_view flow) const {
  const auto parts = named_parts(flow);
  return std::ranges::any_of(patterns_, [&](const std::vector<std::string>& pattern) {
    if (pattern.size() != parts.size() || pattern.front() != parts.front()) return false;
    if (pattern.front() == "file") return is_path(pattern[1], parts[1]);
    if (pattern.front() == "unit") return fits_name(pattern[1], parts[1]);
    if (pattern.front() == "container" && has_name(flow, pattern[1])) return true;
    return std::ranges::equal(pattern, parts, fits);
  });
}

}  // namespace flowtap::flow
