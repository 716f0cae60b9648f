// podman's k8s-file, which conmon writes (containers/conmon, src/ctr_logging.c): the CRI's form,
// "<time> <stdout|stderr> <P|F> <text>", with these differences from what containerd writes:
// - The time is in the zone of the node, with an offset and always nine digits. Everything of one read has the same.
// - P is where a read (8 KiB at most) ended and not where a line was too long, so the middle of a short line has one.
// - "\r" before a newline is kept.
// - There is one tag and always a space behind it.
#pragma once

#include <optional>
#include <string_view>

#include "stream/repair/runtime_files/runtime_line.hpp"

namespace flowtap::flow {

/// A line without its newline; nothing if it is none. The text lives as long as `line`.
[[nodiscard]] std::optional<RuntimeLine> parse_k8s_file_line(std::string_view line);

}  // namespace flowtap::flow
