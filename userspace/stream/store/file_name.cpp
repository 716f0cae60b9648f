#include "stream/store/file_name.hpp"

#include <array>
#include <cstdint>

#include "base/ascii.hpp"
#include "base/hash/sha256.hpp"

namespace flowtap::flow {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::size_t kKeptOfLongName = 160;
constexpr std::size_t kHashBytes = 16;
constexpr std::string_view kUpperHex = "0123456789ABCDEF";

bool is_plain(char c) {
  return is_alphanumeric(c) || c == '.' || c == '-';
}

void append_hex(std::string& out, std::uint8_t byte) {
  out += {kUpperHex[byte >> 4U], kUpperHex[byte & 0xFU]};
}

}  // namespace

std::string flow_file_name(std::string_view id) {
  std::string name;
  for (const char c : id) {
    if (c == '/') {
      name += "__";
    } else if (is_plain(c)) {
      name += c;
    } else {
      name += '%';
      append_hex(name, static_cast<std::uint8_t>(c));
    }
  }
  if (name.size() > kLongestName) {
    name.resize(kKeptOfLongName);
    name += '~';
    const auto digest = sha256(id);
    for (std::size_t i = 0; i < kHashBytes; ++i) append_hex(name, digest.at(i));
  }
  return name.append(kFlowSuffix);
}

}  // namespace flowtap::flow
