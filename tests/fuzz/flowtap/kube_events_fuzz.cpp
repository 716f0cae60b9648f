// Any bytes as what kubectl prints of events, line by line: each event names a pod that Kubernetes allows, its message stands in
// the line, and both come back from the record that is made of it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/facts/fact_parser.hpp"
#include "stream/lines/flow_key.hpp"
#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/klog/klog_record.hpp"
#include "tests/fuzz/require.hpp"
#include "tools/flowtap/saved/kube_events.hpp"

using namespace flowtap;
using fuzz::require;

namespace {

void check_record(const cli::KubeEvent& event) {
  const std::string text = cli::klog_of(event);
  require(!text.contains('\n'));
  const auto record = flow::parse_klog_record(text);
  require(record && record->structured && record->message == "Event occurred");
  const std::vector<std::string> expected = {"object=" + event.ns + '/' + event.pod,
                                             "kind=Pod",
                                             "apiVersion=v1",
                                             "type=" + event.type,
                                             "reason=" + event.reason,
                                             "message=" + event.message};
  std::vector<std::string> seen;
  flow::KlogPairs pairs(*record);
  for (flow::KlogPair pair; pairs.next(pair);)
    seen.push_back(std::string(pair.key) + '=' + flow::klog_value(pair));
  require(seen == expected);

  diagnosis::FactParser parser;
  const auto facts = parser.parse(*record);
  // Names of flows that are no pod's name no pod there.
  require(!facts.empty() || event.reason != "FailedScheduling" || event.ns == flow::kOtherFlows);
  for (const diagnosis::Fact& fact : facts) require(fact.pod == flow::FlowKey{event.ns, event.pod});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  cli::KubeEvents events;
  std::uint64_t lines = 0;
  std::uint64_t given = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    // The copy has exactly this size, so that a read behind it is seen.
    const std::vector<char> copy(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end));
    const std::string_view line(copy.data(), copy.size());
    text.remove_prefix(std::min(text.size(), end + 1));
    ++lines;
    const auto event = events.read(line);
    if (!event) continue;
    ++given;
    require(flow::is_dns_label(event->ns) && flow::is_dns_subdomain(event->pod));
    require(event->type == "Normal" || event->type == "Warning");
    require(event->reason == "FailedScheduling" || event->reason == "Scheduled");
    require(!event->message.empty() && line.contains(event->message));
    check_record(*event);
  }
  require(events.lines() <= lines && given + events.nameless() <= events.lines());
  require(events.without_namespace() <= given);
  return 0;
}
