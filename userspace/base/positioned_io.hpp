// pread and pwrite to the end: short ones and signals are no errors.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"

namespace flowtap::flow {

/// Reads until `into` is full or the file ends; how much was read.
[[nodiscard]] Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> into,
                                          const std::string& path);

/// Writes all parts one behind the other. They are used up on the way. After an Error any part of it may stand there.
[[nodiscard]] Status write_at(int fd, std::uint64_t offset, std::span<iovec> parts, const std::string& path);

}  // namespace flowtap::flow
