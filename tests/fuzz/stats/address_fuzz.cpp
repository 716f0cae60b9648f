// Addresses as the configuration has them: nothing crashes, and what is accepted reads back as itself.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "stats/backends/sending/address.hpp"

using namespace flowtap::stats;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto check = [](const auto& parsed, auto parse) {
    if (!parsed) return;
    const auto again = parse(to_string(*parsed));
    if (!again || *again != *parsed) std::abort();
  };
  check(parse_datagram_address(text), parse_datagram_address);
  check(parse_stream_address(text), parse_stream_address);
  const auto listen = parse_listen_address(text);
  if (listen && listen->host.find_first_not_of("0123456789abcdefABCDEF.:") != std::string::npos) std::abort();
  return 0;
}
