// Any bytes as a scheduler's log: its answers are JSON in UTF-8, as wide as promised, and the same whatever size the writes have,
// which the first byte gives.
#include <boost/json.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "tests/fuzz/require.hpp"
#include "tests/unit/explain/diagnosis/kit.hpp"

using namespace flowtap::diagnosis;
using flowtap::fuzz::require;

namespace {

std::string answers(std::string_view log, std::size_t write) {
  DiagnosisStore store;
  test::read(store, log, write);
  require(store.size() <= DiagnosisStore::kMostPods);
  std::string out;
  std::size_t least = 0;
  store.each([&](const std::string& pod, const Diagnosis& diagnosis) {
    const std::string json = to_json(diagnosis, true);
    boost::json::error_code error;
    require(boost::json::parse(json, error).is_object() && !error);
    out.append(pod).append(1, ' ').append(json).append(1, '\n');
    for (const NodeVerdict& node : diagnosis.nodes) {
      require(node.verdict != Verdict::kNone && node.containers.size() <= Attempt::kMostContainers);
      for (const ContainerVerdict& container : node.containers)
        require(container.cells.size() <= Attempt::kMostCellResources);
      least += node.name.size() + node.reason.size();
    }
  });
  require(store.bytes() >= least);
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view log(reinterpret_cast<const char*>(data) + 1, size - 1);
  require(answers(log, log.size()) == answers(log, 1U + data[0]));
  return 0;
}
