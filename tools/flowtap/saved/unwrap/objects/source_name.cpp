#include "source_name.hpp"

#include <algorithm>

#include "base/ascii.hpp"

namespace flowtap::cli {
namespace {

// Of a path, which is the longest of them.
constexpr std::size_t kLongestSource = 512;

/// How a collector calls a part: letters and digits alone, without capitals.
struct CalledPart {
  std::string_view called;
  SourceName::Part part;
  bool alone = false;       ///< this is all of the key; else the key, with what it stands in, ends so
  bool collectors = false;  ///< klog has no such key
};
using SourcePart = SourceName::Part;
constexpr std::array kCalledParts = {
    // of Fluent Bit, Fluentd, Vector, Filebeat, OpenTelemetry, Google Cloud
    CalledPart{"kubernetespodname", SourcePart::kPod, false, true},
    CalledPart{"kubernetescontainername", SourcePart::kContainer, false, true},
    CalledPart{"kubernetesnamespacename", SourcePart::kNamespace, false, true},
    CalledPart{"kubernetespodnamespace", SourcePart::kNamespace, false, true},
    CalledPart{"kubernetesnamespace", SourcePart::kNamespace, false, true},
    CalledPart{"kuberneteshost", SourcePart::kHost, false, true},
    CalledPart{"kubernetesnodename", SourcePart::kHost, false, true},
    CalledPart{"k8spodname", SourcePart::kPod, false, true},
    CalledPart{"k8scontainername", SourcePart::kContainer, false, true},
    CalledPart{"k8snamespacename", SourcePart::kNamespace, false, true},
    CalledPart{"k8snodename", SourcePart::kHost, false, true},
    CalledPart{"resourcelabelspodname", SourcePart::kPod, false, true},
    CalledPart{"resourcelabelscontainername", SourcePart::kContainer, false, true},
    CalledPart{"resourcelabelsnamespacename", SourcePart::kNamespace, false, true},
    // of CloudWatch
    CalledPart{"logstreamname", SourcePart::kStream, true, true},
    CalledPart{"logstream", SourcePart::kStream, true, true},
    // of journald and syslog
    CalledPart{"syslogidentifier", SourcePart::kContainer, true, true},
    CalledPart{"systemdunit", SourcePart::kContainer, true, true},
    // of stern, Azure, and Loki's and Splunk's labels
    CalledPart{"podname", SourcePart::kPod, false},
    CalledPart{"pod", SourcePart::kPod, true},
    CalledPart{"containername", SourcePart::kContainer, false},
    CalledPart{"container", SourcePart::kContainer, true},
    CalledPart{"namespacename", SourcePart::kNamespace, false},
    CalledPart{"podnamespace", SourcePart::kNamespace, true},
    CalledPart{"namespace", SourcePart::kNamespace, true},
    CalledPart{"nodename", SourcePart::kHost, false},
    CalledPart{"hostname", SourcePart::kHost, false},
    CalledPart{"node", SourcePart::kHost, true},
    CalledPart{"host", SourcePart::kHost, true},
    CalledPart{"computer", SourcePart::kHost, true},
    CalledPart{"instance", SourcePart::kHost, true},
    CalledPart{"filename", SourcePart::kFile, false},
    CalledPart{"filepath", SourcePart::kFile, false},
    CalledPart{"file", SourcePart::kFile, true},
    CalledPart{"source", SourcePart::kFile, true},
};

void add_plain(std::string_view name, std::string& out) {
  for (const char c : name)
    if (is_alphanumeric(c)) out += to_lower(c);
}

// A sentence is none, and what the program calls a file is one of its source.
bool may_be_source(SourcePart part, std::string_view value) {
  const auto is_of_word = [](char c) { return static_cast<unsigned char>(c) > ' '; };
  return !value.empty() && value.size() <= kLongestSource && std::ranges::all_of(value, is_of_word) &&
         (part != SourcePart::kFile || value.starts_with('/'));
}

}  // namespace

void SourceName::add(std::string_view holders, std::string_view key, std::string_view value) {
  std::string own;
  add_plain(key, own);
  std::string whole;
  add_plain(holders, whole);
  whole += own;
  const auto is_called = [&](const CalledPart& row) {
    return row.alone ? own == row.called : whole.ends_with(row.called);
  };
  const auto* const found = std::ranges::find_if(kCalledParts, is_called);
  if (found == kCalledParts.end() || !may_be_source(found->part, value)) return;
  Said& said = said_.at(static_cast<std::size_t>(found->part));
  if (!said.value.empty() && (said.by_collector || !found->collectors)) return;
  said = {.value = std::string(value), .by_collector = found->collectors};
}

void SourceName::add(const SourceName& other) {
  for (std::size_t i = 0; i < kParts; ++i)
    if (said_.at(i).value.empty()) said_.at(i) = other.said_.at(i);
}

void SourceName::leave_collectors() {
  for (Said& said : said_)
    if (!said.by_collector) said = {};
}

bool SourceName::empty() const {
  return std::ranges::all_of(said_, [](const Said& said) { return said.value.empty(); });
}

std::string SourceName::text() const {
  const bool of_pod = !value_of(Part::kPod).empty();
  const bool of_others = !value_of(Part::kStream).empty() || !value_of(Part::kContainer).empty();
  std::string out;
  const auto put = [&](Part part) {
    if (!value_of(part).empty()) out.append(out.empty() ? "" : "/").append(value_of(part));
  };
  if (of_pod) {
    for (const Part part : {Part::kNamespace, Part::kPod, Part::kContainer}) put(part);
    return out;
  }
  for (const Part part : {Part::kHost, Part::kStream, Part::kContainer}) put(part);
  if (!of_others) put(Part::kFile);
  return out;
}

}  // namespace flowtap::cli
