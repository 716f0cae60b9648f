// Small files of sysfs. What is not there is absent; what is there and cannot be read or understood is absent and counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::telemetry {

/// Digits only.
[[nodiscard]] std::optional<std::uint64_t> read_number(const std::string& path, std::uint64_t& unread);

/// One line, made fit for a label: what is no letter, digit or one of "-_.:" is '_', and no more than 64 characters.
/// Absent also where nothing is left of it.
[[nodiscard]] std::optional<std::string> read_label(const std::string& path, std::uint64_t& unread);

/// As read_label() does with the text of a file.
[[nodiscard]] std::string label_text(std::string_view text);

/// The names in a directory, sorted, `most` of them at most; empty where there is no such directory. One that cannot be
/// read, or has more, is counted.
[[nodiscard]] std::vector<std::string> names_in(const std::string& directory, std::size_t most,
                                                std::uint64_t& unread);

}  // namespace flowtap::telemetry
