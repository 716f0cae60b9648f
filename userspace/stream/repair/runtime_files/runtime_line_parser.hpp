// Parses what container runtimes keep of a container's output, in any of their formats.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "stream/repair/runtime_files/json_file_line.hpp"
#include "stream/repair/runtime_files/runtime_line.hpp"

namespace flowtap::flow {

enum class RuntimeFormat : std::uint8_t {
  kCri,       ///< kubelet's files, written by containerd and CRI-O: N.log
  kJsonFile,  ///< Docker's json-file: ID-json.log
  kK8sFile,   ///< podman's k8s-file, written by conmon: ctr.log
};

/// A line of podman's k8s-file, which conmon writes (containers/conmon, src/ctr_logging.c), without its newline; nothing if it
/// is not one. The text lives as long as `line`. It has the CRI's form, "<time> <stdout|stderr> <P|F> <text>", with these
/// differences from what containerd writes:
/// - The time is in the zone of the node, with an offset and always nine digits. All lines of one read have the same time.
/// - P stands where a read (8 KiB at most) ended, not where a line was too long, so the middle of a short line may have one.
/// - "\r" before a newline is kept.
/// - There is one tag and always a space behind it.
[[nodiscard]] std::optional<RuntimeLine> parse_k8s_file_line(std::string_view line);

/// Reads lines of one format.
class RuntimeLineParser {
 public:
  explicit RuntimeLineParser(RuntimeFormat format) : format_(format) {}

  [[nodiscard]] RuntimeFormat format() const { return format_; }
  /// Parses a line without its newline; nothing if it is not of the format. The text lives until the next call, or as long as
  /// `line`.
  [[nodiscard]] std::optional<RuntimeLine> parse(std::string_view line);

 private:
  RuntimeFormat format_;
  JsonFileLine json_;
};

}  // namespace flowtap::flow
