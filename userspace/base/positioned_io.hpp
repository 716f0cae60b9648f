// pread and pwrite that go on to the end: short ones and signals are not errors.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"

namespace flowtap::flow {

/// Reads until `into` is full or the file ends; returns how much was read.
[[nodiscard]] Result<std::size_t> read_at(int fd, std::uint64_t offset, std::span<std::byte> into,
                                          const std::string& path);

/// Writes all parts one after the other, and uses `parts` up on the way. After an Error, the file may have any part of
/// them.
[[nodiscard]] Status write_at(int fd, std::uint64_t offset, std::span<iovec> parts, const std::string& path);

}  // namespace flowtap::flow
