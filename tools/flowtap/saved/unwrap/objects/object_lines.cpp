#include "object_lines.hpp"

#include <utility>

#include "base/trimmed.hpp"
#include "merged_record.hpp"
#include "object_sources.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "tools/flowtap/saved/kube_margin.hpp"
#include "tools/flowtap/saved/unwrap/around/prefix.hpp"

namespace flowtap::cli {
namespace {

// A record has a megabyte at most (flow::RecordRules), and what is set out for people is longer.
constexpr std::size_t kLongestObject = std::size_t{4} << 20U;
constexpr std::string_view kSpace = " \t\r";

/// How a line of JSON that is set out changes the depth; `end`: where the object around it ends, npos if it does not.
struct Depth {
  std::size_t depth = 0;
  std::size_t end = std::string_view::npos;
  bool is_json = true;
};

Depth behind(std::string_view line, std::size_t depth) {
  constexpr std::string_view kBrackets = "\"{}[]";
  for (std::size_t at = line.find_first_of(kBrackets); at != std::string_view::npos;
       at = line.find_first_of(kBrackets, at)) {
    if (line[at] == '"') {
      at = flow::end_of_quoted(line, at + 1);
      if (at == std::string_view::npos) return {.depth = depth, .is_json = false};
      continue;
    }
    if (line[at] == '{' || line[at] == '[')
      ++depth;
    else
      --depth;
    ++at;
    if (depth == 0) return {.depth = 0, .end = at};
  }
  return {.depth = depth};
}

// A record of klog's JSON that was set out, or lines in strings beside which their log is named.
bool is_wanted(std::string_view object) {
  if (find_merged(object) && !merged_records(object).empty()) return true;
  const auto found = find_record(object);
  const bool goes_on =
      object.contains(R"("\t)") || object.contains(R"(" >)") || object.contains(R"(" \u003e)");
  if (!found && !goes_on) return false;
  const ObjectSources sources(object);
  return !(found && found->at > 0 ? sources.at(found->at - 1).empty() : sources.empty());
}

}  // namespace

void ObjectLines::add(std::string_view line, bool full, std::uint64_t time, const Take& take) {
  const std::string_view shown = trimmed(without_quote_signs(without_colours(line, clean_)), kSpace);
  const bool begins = shown == "{";
  // An object in a list: what is around it is not needed.
  if (begins || shown.empty()) give_held(take);
  if (held_.empty() && !begins) return take(line, full, time);
  const Depth next = behind(shown, depth_);
  if (!next.is_json || joined_.size() + shown.size() > kLongestObject) {
    give_held(take);
    return take(line, full, time);
  }
  hold(line, shown.substr(0, next.end), full, time);
  depth_ = next.depth;
  if (depth_ > 0) return;
  if (!is_wanted(joined_)) return give_held(take);
  const std::string object = std::exchange(joined_, {});
  const std::vector<Line> lines = std::exchange(held_, {});
  take(object, true, lines.front().time);
  // Each of its lines is understood, and counted.
  for (std::size_t i = 1; i < lines.size(); ++i) take({}, true, lines[i].time);
}

void ObjectLines::hold(std::string_view line, std::string_view shown, bool full, std::uint64_t time) {
  held_.push_back({std::string(line), full, time});
  joined_.append(joined_.empty() ? "" : " ").append(shown);
}

void ObjectLines::give_held(const Take& take) {
  depth_ = 0;
  joined_.clear();
  for (const Line& line : std::exchange(held_, {})) take(line.text, line.full, line.time);
}

}  // namespace flowtap::cli
