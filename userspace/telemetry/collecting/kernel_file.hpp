// Reads whole files of the kernel. Not every kernel has all of them.
#pragma once

#include <cerrno>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/file.hpp"
#include "telemetry/collecting/collector.hpp"

namespace flowtap::telemetry {

/// Room for what grows with CPUs, devices and mounts: /proc/schedstat takes 2 MiB with 512 CPUs.
inline constexpr std::size_t kMostKernelText = std::size_t{16} << 20U;

/// A file that every kernel has: if it cannot be read, that is counted.
inline std::optional<std::string> read_kernel_file(const std::string& path, Collected& out) {
  auto text = read_file(path, kMostKernelText);
  if (text) return std::move(*text);
  ++out.unread;
  return std::nullopt;
}

/// A file that a kernel may lack, or have and refuse to fill (EOPNOTSUPP: pressure, with psi=0): only other failures
/// are counted.
inline std::optional<std::string> read_kernel_file_if_there(const std::string& path, Collected& out) {
  auto text = read_file(path, kMostKernelText);
  if (text) return std::move(*text);
  const int code = text.error().code;
  if (code != ENOENT && code != EOPNOTSUPP) ++out.unread;
  return std::nullopt;
}

}  // namespace flowtap::telemetry
