#include "identity/flow_labels.hpp"

#include <array>
#include <boost/json.hpp>

#include "base/printable.hpp"

namespace flowtap {
namespace {

namespace json = boost::json;

struct Text {
  std::string_view name;
  std::optional<std::string> FlowLabels::* member;
};
constexpr std::array kTexts = {
    Text{"namespace", &FlowLabels::ns},      Text{"pod", &FlowLabels::pod},
    Text{"uid", &FlowLabels::uid},           Text{"container", &FlowLabels::container},
    Text{"image", &FlowLabels::image},       Text{"runtime", &FlowLabels::runtime},
    Text{"log_path", &FlowLabels::log_path},
};
struct Number {
  std::string_view name;
  std::optional<std::uint64_t> FlowLabels::* member;
};
constexpr std::array kNumbers = {
    Number{"restart", &FlowLabels::restart},
    Number{"cgroup", &FlowLabels::cgroup},
    Number{"started", &FlowLabels::started},
};

json::string_view view(std::string_view text) {
  return {text.data(), text.size()};
}

}  // namespace

unsigned FlowLabels::count() const {
  unsigned there = restart ? 1 : 0;
  for (const Text& text : kTexts) there += (this->*text.member) ? 1 : 0;
  return there;
}

FlowLabels labels_of(const identity::ContainerIdentity& c) {
  FlowLabels labels{.ns = c.ns,
                    .pod = c.pod,
                    .uid = c.pod_uid,
                    .container = c.container_name,
                    .image = c.image,
                    .runtime = {},
                    .restart = {},
                    .log_path = c.log_path};
  if (c.runtime && !identity::runtime_name(*c.runtime).empty())
    labels.runtime = identity::runtime_name(*c.runtime);
  if (c.restart) labels.restart = *c.restart;
  return labels;
}

identity::RunBegin run_begin(const FlowLabels& labels) {
  return {.cgroup = labels.cgroup.value_or(0), .started = labels.started.value_or(0)};
}

std::string render_labels(const FlowLabels& labels) {
  json::object object;
  for (const Text& text : kTexts)
    if (const auto& value = labels.*text.member) object[view(text.name)] = printable(*value);
  for (const Number& number : kNumbers)
    if (const auto& value = labels.*number.member) object[view(number.name)] = *value;
  return json::serialize(object);
}

FlowLabels parse_labels(std::string_view text) {
  json::error_code error;
  const json::value value = json::parse(view(text), error);
  FlowLabels labels;
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) return labels;
  for (const Text& t : kTexts)
    if (const auto* member = object->if_contains(view(t.name)); member != nullptr && member->is_string())
      labels.*t.member = std::string(member->get_string());
  for (const Number& number : kNumbers)
    if (const auto* member = object->if_contains(view(number.name));
        member != nullptr && member->is_number()) {
      const auto n = member->to_number<std::uint64_t>(error);
      if (!error) labels.*number.member = n;
    }
  return labels;
}

}  // namespace flowtap
