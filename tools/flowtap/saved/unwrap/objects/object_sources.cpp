#include "object_sources.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kDeepestSource = 32;
constexpr std::string_view kSigns = "\"'{}[],:";

// Behind the string whose text begins at `at`; npos: it has no end.
std::size_t behind_quoted(std::string_view line, std::size_t at, char quote) {
  if (quote == '"') return flow::end_of_quoted(line, at);
  for (; at < line.size(); ++at) {
    if (line[at] == quote) return at + 1;
    at += line[at] == '\\' ? 1 : 0;
  }
  return std::string_view::npos;
}

SourceName both(SourceName nearer, const SourceName& other) {
  nearer.add(other);
  return nearer;
}

std::string unescaped(std::string_view text) {
  std::string buffer;
  const flow::KlogPair pair{.key = {}, .kind = flow::KlogPair::Kind::kString, .value = text};
  return std::string(flow::klog_text(pair, buffer));
}

}  // namespace

/// Goes through a line once.
class ObjectSourcesReader {
 public:
  ObjectSourcesReader(ObjectSources& to, std::string_view line) : to_(to), line_(line) {}

  void go_on_in(const std::vector<ObjectSources::Open>& open) {
    open_ = open;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      open_[i].place = i;
      to_.spans_.push_back({.outer = static_cast<std::int32_t>(i) - 1});
    }
  }

  void read() {
    bool in_string = false;
    for (std::size_t at = line_.find_first_of(kSigns); at < line_.size();
         at = line_.find_first_of(kSigns, at)) {
      const char sign = line_[at];
      if (sign == '"' || sign == '\'') {
        const std::size_t end = behind_quoted(line_, at + 1, sign);
        in_string = end == std::string_view::npos;
        if (in_string) break;
        last_ = line_.substr(at + 1, end - at - 2);
        at = end;
        continue;
      }
      if (sign == '{' || sign == '[') {
        if (open_.size() == kDeepestSource) break;
        open(at);
      }
      if (sign == '}' || sign == ']') close(at + 1);
      if (sign == ':') key_ = std::exchange(last_, {});
      if (sign == ',') take_string();
      ++at;
    }
    take_string();
    if (!in_string) to_.open_ = open_;
    while (!open_.empty()) close(std::string_view::npos);
  }

 private:
  using Open = ObjectSources::Open;

  void open(std::size_t at) {
    Open one{
        .place = to_.spans_.size(), .is_list = line_[at] == '[', .key = std::string(std::exchange(key_, {}))};
    ObjectSources::Span span{.begin = at};
    if (!open_.empty()) {
      one.holders = open_.back().holders;
      span.outer = static_cast<std::int32_t>(open_.back().place);
    }
    one.holders += one.key;
    last_ = {};
    to_.spans_.push_back(span);
    open_.push_back(std::move(one));
  }

  void close(std::size_t end) {
    take_string();
    if (open_.empty()) return;
    Open one = std::move(open_.back());
    open_.pop_back();
    // What klog's own strings have is anybody's.
    if (one.has_caller && one.has_message)
      one.name.leave_collectors();
    else
      one.name = both(std::move(one.inner), one.name);
    ObjectSources::Span& span = to_.spans_[one.place];
    span.end = end;
    if (!open_.empty()) {
      Open& outer = open_.back();
      if (!outer.is_list) outer.name.add(one.name);
      if (outer.is_list && !one.pair_key.empty()) outer.name.add(outer.holders, one.pair_key, one.pair_value);
      if (one.key == "value" && outer.pair_value.empty()) outer.pair_value = one.pair_value;
    }
    if (!one.name.empty()) span.name = place_of(one.name);
  }

  // Many records are from few logs, whose names stand in one after the other.
  std::int32_t place_of(const SourceName& name) {
    constexpr std::size_t kLookedAt = 16;
    std::vector<SourceName>& names = to_.names_;
    const std::size_t first = names.size() - std::min(names.size(), kLookedAt);
    const auto from = names.begin() + static_cast<std::ptrdiff_t>(first);
    const auto found = std::find(from, names.end(), name);
    const auto place = static_cast<std::int32_t>(std::distance(names.begin(), found));
    if (found == names.end()) names.push_back(name);
    return place;
  }

  void take_string() {
    const std::string_view key = std::exchange(key_, {});
    const std::string_view value = std::exchange(last_, {});
    if (value.empty() || open_.empty()) return;
    Open& around = open_.back();
    if (value.starts_with(R"({\")") || value.starts_with(R"({")")) {
      around.inner.add(ObjectSources(unescaped(value)).whole());
      return;
    }
    if (around.is_list || key.empty()) return;
    around.has_caller = around.has_caller || key == "caller";
    around.has_message = around.has_message || key == "msg";
    if (key == "key" || key == "field" || key == "name") around.pair_key = value;
    if (key == "value" || key == "stringValue") around.pair_value = value;
    around.name.add(around.holders, key, value);
  }

  ObjectSources& to_;
  std::string_view line_;
  std::vector<Open> open_;
  std::string_view key_;   // the last string behind which a colon stands
  std::string_view last_;  // the last string, which may be a key or a value
};

ObjectSources::ObjectSources(std::string_view line, const ObjectSources* before) {
  ObjectSourcesReader reader(*this, line);
  if (before != nullptr) reader.go_on_in(before->open_);
  reader.read();
}

SourceName ObjectSources::at(std::size_t place) const {
  SourceName out;
  const auto behind = std::ranges::upper_bound(spans_, place, {}, &Span::begin);
  auto one = static_cast<std::int32_t>(std::distance(spans_.begin(), behind)) - 1;
  for (; one != kNone; one = spans_[static_cast<std::size_t>(one)].outer) {
    const Span& span = spans_[static_cast<std::size_t>(one)];
    if (place < span.end && span.name != kNone) out.add(names_[static_cast<std::size_t>(span.name)]);
  }
  return out;
}

SourceName ObjectSources::whole() const {
  return spans_.empty() ? SourceName() : at(spans_.front().begin);
}

}  // namespace flowtap::cli
