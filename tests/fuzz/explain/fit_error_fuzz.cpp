// Any bytes as kube-scheduler's sentence, or Volcano's: what is taken out of it was in it, each reason once.
#include "explain/diagnosis/fit_error.hpp"
#include "tests/fuzz/require.hpp"

#include <cstdint>
#include <string_view>

using namespace flowtap::diagnosis;
using flowtap::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view sentence(reinterpret_cast<const char*>(data), size);
  const auto found = parse_fit_error(sentence);
  if (!found) return 0;
  require((sentence.starts_with("0/") || is_volcanos(sentence)) && sentence.ends_with(found->preemption));
  std::size_t taken = found->preemption.size();
  for (const NodesReason& one : found->reasons) taken += one.reason.size();
  require(taken <= sentence.size());
  return 0;
}
