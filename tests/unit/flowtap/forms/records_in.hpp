// The records that a saved log's bytes hold.
#pragma once

#include <string>
#include <vector>

#include "tools/flowtap/saved/unwrap/saved_lines.hpp"

namespace flowtap::cli::test {

/// In the order of the bytes; what is no record is left out.
inline std::vector<std::string> records_in(const std::string& bytes) {
  std::vector<std::string> out;
  SavedLines lines([&out](const SavedLine& line) {
    if (line.kind == SavedLine::Kind::kRecord) out.emplace_back(line.text);
  });
  lines.add(bytes, 0);
  lines.finish();
  return out;
}

/// The same, each with its further lines.
inline std::vector<std::string> whole_records_in(const std::string& bytes) {
  std::vector<std::string> out;
  SavedLines lines([&out](const SavedLine& line) {
    if (line.kind == SavedLine::Kind::kRecord)
      out.emplace_back(line.text);
    else if (is_schedulers(line.kind) && !out.empty())
      out.back().append(1, '\n').append(line.text);
  });
  lines.add(bytes, 0);
  lines.finish();
  return out;
}

}  // namespace flowtap::cli::test
