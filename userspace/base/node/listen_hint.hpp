// What to do if the machine lets us listen nowhere at an address.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flowtap {

/// A hint for the errno of bind(2) or listen(2). `key` is where the address is configured.
[[nodiscard]] std::string listen_hint(int error, std::uint16_t port, std::string_view key);

}  // namespace flowtap
