#include "base/percent.hpp"

#include "base/ascii.hpp"

namespace flowtap {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEF";
constexpr std::string_view kLowerDigits = "0123456789abcdef";

int upper_hex_digit(char c) {
  const auto at = kDigits.find(c);
  return at == std::string_view::npos ? -1 : static_cast<int>(at);
}

}  // namespace

void append_hex(std::string& out, unsigned char byte) {
  out += {kLowerDigits[byte >> 4U], kLowerDigits[byte & 0xFU]};
}

void append_upper_hex(std::string& out, unsigned char byte) {
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

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (text.size() - i < 3) return std::nullopt;
    const int high = upper_hex_digit(text[i + 1]);
    const int low = upper_hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

}  // namespace flowtap
