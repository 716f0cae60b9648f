// Percent encoding, as RFC 3986 has it.
#pragma once

#include <string>
#include <string_view>

namespace flowtap {

/// Appends the byte as two hexadecimal digits with capital letters.
void append_upper_hex(std::string& out, unsigned char byte);

/// Each byte as %XX, except for ASCII's letters and digits and the characters of `kept`.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view kept);

}  // namespace flowtap
