#include "wrapped_lines.hpp"

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix.hpp"

namespace flowtap::cli {
namespace {

// A record of a thousand nodes, at the width of a telephone.
constexpr std::size_t kLongestGroup = std::size_t{64} << 10U;
constexpr std::size_t kMostParts = 256;
constexpr std::size_t kEnoughBreaks = 16;
constexpr std::size_t kMostWaiting = std::size_t{1} << 20U;

bool closes_text(std::string_view text) {
  const auto found = long_text(text);
  return found && found->ending == Ending::kWhole;
}

// The number of parts that a text takes which the first of them begins; 1: none belongs to it, or it is never closed.
std::size_t parts_of(const BrokenLine& line) {
  std::string text = line.parts.front();
  bool whole = closes_text(text);
  std::size_t taken = 1;
  for (std::size_t i = 1; i < line.parts.size(); ++i) {
    const std::string_view part = own_text(line, line.parts[i]);
    if (whole && !begins_pair(part)) break;
    const std::size_t text_at = part.find_first_not_of(' ');
    text.append(whole || text_at > 0 ? " " : "").append(part.substr(std::min(text_at, part.size())));
    whole = closes_text(text);
    if (whole) taken = i + 1;
  }
  return taken;
}

}  // namespace

void WrappedLines::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  if (open_ && group_.full && group_.line.parts.size() < kMostParts &&
      group_bytes_ + line.size() <= kLongestGroup && goes_on(line)) {
    group_.line.parts.emplace_back(line);
    group_.full = full;
    group_bytes_ += line.size();
    return;
  }
  close(take);
  if (!full || line.size() > kLongestGroup)
    return pass({.line = {.parts = {std::string(line)}}, .full = full, .time = time}, take);
  open_ = true;
  begun_.reset();
  group_ = {.line = {.parts = {std::string(line)}}, .full = full, .time = time};
  group_bytes_ = line.size();
}

// Most logs have a record in each line, and then none is looked at more than once.
bool WrappedLines::goes_on(std::string_view line) {
  const std::string_view shown = trimmed(line, " \r");
  if (shown.empty() || shown.starts_with('\t') || flow::begins_klog_record(shown)) return false;
  if (!begun_) {
    const auto text = long_text(group_.line.parts.front());
    begun_ = text ? std::optional(text->ending) : std::nullopt;
    group_.line.before = text ? text->before : std::string_view();
  }
  if (!*begun_) return false;
  if (**begun_ == Ending::kWhole && group_.line.parts.size() == 1 &&
      !begins_pair(own_text(group_.line, line)))
    return false;
  const std::string& before = group_.line.before;
  const bool is_next = own_text(group_.line, line).size() == line.size() && begins_alike(before, line);
  if (is_next && std::ranges::any_of(before, is_alphanumeric)) return false;
  return !long_text(line) && !is_event_row(line);
}

void WrappedLines::close(const Take& take) {
  if (!std::exchange(open_, false)) return;
  Group group = std::exchange(group_, {});
  std::vector<std::string>& parts = group.line.parts;
  if (parts.size() == 1) return pass(std::move(group), take);
  const std::size_t taken = parts_of(group.line);
  group.line.whole = taken > 1;
  std::vector<std::string> rest;
  if (group.line.whole) {
    rest.assign(parts.begin() + static_cast<std::ptrdiff_t>(taken), parts.end());
    parts.resize(taken);
    if (!decided_) breaks_.note(group.line);
  }
  const bool full = std::exchange(group.full, group.full || !rest.empty());
  const std::uint64_t time = group.time;
  pass(std::move(group), take);
  for (std::size_t i = 0; i < rest.size(); ++i)
    pass({.line = {.parts = {std::move(rest[i])}}, .full = full || i + 1 < rest.size(), .time = time}, take);
}

void WrappedLines::pass(Group group, const Take& take) {
  if (decided_ || (waiting_.empty() && group.line.parts.size() == 1)) return give(group, take);
  for (const std::string& part : group.line.parts) waiting_bytes_ += part.size();
  waiting_.push_back(std::move(group));
  if (breaks_.noted() >= kEnoughBreaks || waiting_bytes_ > kMostWaiting) give_waiting(take);
}

void WrappedLines::give_waiting(const Take& take) {
  decided_ = breaks_.noted() > 0;
  for (const Group& group : std::exchange(waiting_, {})) give(group, take);
  waiting_bytes_ = 0;
}

void WrappedLines::give(const Group& group, const Take& take) const {
  const std::vector<std::string>& parts = group.line.parts;
  std::size_t used = 1;
  if (parts.size() == 1)
    take(parts.front(), group.full, group.time);
  else
    take(breaks_.joined(group.line, used), group.full || used < parts.size(), group.time);
  for (; used < parts.size(); ++used) take(parts[used], group.full || used + 1 < parts.size(), group.time);
}

void WrappedLines::finish(const Take& take) {
  close(take);
  give_waiting(take);
}

}  // namespace flowtap::cli
