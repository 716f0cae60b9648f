// Logs and the answers that must come out of them, as files of tests/golden.
#pragma once

#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/golden.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::diagnosis::test {

using flowtap::test::golden;

/// A line of diagnosis/cases.tsv.
struct Case {
  std::string logs;  ///< separated by commas
  std::string pod;
  std::string expected;
};

inline std::vector<Case> cases(const std::string& file = "diagnosis/cases.tsv") {
  std::vector<Case> out;
  std::istringstream in(golden(file));
  for (Case one; in >> one.logs >> one.pod >> one.expected;) out.push_back(one);
  return out;
}

/// A line of found/answers.tsv.
struct FoundCase {
  std::string log;  ///< its path below the golden files
  std::string pod;
  std::string beginning;  ///< of the text
  std::string has;        ///< what a line further down begins with, without its indentation; empty: anything
};

inline std::vector<FoundCase> found_cases() {
  std::vector<FoundCase> out;
  std::istringstream in(golden("found/answers.tsv"));
  for (FoundCase one; std::getline(in, one.log, '\t') && std::getline(in, one.pod, '\t') &&
                      std::getline(in, one.beginning, '\t') && std::getline(in, one.has);) {
    one.log.insert(0, "found/");
    if (one.has == "-") one.has.clear();
    out.push_back(one);
  }
  return out;
}

/// All files of the folders that have logs, in whatever form, by their paths below the golden files.
inline std::vector<std::string> golden_files() {
  namespace fs = std::filesystem;
  std::vector<std::string> out;
  for (const char* folder : {"scheduler", "diagnosis", "found"})
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(paths::golden() + '/' + folder))
      if (entry.is_regular_file()) out.push_back(fs::relative(entry.path(), paths::golden()).string());
  return out;
}

/// Those that are as a scheduler writes them.
inline std::vector<std::string> golden_logs() {
  std::vector<std::string> out = golden_files();
  std::erase_if(out, [](const std::string& path) { return !path.ends_with(".log"); });
  return out;
}

/// The logs' paths below the golden files.
inline std::vector<std::string> paths_of(const Case& one) {
  std::vector<std::string> out;
  std::istringstream names(one.logs);
  for (std::string name; std::getline(names, name, ',');) {
    const bool here = std::filesystem::exists(paths::golden() + "/diagnosis/" + name);
    out.push_back((here ? "diagnosis/" : "scheduler/") + name);
  }
  return out;
}

inline std::vector<std::string> logs_of(const Case& one) {
  std::vector<std::string> out;
  for (const std::string& path : paths_of(one)) out.push_back(golden(path));
  return out;
}

}  // namespace flowtap::diagnosis::test
