#include "kube_events.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>

#include "base/ascii.hpp"
#include "base/printable.hpp"
#include "base/trimmed.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/failed_nodes.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "klog_stamp.hpp"
#include "kube_columns.hpp"
#include "kube_margin.hpp"
#include "reporters.hpp"
#include "stream/lines/flow_key.hpp"
#include "tools/flowtap/pod_name.hpp"

namespace flowtap::cli {
namespace {

// A message of Kubernetes has about 1 KiB at most.
constexpr std::size_t kLongestEvent = std::size_t{64} << 10U;
// client-go writes this before the message of events that are too many.
constexpr std::string_view kCombined = "(combined from similar events): ";
// kube-batch and the first Volcano give the event the condition's reason.
constexpr std::string_view kUnschedulable = "Unschedulable";
constexpr std::string_view kPreempted = "Preempted";
// Where an autoscaler says of a pod whether it makes a node for it.
constexpr std::array<std::string_view, 3> kAutoscalers = {"NotTriggerScaleUp", "TriggeredScaleUp",
                                                          "Nominated"};

// HAMi's extender says so of a phase of its own.
constexpr std::string_view kFilteringFailed = "FilteringFailed";
constexpr std::array<std::string_view, 4> kPhases = {"FilteringSucceed", kFilteringFailed, "BindingSucceed",
                                                     "BindingFailed"};

bool is_event(std::string_view type, std::string_view reason) {
  return (type == "Normal" || type == "Warning") && !reason.empty() && is_upper(reason.front()) &&
         std::ranges::all_of(reason, is_alphanumeric);
}

// No sentence of kube-scheduler's has two blanks behind a full stop or a node's name, and a table has them between its columns.
std::string_view message_alone(std::string_view reason, std::string_view message) {
  const auto two_blanks = [message](std::size_t from) {
    return std::min({message.find("  ", from), message.find('\t', from), message.size()});
  };
  if (reason == kScheduled) return pod_in(message) ? message.substr(0, two_blanks(0)) : message;
  if (reason != kFailedScheduling || message.ends_with('.') || !diagnosis::parse_fit_error(message))
    return message;
  const std::size_t stop = std::min(message.rfind(".  "), message.rfind(".\t"));
  return message.substr(0, stop == std::string_view::npos ? stop : stop + 1);
}

// A screen may end amid a message. No node has a name that ends with a hyphen.
std::string marked_if_cut(std::string_view reason, std::string_view message) {
  bool cut = false;
  if (reason == kScheduled) cut = message.ends_with('-') && pod_in(message).has_value();
  if (reason == kFailedScheduling) cut = diagnosis::ending_of(message) > diagnosis::Ending::kBare;
  if (reason == kFilteringFailed) cut = diagnosis::breaks_off_hamis(message);
  return std::string(message).append(cut ? diagnosis::kCutOff : "");
}

// strconv.Quote writes some control characters with letters, which are read as the same.
std::string go_quoted(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) {
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return in_quotes(escaped, escaped.size());
}

}  // namespace

// These count only where they begin a line: a pod's volumes have names, too. If all is indented, the two stand below each other.
bool KubeEvents::read_description(std::string_view line) {
  constexpr std::string_view kName = "Name:";
  constexpr std::string_view kNamespace = "Namespace:";
  const std::size_t indent = std::min(line.find_first_not_of(' '), line.size());
  const Description before = std::exchange(indented_, {});
  const bool may_begin = !is_in_description() || indent == description_.indent;
  line.remove_prefix(indent);
  if (line.starts_with(kName) && (indent == 0 || may_begin)) {
    const std::string_view pod = trimmed(line.substr(kName.size()), KubeColumns::kSpace);
    Description& named = indent == 0 ? description_ : indented_;
    if (indent == 0) layout_ = Layout::kUnknown;
    named = {};
    named.indent = indent;
    namespaces_.begin_table();
    if (flow::is_dns_subdomain(pod)) named.pod = pod;
    return true;
  }
  if (!line.starts_with(kNamespace)) return false;
  if (indent > 0 && (before.pod.empty() || before.indent != indent)) return false;
  if (indent > 0) {
    layout_ = Layout::kUnknown;
    description_ = before;
  }
  const std::string_view ns = trimmed(line.substr(kNamespace.size()), KubeColumns::kSpace);
  description_.ns.clear();
  if (flow::is_dns_label(ns)) description_.ns = ns;
  return true;
}

bool KubeEvents::read_heading(std::string_view line) {
  KubeColumns columns(line);
  if (columns.begins_with({"Type", "Reason", "Age", "From", "Message"})) {
    // A pod has one table, so a second one is of a description without its beginning.
    if (description_.has_events) description_ = {};
    description_.has_events = true;
    namespaces_.begin_table();
    return true;
  }
  if (columns.begins_with({"----", "------", "----", "----", "-------"})) return true;
  if (columns.begins_with({"NAMESPACE"})) columns.word();
  if (!columns.begins_with({"LAST", "SEEN", "TYPE", "REASON", "OBJECT"})) return false;
  for (int i = 0; i < 5; ++i) columns.word();
  layout_ = layout_of(columns);
  description_ = {};
  namespaces_.begin_table();
  return true;
}

// Other tools print kubectl's columns in another order, or have further ones.
KubeEvents::Layout KubeEvents::layout_of(KubeColumns behind_object) {
  constexpr std::array<std::pair<std::string_view, KubeColumn>, 3> kColumns = {
      {{"SUBOBJECT", KubeColumn::kSubobject},
       {"SOURCE", KubeColumn::kSource},
       {"COUNT", KubeColumn::kCount}}};
  listed_.clear();
  behind_ = {};
  while (true) {
    const std::string_view name = behind_object.word();
    if (name == "MESSAGE") break;
    const auto* const known =
        std::ranges::find(kColumns, name, &std::pair<std::string_view, KubeColumn>::first);
    if (known == kColumns.end() || listed_.size() == kColumns.size()) return Layout::kWide;
    listed_.push_back(known->second);
  }
  if (behind_object.begins_with({"FIRST", "SEEN", "COUNT", "NAME"})) return Layout::kWide;
  behind_ = behind_object.behind();
  return listed_.empty() && behind_.count == 0 ? Layout::kNarrow : Layout::kListed;
}

std::optional<KubeEvents::Row> KubeEvents::described_row(std::string_view line) const {
  KubeColumns columns(line);
  Row row;
  row.type = columns.word();
  row.reason = columns.word();
  if (!is_event(row.type, row.reason) || !columns.take_age()) return std::nullopt;
  row.age = columns.age();
  row.count = columns.count();
  row.from = columns.take_source();
  row.ns = description_.ns;
  row.pod = description_.pod;
  row.kind = kPodKind;
  row.message = columns.rest();
  return row;
}

std::optional<KubeEvents::Row> KubeEvents::table_row(std::string_view line, bool has_namespace) const {
  KubeColumns columns(line);
  Row row;
  if (has_namespace) row.ns = columns.word();
  if (has_namespace && !flow::is_dns_label(row.ns)) return std::nullopt;
  if (!columns.take_age()) return std::nullopt;
  row.age = columns.age();
  row.type = columns.word();
  row.reason = columns.word();
  const auto object = pod_name(columns.word());  // the object's kind stands where a pod has its namespace
  if (!is_event(row.type, row.reason) || !object) return std::nullopt;
  row.kind = object->ns;
  row.pod = object->name;
  // Without a heading, only the event's name tells a wide table: it begins with the pod's.
  const bool wide = layout_ == Layout::kWide;
  if (layout_ == Layout::kListed) {
    for (const KubeColumn column : listed_)
      if (const std::string_view word = columns.take(column); column == KubeColumn::kSource) row.from = word;
    columns.take_behind(behind_);
  } else if (layout_ != Layout::kNarrow && (columns.take_end(wide ? std::string_view() : row.pod) || wide)) {
    columns.take_subobject();
    row.from = columns.take_source();
  }
  row.count = columns.count();
  row.message = columns.rest();
  if (layout_ != Layout::kNarrow) row.message = message_alone(row.reason, row.message);
  return row;
}

std::optional<KubeEvents::Row> KubeEvents::read_row(std::string_view line) const {
  // Whoever made the pod may have written what looks like a row into an annotation.
  if (is_in_description() && !description_.has_events) return std::nullopt;
  auto row = described_row(line);
  if (is_in_description()) return row;
  // A namespace may look like an age, but then no type follows it.
  if (!row) row = table_row(line, false);
  if (!row) row = table_row(line, true);
  return row;
}

// grep has the names of several files before their lines.
void KubeEvents::note_margin(std::string_view margin) {
  margin = trimmed(margin, " \t:-");
  margin = margin.substr(0, margin.find_last_not_of("0123456789") + 1);
  if (margin == place_) return;
  place_ = margin;
  namespaces_.begin_table();
}

std::optional<KubeEvent> KubeEvents::judge(KubeEvent event) {
  if (event.message.empty()) return std::nullopt;
  if (event.reason == kUnschedulable && diagnosis::is_volcanos(event.message))
    event.reason = kFailedScheduling;
  if (std::ranges::find(kAutoscalers, event.reason) != kAutoscalers.end() &&
      !reporter_beside(event.from, event.message).empty())
    event.reason = kFailedScheduling;
  event.of_phase = std::ranges::find(kPhases, event.reason) != kPhases.end();
  if (event.reason != kFailedScheduling && event.reason != kScheduled && event.reason != kPreempted &&
      !event.of_phase)
    return std::nullopt;
  if (event.message.starts_with(kCombined)) event.message.erase(0, kCombined.size());
  if (event.reason == kScheduled || event.reason == kFailedScheduling)
    if (const auto named = pod_in(event.message)) {
      const bool other_pod = !event.pod.empty() && event.pod != named->name;
      const bool other_ns = !event.ns.empty() && event.ns != named->ns;
      if (other_pod || other_ns) return std::nullopt;  // no scheduler writes that
      event.ns = named->ns;
      event.pod = named->name;
    }
  if (event.reason == kFailedScheduling) event.beside = reporter_beside(event.from, event.message);
  if (event.pod.empty()) {
    ++nameless_;
    return std::nullopt;
  }
  if (event.ns.empty() && event.reason == kFailedScheduling)
    event.ns = namespace_in(event.message, event.pod);
  if (event.ns.empty()) {
    ++without_namespace_;
    event.ns = "default";
  } else {
    event.table = 0;
  }
  return event;
}

void KubeEvents::settle(KubeEvent& event) {
  const std::string_view ns = namespaces_.of(std::exchange(event.table, 0));
  if (ns.empty()) return;
  event.ns = ns;
  --without_namespace_;
}

void KubeEvents::begin_file() {
  namespaces_.begin_table();
  has_begun_ = false;
}

std::optional<KubeEvent> KubeEvents::read(std::string_view line) {
  if (line.size() > kLongestEvent) return std::nullopt;
  const std::string blank = with_blanks(line);
  line = blank;
  const std::string_view bare = without_margin(line);
  // Whoever made the pod may have written such lines into an annotation.
  if (!is_in_description()) margin_ = bare.size() < line.size();
  note_margin(line.substr(0, margin_ ? static_cast<std::size_t>(bare.begin() - line.begin()) : 0));
  if (margin_) line = bare;
  // In what kubectl has printed, tenants' messages may have what looks like a prompt.
  if (!has_begun_) line = without_prompt(line);
  line.remove_prefix(std::min(line.find_first_not_of('\r'), line.size()));
  line = without_fence(line);
  if (read_description(line)) {
    has_begun_ = true;
    return std::nullopt;
  }
  if (read_heading(line)) {
    has_begun_ = true;
    ++lines_;
    return std::nullopt;
  }
  const auto row = read_row(line);
  if (!row) {
    namespaces_.begin_table();
    return std::nullopt;
  }
  has_begun_ = true;
  ++lines_;
  if (!row->ns.empty())
    namespaces_.begin_table();
  else if (const std::string_view ns = namespace_told({row->kind, row->pod, row->reason, row->message});
           !ns.empty())
    namespaces_.note(ns);
  if (!is_pod(row->kind) || !(row->pod.empty() || flow::is_dns_subdomain(row->pod))) return std::nullopt;
  return judge({.ns = std::string(row->ns),
                .pod = std::string(row->pod),
                .type = std::string(row->type),
                .reason = std::string(row->reason),
                .message = marked_if_cut(row->reason, row->message),
                .from = std::string(row->from),
                .age = row->age,
                .count = row->count,
                .table = row->ns.empty() ? namespaces_.table() : 0});
}

std::string klog_of(const KubeEvent& event) {
  std::string out = 'I' + klog_stamp(event.time) + R"(       1 event.go:1] "Event occurred")";
  const auto add = [&out](std::string_view key, std::string_view value) {
    out.append(1, ' ').append(key).append(1, '=').append(go_quoted(value));
  };
  add("object", event.ns + '/' + event.pod);
  add("kind", "Pod");
  add("apiVersion", "v1");
  add("type", event.type);
  add("reason", event.reason);
  add("message", event.message);
  if (event.count > 1) add("count", std::to_string(event.count));
  if (!event.beside.empty()) add("beside", event.beside);
  return out;
}

}  // namespace flowtap::cli
