// Any bytes as a unit's file: what a drop-in sets counts, and what is set anew there does not count from before.
#include <csignal>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "telemetry/unit_success.hpp"
#include "tests/fuzz/require.hpp"

namespace {

flowtap::UnitRule rule_of(std::initializer_list<std::string_view> files) {
  flowtap::UnitRuleReader reader;
  for (const std::string_view file : files) reader.read(file);
  return reader.rule();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using flowtap::fuzz::require;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  require(rule_of({text}) == rule_of({text, "SuccessExitStatus=77\n"}));
  const auto more = rule_of({text, "[Service]\nSuccessExitStatus=201 SIGKILL\n"});
  require(more.codes.test(201) && more.signals.test(SIGKILL));
  const auto anew = rule_of({text, "[Service]\nSuccessExitStatus=\nSuccessExitStatus=3\nExecStart=\n"});
  flowtap::UnitRule only;
  only.codes.set(3);
  require(anew == only);
  return 0;
}
