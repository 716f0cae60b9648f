// The logs of tests/golden/scheduler, and what other programs found in them (see README.md there).
#pragma once

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/golden.hpp"

namespace flowtap::test {

/// The text of a file in that directory.
inline std::string scheduler_log(const std::string& name) {
  return golden("scheduler/" + name);
}

/// Each line has its newline, except perhaps the last one.
inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t newline = text.find('\n');
    lines.emplace_back(text.substr(0, newline == std::string_view::npos ? newline : newline + 1));
    text.remove_prefix(lines.back().size());
  }
  return lines;
}

/// Records of a log that belong together.
struct GoldenPart {
  std::string file;
  std::string flow;  ///< "ns/name"; "-": no flow, or the main log
  std::size_t records = 0;
  std::string text;
};

/// "3-5,9" stands for the lines 3, 4, 5 and 9, and "-" for none. Throws std::runtime_error if these lines do not have
/// this many bytes.
inline std::string picked(const std::string& log, const std::string& which, std::size_t bytes) {
  const std::vector<std::string> lines = lines_of(log);
  std::string text;
  std::istringstream ranges(which == "-" ? "" : which);
  for (std::string range; std::getline(ranges, range, ',');) {
    const std::size_t first = std::stoul(range);
    const std::size_t dash = range.find('-');
    const std::size_t last = dash == std::string::npos ? first : std::stoul(range.substr(dash + 1));
    for (std::size_t i = first; i <= last; ++i) text += lines.at(i - 1);
  }
  if (text.size() != bytes) throw std::runtime_error("the table is another log's");
  return text;
}

/// The flows of all logs.
inline std::vector<GoldenPart> golden_flows() {
  std::vector<GoldenPart> parts;
  std::istringstream rows(scheduler_log("flows.tsv"));
  for (std::string file, flow, records, bytes, lines; rows >> file >> flow >> records >> bytes >> lines;)
    parts.push_back({file, flow, std::stoul(records), picked(scheduler_log(file), lines, std::stoul(bytes))});
  return parts;
}

/// The records of each flow at V=2.
inline std::vector<GoldenPart> golden_main_logs() {
  std::vector<GoldenPart> parts;
  std::istringstream rows(scheduler_log("main_v2.tsv"));
  for (std::string file, records, bytes, lines; rows >> file >> records >> bytes >> lines;)
    parts.push_back({file, "-", std::stoul(records), picked(scheduler_log(file), lines, std::stoul(bytes))});
  return parts;
}

}  // namespace flowtap::test
