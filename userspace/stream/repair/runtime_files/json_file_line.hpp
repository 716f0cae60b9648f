// Docker's json-file: {"log":"text\n","stream":"stdout","attrs":{...},"time":"2026-01-02T03:04:05.6Z"}
// (moby, daemon/logger/jsonfilelog). `log` ends in a newline where the line does. It does not in the 16 KiB parts of a longer
// line, and in what a container left unfinished at its end.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stream/repair/runtime_files/runtime_line.hpp"

namespace flowtap::flow {

/// Reads such lines. JSON has no bytes that are not UTF-8: Docker writes U+FFFD for each, and nobody can tell any more what it
/// was. A text with U+FFFD in it may therefore be up to three times as long as what the container wrote.
class JsonFileLine {
 public:
  /// Reads a line without its newline; nothing if it is not one. The text lives until the next call.
  [[nodiscard]] std::optional<RuntimeLine> parse(std::string_view line);

 private:
  std::string text_;
};

}  // namespace flowtap::flow
