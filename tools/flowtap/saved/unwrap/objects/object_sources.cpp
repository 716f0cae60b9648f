#include "object_sources.hpp"

#include <algorithm>
#include <utility>

#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kDeepestSource = 32;
constexpr std::size_t kLongestMember = 64;  // of those that matter
constexpr std::string_view kSigns = "\"{}[],:";

}  // namespace

/// Goes through a line once.
class ObjectSourcesReader {
 public:
  ObjectSourcesReader(ObjectSources& to, std::string_view line) : to_(to), line_(line) {}

  void go_on_in(const std::vector<ObjectSources::Open>& open) {
    open_ = open;
    for (Open& one : open_) one.begin = 0;
  }

  void read() {
    bool whole = true;
    for (std::size_t at = line_.find_first_of(kSigns); at < line_.size();
         at = line_.find_first_of(kSigns, at)) {
      const char sign = line_[at];
      if (sign == '"') {
        const std::size_t end = flow::end_of_quoted(line_, at + 1);
        whole = end != std::string_view::npos;
        if (!whole) break;
        last_ = line_.substr(at + 1, end - at - 2);
        at = end;
        continue;
      }
      if (sign == '{' || sign == '[') open(at);
      if (sign == '}' || sign == ']') close(at + 1);
      if (sign == ':') take_key();
      if (sign == ',') take_string();
      ++at;
    }
    take_string();
    if (whole) to_.open_ = open_;
    deeper_ = 0;
    while (!open_.empty()) close(std::string_view::npos);
  }

 private:
  using Open = ObjectSources::Open;

  void open(std::size_t at) {
    last_ = {};
    if (open_.size() == kDeepestSource) {
      ++deeper_;
      return;
    }
    open_.push_back({.begin = at, .is_list = line_[at] == '[', .key = std::exchange(key_, {})});
  }

  void close(std::size_t end) {
    if (deeper_ > 0) {
      --deeper_;
      return;
    }
    take_string();
    if (open_.empty()) return;
    const Open one = std::move(open_.back());
    open_.pop_back();
    if (!open_.empty() && !one.is_list) add_pair(one);
    if (one.key == CollectorName::kKept && !open_.empty() && !open_.back().is_list)
      return open_.back().name.add(one.name);
    std::string name = one.name.text();
    if (name.empty()) return;
    while (!to_.named_.empty() && to_.named_.back().begin >= one.begin) to_.named_.pop_back();
    to_.named_.push_back({.begin = one.begin, .end = end, .name = std::move(name)});
  }

  void add_pair(const Open& one) {
    if (one.key == "value" && !open_.back().is_list) open_.back().pair_value = one.pair_value;
    if (one.key.empty() && open_.back().is_list && !one.pair_key.empty()) add(one.pair_key, one.pair_value);
  }

  void take_key() {
    key_ = last_.size() <= kLongestMember ? std::string(last_) : std::string();
    last_ = {};
    if (deeper_ == 0 && !open_.empty() && !open_.back().is_list) open_.back().name.note(key_);
  }

  void take_string() {
    const std::string key = std::exchange(key_, {});
    const std::string_view value = std::exchange(last_, {});
    if (value.empty() || key.empty() || deeper_ > 0 || open_.empty() || open_.back().is_list) return;
    if (key == "key" || key == "field") open_.back().pair_key = value.substr(0, kLongestMember);
    if (key == "value" || key == "stringValue") open_.back().pair_value = value;
    add(key, value);
  }

  // To the innermost of those that are open, and to those around it.
  void add(std::string path, std::string_view value) {
    std::size_t i = open_.size() - 1;
    for (std::size_t deep = 0; deep < CollectorName::kDeepest; ++deep, --i) {
      open_[i].name.add(path, value);
      if (i == 0 || open_[i].key.empty() || open_[i - 1].is_list) return;
      path.insert(0, 1, '.').insert(0, open_[i].key);
    }
  }

  ObjectSources& to_;
  std::string_view line_;
  std::vector<Open> open_;
  std::size_t deeper_ = 0;  // brackets that are open within those
  std::string key_;         // the last string behind which a colon stands
  std::string_view last_;   // the last string, which may be a key or a value
};

ObjectSources::ObjectSources(std::string_view line, const ObjectSources* before) {
  ObjectSourcesReader reader(*this, line);
  if (before != nullptr) reader.go_on_in(before->open_);
  reader.read();
}

std::string_view ObjectSources::at(std::size_t place) const {
  const auto behind = std::ranges::upper_bound(named_, place, {}, &Named::begin);
  if (behind == named_.begin()) return {};
  const Named& found = *std::prev(behind);
  return place < found.end ? std::string_view(found.name) : std::string_view();
}

}  // namespace flowtap::cli
