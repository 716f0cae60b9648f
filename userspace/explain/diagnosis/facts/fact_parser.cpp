#include "explain/diagnosis/facts/fact_parser.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <ranges>
#include <utility>

#include "base/ascii.hpp"
#include "base/trimmed.hpp"
#include "explain/diagnosis/facts/cut_mark.hpp"
#include "explain/diagnosis/facts/text_pattern.hpp"

namespace flowtap::diagnosis {
namespace {

using Form = FactRow::Form;

constexpr std::string_view kPod = "pod";
// It stands in the place of the node where room is made for a pod group: kubernetes 1.36, pkg/scheduler/framework/preemption/executor.go.
constexpr std::string_view kAllOfCluster = "cluster";
constexpr std::string_view kExecutor = "executor.go:";
constexpr std::string_view kSelf = "<self>";
constexpr std::string_view kEvent = "Event occurred";
constexpr std::uint64_t kMostTimes = 1'000'000'000;

// A name, or a quantity: a part of it would be another one.
bool is_name(Field field) {
  return field == Field::kNode || field == Field::kContainer || field == Field::kCard ||
         field == Field::kUid || field == Field::kVendor || field == Field::kAvailable ||
         field == Field::kRequested || field == Field::kResource;
}

// What a scheduler says of a pod or a node, of which a part says something, too.
bool is_text(Field field) {
  return field == Field::kSummary || field == Field::kReason;
}

// Nothing if the text cannot be the field's.
std::string_view fitting(Field field, std::string_view text) {
  if (!is_name(field)) return text;
  const bool whole =
      text.size() <= kLongestName && without_cut_mark(text).size() == text.size() && !has_gap(text);
  return whole ? text : std::string_view();
}

// The beginning of a block. A value that is nothing else has lost its lines, or their newlines are other characters now. Go's own
// values have a letter there: "<nil>".
constexpr std::string_view kOpensBlock = "<";

bool has_lost_lines(const flow::KlogPair& pair) {
  if (pair.kind != flow::KlogPair::Kind::kUnquoted || !pair.value.starts_with(kOpensBlock)) return false;
  return pair.value.size() == kOpensBlock.size() || !is_alphanumeric(pair.value[kOpensBlock.size()]);
}

// The block that is open at the end of a whole record, with the lines that it has; nothing if there is none.
std::optional<flow::KlogPair> open_block(std::string_view rest) {
  const std::size_t equals = rest.starts_with(' ') ? rest.find('=') : std::string_view::npos;
  if (equals == std::string_view::npos) return std::nullopt;
  std::string_view value = rest.substr(equals + 1);
  if (!value.starts_with(kOpensBlock)) return std::nullopt;
  value.remove_prefix(std::min(kOpensBlock.size() + 1, value.size()));
  return flow::KlogPair{
      .key = rest.substr(1, equals - 1), .kind = flow::KlogPair::Kind::kBlock, .value = value};
}

// The key that the record has begun where it ends, if it was cut there: ` rea`, ` reason=`, `,"rea`.
std::string_view begun_key(std::string_view rest) {
  rest.remove_prefix(std::min(rest.find_first_not_of(" ,\""), rest.size()));
  const auto length =
      static_cast<std::size_t>(std::ranges::find_if_not(rest, is_alphanumeric) - rest.begin());
  const bool ends = rest.find_first_not_of("\"=: \n", length) == std::string_view::npos;
  return rest.substr(0, ends ? length : 0);
}

// klog ends a block with a newline whether the value had one or not, and a sentence needs none.
std::string_view text_of(const flow::KlogPair& pair, std::string& buffer) {
  std::string_view text = flow::klog_text(pair, buffer);
  if (pair.kind == flow::KlogPair::Kind::kBlock && text.ends_with('\n')) text.remove_suffix(1);
  return has_lost_lines(pair) ? std::string_view() : text;
}

// The pod that a free text names as "ns/name"; both empty: that is no pod's name.
flow::FlowKey pod_in(std::string_view text) {
  text = whole_name(text);
  const std::size_t slash = std::min(text.find('/'), text.size());
  const flow::FlowKey pod{.ns = text.substr(0, slash), .name = text.substr(std::min(slash + 1, text.size()))};
  return flow::is_dns_label(pod.ns) && flow::is_dns_subdomain(pod.name) ? pod : flow::FlowKey{};
}

}  // namespace

void FactParser::read_pairs(const flow::KlogRecord& record) {
  pairs_.clear();
  ends_in_block_ = false;
  begun_key_ = {};
  if (!record.structured) return;
  flow::KlogPairs walk(record);
  for (flow::KlogPair pair; walk.next(pair);) {
    pairs_.push_back(pair);
    if (pair.may_be_more(record.form)) break;
  }
  if (!pairs_.empty() && pairs_.back().value.empty() && trimmed(record.body, " \n").ends_with('=')) {
    begun_key_ = pairs_.back().key;
    pairs_.pop_back();
  } else if (!walk.cut()) {
    begun_key_ = begun_key(record.body.substr(walk.at()));
  }
  const auto block = walk.cut() ? open_block(record.body.substr(walk.at())) : std::nullopt;
  if (!block) return;
  pairs_.push_back(*block);
  ends_in_block_ = true;
}

bool FactParser::is_cut(const flow::KlogPair& pair) const {
  return pair.kind == flow::KlogPair::Kind::kCut || has_lost_lines(pair) ||
         (ends_in_block_ && &pair == &pairs_.back());
}

// As in klog, the last one counts if a key occurs twice.
const flow::KlogPair* FactParser::pair_of(std::string_view key) const {
  for (const flow::KlogPair& pair : std::views::reverse(pairs_))
    if (pair.key == key) return &pair;
  return nullptr;
}

// An object is taken by its name: {"name":"node-1"} in JSON, "node-1" in text.
std::string_view FactParser::value_of(std::string_view key, Field field) {
  const flow::KlogPair* pair = pair_of(key);
  if (pair == nullptr) {
    const bool is_begun = !begun_key_.empty() && key.starts_with(begun_key_) && is_text(field);
    return is_begun ? marked(field, {}, true) : std::string_view();
  }
  std::string& own = unescaped_[static_cast<std::size_t>(field)];
  if (field == Field::kNode || field == Field::kPod) {
    const auto object = flow::klog_object(*pair);
    if (!object) return {};
    if (field == Field::kNode) return object->name;
    own.assign(object->ns).append(object->ns.empty() ? "" : "/").append(object->name);
    return own;
  }
  return marked(field, text_of(*pair, own), is_cut(*pair));
}

// A text that was cut says so. What stands behind a gap is not known to be of the same reason, and is left out.
std::string_view FactParser::marked(Field field, std::string_view text, bool cut) {
  const std::string_view before = before_gap(text, gap_);
  cut = cut || before.size() < text.size();
  text = before;
  if (!cut && (field != Field::kSummary || !is_cut_sentence(text))) return text;
  std::string& own = unescaped_[static_cast<std::size_t>(field)];
  own = std::string(without_cut_mark(text)).append(kCutOff);
  return own;
}

// The row's pattern, with the pod's own name in it as the text has it; nothing if it asks for the name, and the text does not match
// with it. A text with another namespace is about another pod.
std::optional<std::string_view> FactParser::pattern_of(const FactRow& row, std::string_view text) {
  if (!row.pattern.contains(kSelf)) return row.pattern;
  const std::string_view name = named_.pod.name.empty() ? named_.name : named_.pod.name;
  if (name.empty()) return std::nullopt;
  for (const std::string_view ns : {std::string_view(), named_.pod.ns}) {
    pattern_.clear();
    std::string_view rest = row.pattern;
    for (std::size_t at = 0; (at = rest.find(kSelf)) != std::string_view::npos;) {
      pattern_.append(rest.substr(0, at)).append(ns).append(ns.empty() ? "" : "/").append(name);
      rest.remove_prefix(at + kSelf.size());
    }
    pattern_.append(rest);
    if (matches(pattern_, text, [](std::string_view, std::string_view) {})) return pattern_;
  }
  return std::nullopt;
}

bool FactParser::read_row(const FactRow& row, std::string_view text) {
  if (!row.with.empty()) {
    const flow::KlogPair* pair = pair_of(row.with);
    if (pair == nullptr || (!row.value.empty() && pair->value != row.value)) return false;
  }
  if (!row.without.empty() && pair_of(row.without) != nullptr) return false;
  if (row.kind == FactKind::kCardFails)
    if (const flow::KlogPair* cards = pair_of("device"); cards != nullptr && cards->value.starts_with('['))
      return false;                                        // a list of all of the node's
  if (row.kind == FactKind::kRoomFails) read_preemptor();  // the pod is the one that should have made room
  // It is made in its place, and taken back if the record does not match.
  if (read_fact(facts_.emplace_back(named_), row, text)) return true;
  facts_.pop_back();
  return false;
}

bool FactParser::read_fact(Fact& fact, const FactRow& row, std::string_view text) {
  fact.kind = row.kind;
  fact.scheduler = row.scheduler;
  fact.weight = row.weight;
  if (!row.pattern.empty()) {
    bool cut = false;
    if (!row.apart.empty()) {
      const flow::KlogPair* pair = pair_of(row.apart);
      if (pair == nullptr) return false;
      text = text_of(*pair, apart_);
      cut = is_cut(*pair);
    }
    const auto pattern = pattern_of(row, text);
    if (!pattern) return false;
    bool named = true;
    const auto take = [&](std::string_view name, std::string_view taken) {
      if (name == "pod") {
        fact.pod = pod_in(taken);
        named = !fact.pod.name.empty();
      }
      const Field* field = field_named(name);
      if (field == nullptr) return;
      if (*field == Field::kContainer) taken = whole_name(taken);
      fact.at(*field) = fitting(*field, marked(*field, taken, cut && taken.end() == text.end()));
    };
    if (!matches(*pattern, text, take) || !named) return false;
  }
  for (const FactRow::Key& key : row.keys)
    if (!key.key.empty()) fact.at(key.field) = fitting(key.field, value_of(key.key, key.field));
  if (!named_.group.empty() && of_cluster_) fact.at(Field::kNode) = {};
  std::string_view& said = fact.at(row.kind >= FactKind::kFilterPassed ? Field::kSummary
                                   : row.kind == FactKind::kCellFails  ? Field::kAvailable
                                                                       : Field::kReason);
  if (said.empty()) said = row.says;
  return true;
}

// "ns/name"; empty: there is none.
std::string FactParser::group_of() const {
  const flow::KlogPair* pair = pair_of("podGroup");
  const auto object = pair == nullptr ? std::nullopt : flow::klog_object(*pair);
  std::string name;
  if (object) flow::FlowKey{.ns = object->ns, .name = object->name}.put(name);
  return name.size() <= 2 * kLongestName ? name : std::string();
}

// Koordinator makes room for a pod's whole gang, or for several: `preemptor` has their names, and `triggerPod` is the pod.
bool FactParser::read_trigger() {
  const flow::KlogPair* pod = pair_of("triggerPod");
  const auto object = pod == nullptr ? std::nullopt : flow::klog_object(*pod);
  if (!object || !flow::is_dns_label(object->ns) || !flow::is_dns_subdomain(object->name)) return false;
  named_.pod = {.ns = object->ns, .name = object->name};
  std::string name;
  named_.pod.put(name);
  const flow::KlogPair* pair = pair_of("preemptor");
  const std::string_view groups = pair == nullptr ? std::string_view() : text_of(*pair, apart_);
  if (groups.empty() || groups == name || groups.size() > 2 * kLongestName) return true;
  group_ = std::string("podgroup ").append(groups);
  named_.group = group_;
  return true;
}

// From 1.36 on room may be made for a pod group, too, and `preemptorType` may tell which it is. Most messages about room lack it:
// what they are logged with, or an earlier message, names the group. False: there is no preemptor.
bool FactParser::read_preemptor() {
  if (read_trigger()) return true;
  const flow::KlogPair* pair = pair_of("preemptor");
  const auto object = pair == nullptr ? std::nullopt : flow::klog_object(*pair);
  if (!object || !flow::is_dns_label(object->ns) || !flow::is_dns_subdomain(object->name)) return false;
  const flow::FlowKey key{.ns = object->ns, .name = object->name};
  std::string name;
  key.put(name);
  const flow::KlogPair* const type = pair_of("preemptorType");
  if (group_of() == name || (of_cluster_ && type == nullptr)) groups_.note_group(name);
  const std::string_view kind = type != nullptr     ? type->value
                                : groups_.has(name) ? std::string_view("podgroup")
                                                    : kPod;
  if (kind == kPod) {
    named_.pod = key;
    return true;
  }
  group_ = std::string(fitting(Field::kResource, kind)).append(1, ' ').append(name);
  named_.group = group_;
  return true;
}

// False: the record is about something else than a pod, or about a pod whose name Kubernetes does not allow.
bool FactParser::read_name(const flow::KlogRecord& record) {
  named_ = {};
  named_.time = flow::klog_time(record);
  const flow::KlogPair* const node = pair_of("node");
  of_cluster_ = node != nullptr && node->value == kAllOfCluster && record.source.contains(kExecutor);
  if (const auto found = flow_keys_.find(record); found.key) {
    named_.pod = *found.key;
    const bool is_pod = found.key->ns != flow::kOtherFlows;
    if (is_pod) groups_.note_pod(*found.key);
    return is_pod;
  }
  if (read_preemptor()) return true;
  for (const char* key : {"pod", "podName", "object", "logID"}) {
    const flow::KlogPair* pair = pair_of(key);
    if (pair == nullptr) continue;
    const auto object = flow::klog_object(*pair);
    const bool is_pod = std::string_view(key).starts_with("pod");  // other keys may name anything
    if (!object || !is_pod || !object->ns.empty() || !flow::is_dns_subdomain(object->name)) return false;
    named_.name = object->name;
    return true;
  }
  return true;
}

// An event that was said several times may have a count.
void FactParser::read_times(const flow::KlogRecord& record) {
  if (record.message != kEvent) return;
  const flow::KlogPair* count = pair_of("count");
  if (count == nullptr) return;
  const auto [end, error] =
      std::from_chars(count->value.data(), count->value.data() + count->value.size(), named_.times);
  if (error != std::errc{} || named_.times == 0) named_.times = 1;
  named_.times = std::min(named_.times, kMostTimes);
}

std::span<Fact> FactParser::parse(const flow::KlogRecord& record, std::string_view whole) {
  facts_.clear();
  if (record.structured && GroupNames::are_named_by(record.message)) {
    read_pairs(record);
    if (const std::string group = group_of(); !group.empty()) groups_.note_group(group);
  }
  const Form form = record.structured ? Form::kMessage : Form::kText;
  bool ready = false;
  for (const FactRow& row : schedulers_->rows_of(form, record.message)) {
    if (form == Form::kText && !record.message.starts_with(row.message)) continue;
    if (!std::exchange(ready, true)) {
      read_pairs(record);
      if (!read_name(record)) break;
      gap_ = gap_in(whole);
      read_times(record);
    }
    if (read_row(row, record.message) && row.ends) break;
  }
  return facts_;
}

}  // namespace flowtap::diagnosis
