#include "telemetry/workloads/files/block_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace flowtap::telemetry {

const std::string& BlockNames::name(BlockDevice device) {
  const auto [at, fresh] = names_.try_emplace(device);
  std::string& name = at->second;
  if (!fresh) return name;
  const std::string number = fmt::format("{}:{}", device.major, device.minor);
  std::error_code error;
  const auto target = std::filesystem::read_symlink(directory_ + number, error);
  name = error ? number : target.filename().string();
  // The kernel writes '!' where a device's name has a '/' (cciss!c0d0).
  std::ranges::replace(name, '!', '/');
  if (name.empty()) name = number;
  return name;
}

}  // namespace flowtap::telemetry
