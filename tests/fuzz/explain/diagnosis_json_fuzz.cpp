// Any bytes as a diagnosis in JSON: what is read can be written, and is then read back as the same. Its nodes are counted.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/failed_nodes.hpp"

using namespace flowtap::diagnosis;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = diagnosis_from_json({reinterpret_cast<const char*>(data), size});
  if (!read) return 0;
  const auto again = diagnosis_from_json(to_json(*read, true));
  if (!again || to_json(*again, true) != to_json(*read, true)) std::abort();
  const FailedNodes failed = failed_nodes(*read);
  if (failed.unnamed.size() > read->reasons.size()) std::abort();
  if (failed.by_reason.size() > read->nodes.size() + read->reasons.size() + 1) std::abort();
  return 0;
}
