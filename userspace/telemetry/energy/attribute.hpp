// Small files of sysfs. A file that does not exist is absent; one that exists and cannot be read or understood is
// absent and counted.
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

/// One line, made fit for a label: everything but letters, digits and "-_.:" becomes '_', and no more than 64
/// characters stay. Also absent where nothing is left of it.
[[nodiscard]] std::optional<std::string> read_label(const std::string& path, std::uint64_t& unread);

/// Treats a text as read_label() treats a file's.
[[nodiscard]] std::string label_text(std::string_view text);

/// The names in a directory, sorted, at most `most` of them; empty where there is no such directory. A directory that
/// cannot be read, or has more names, is counted.
[[nodiscard]] std::vector<std::string> names_in(const std::string& directory, std::size_t most,
                                                std::uint64_t& unread);

}  // namespace flowtap::telemetry
