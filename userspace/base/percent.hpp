// Bytes in hexadecimal, and percent encoding as RFC 3986 has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flowtap {

/// Appends the byte as two hexadecimal digits.
void append_hex(std::string& out, unsigned char byte);
/// The same with capital letters.
void append_upper_hex(std::string& out, unsigned char byte);

/// Each byte as %XX, except for ASCII's letters and digits and the characters of `kept`.
[[nodiscard]] std::string percent_encoded(std::string_view text, std::string_view kept);

/// The bytes that were encoded; absent if a % is not followed by two hexadecimal digits with capital letters, so that
/// each text has one form.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace flowtap
