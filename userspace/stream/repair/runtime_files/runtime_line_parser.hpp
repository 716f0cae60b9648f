// What container runtimes keep of a container's output, whichever of their formats it stands in.
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

/// Reads lines of one format.
class RuntimeLineParser {
 public:
  explicit RuntimeLineParser(RuntimeFormat format) : format_(format) {}

  [[nodiscard]] RuntimeFormat format() const { return format_; }
  /// A line without its newline; nothing if it is none of the format. The text lives until the next call, or as
  /// long as `line`.
  [[nodiscard]] std::optional<RuntimeLine> parse(std::string_view line);

 private:
  RuntimeFormat format_;
  JsonFileLine json_;
};

}  // namespace flowtap::flow
