#include "flow/store/file_name.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace flowtap::flow {
namespace {

constexpr std::size_t kMostBytes = 200;  // a file name may have 255, and there are ".new" and the like
constexpr std::size_t kKept = 160;

bool is_plain(unsigned char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
}

std::string encoded(std::string_view id) {
  if (id.empty()) return "%";
  std::string name;
  for (const char c : id) {
    const auto byte = static_cast<unsigned char>(c);
    // A first dot would hide the file.
    if (c == '/')
      name += "__";
    else if (is_plain(byte) && !(c == '.' && name.empty()))
      name += c;
    else {
      std::array<char, 4> code{};
      std::snprintf(code.data(), code.size(), "%%%02X", byte);
      name += code.data();
    }
  }
  return name;
}

// 128 bits of FNV-1a: two of 64 with other beginnings.
std::string hash_of(std::string_view id) {
  std::uint64_t one = 0xcbf29ce484222325U;
  std::uint64_t two = 0x84222325cbf29ce4U;
  for (const char c : id) {
    one = (one ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    two = (two ^ static_cast<unsigned char>(c) ^ (one >> 32U)) * 0x100000001b3U;
  }
  std::array<char, 33> text{};
  std::snprintf(text.data(), text.size(), "%016llx%016llx", static_cast<unsigned long long>(one),
                static_cast<unsigned long long>(two));
  return text.data();
}

}  // namespace

std::string flow_file_name(std::string_view id) {
  std::string name = encoded(id);
  // "_" stands in no encoded name but doubled, so that what follows it is a hash.
  if (name.size() > kMostBytes - kFlowSuffix.size()) name = name.substr(0, kKept) + "_" + hash_of(id);
  return name.append(kFlowSuffix);
}

}  // namespace flowtap::flow
