// Any bytes as a unit's file: what is set behind them counts, and what is set anew before it does not.
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>

#include "telemetry/unit_success.hpp"
#include "tests/fuzz/require.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using flowtap::unit_rule;
  using flowtap::fuzz::require;
  const std::string text(std::string_view(reinterpret_cast<const char*>(data), size));
  require(unit_rule(text) == unit_rule(text));
  const auto more = unit_rule(text + "\n\n[Service]\nSuccessExitStatus=201 SIGKILL\n");
  require(more.codes.test(201) && more.signals.test(SIGKILL));
  const auto anew = unit_rule(text + "\n\n[Service]\nSuccessExitStatus=\nSuccessExitStatus=3\nExecStart=\n");
  flowtap::UnitRule only;
  only.codes.set(3);
  require(anew == only);
  return 0;
}
