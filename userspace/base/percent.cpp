#include "base/percent.hpp"

#include "base/ascii.hpp"

namespace flowtap {

void append_upper_hex(std::string& out, unsigned char byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  out += {kDigits[byte >> 4U], kDigits[byte & 0xFU]};
}

std::string percent_encoded(std::string_view text, std::string_view kept) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (is_alphanumeric(c) || kept.contains(c)) {
      out += c;
    } else {
      out += '%';
      append_upper_hex(out, static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace flowtap
