// Any bytes as lines of no scheduler: what they look like is printable text of bounded length, with a hint, whatever the lines
// are, and something is always said.
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "tests/fuzz/require.hpp"
#include "tools/flowtap/saved/strangers.hpp"

using flowtap::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  flowtap::cli::Strangers strangers;
  require(!strangers.guess());
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(line.size() < rest.size() ? line.size() + 1 : line.size());
    // The copy has exactly this size, so that a read behind it is seen.
    const std::vector<char> copy(line.begin(), line.end());
    const std::string_view text(copy.data(), copy.size());
    const auto record = flowtap::flow::parse_klog_record(text);
    if (record)
      strangers.add(*record);
    else
      strangers.add_line(text);
    const auto guess = strangers.guess();
    require(guess && !guess->what.empty() && !guess->hint.empty());
    require(guess->what.size() <= 200 && guess->hint.size() <= 300);
    require(flowtap::printable(guess->what) == guess->what && flowtap::printable(guess->hint) == guess->hint);
  }
  return 0;
}
