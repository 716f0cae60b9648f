// The lines of a text.
#pragma once

#include <sstream>
#include <string>
#include <vector>

namespace flowtap::cli {

using Lines = std::vector<std::string>;

/// Without their newlines.
inline Lines lines_of(const std::string& text) {
  Lines out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) out.push_back(line);
  return out;
}

}  // namespace flowtap::cli
