#include "stream/store/file_name.hpp"

#include <cstddef>

#include "base/hash/sha256.hpp"
#include "base/percent.hpp"

namespace flowtap::flow {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::size_t kKeptOfLongName = 160;
constexpr std::size_t kHashBytes = 16;

}  // namespace

std::string flow_file_name(std::string_view id) {
  std::string name;
  for (std::string_view rest = id; true; name += "__") {
    const std::size_t slash = rest.find('/');
    name += percent_encoded(rest.substr(0, slash), ".-");
    if (slash == std::string_view::npos) break;
    rest.remove_prefix(slash + 1);
  }
  if (name.size() > kLongestName) {
    name.resize(kKeptOfLongName);
    name += '~';
    const auto digest = sha256(id);
    for (std::size_t i = 0; i < kHashBytes; ++i) append_upper_hex(name, digest.at(i));
  }
  return name.append(kFlowSuffix);
}

}  // namespace flowtap::flow
