// flowtap why --from: a file says the same with and without the newline at its end, which tools and people lose.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/unit/flowtap/why/why_kit.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

/// All saved logs of the golden files whose last byte is a newline, by their paths below these.
std::vector<std::string> ended_logs() {
  std::vector<std::string> out;
  for (const char* const folder : {"scheduler", "diagnosis", "found/why", "found/forms", "found/k8s-1.36"})
    for (const auto& entry : fs::recursive_directory_iterator(kGolden + folder)) {
      const std::string path = fs::relative(entry.path(), kGolden).string();
      const bool is_answer = path.ends_with(".tsv") || path.ends_with(".md") ||
                             (path.starts_with("diagnosis/") && !path.ends_with(".log"));
      if (!entry.is_regular_file() || is_answer || path.ends_with(".gz")) continue;
      if (diagnosis::test::golden(path).ends_with('\n')) out.push_back(path);
    }
  std::ranges::sort(out);
  return out;
}

TEST_F(WhyTest, TheLastNewlineChangesNoAnswer) {
  const std::vector<std::string> logs = ended_logs();
  ASSERT_GT(logs.size(), 150U);
  for (const std::string& log : logs) {
    const std::string bytes = diagnosis::test::golden(log);
    for (const char* const form : {"", " -o json"}) {
      const std::string command = std::string("why") + form + from({dir_ / "log"}) + " 2>&1";
      write("log", bytes);
      const Outcome right = flowtap_program(command);
      write("log", std::string_view(bytes).substr(0, bytes.size() - 1));
      const Outcome without = flowtap_program(command);
      EXPECT_EQ(without.output, right.output) << log;
      EXPECT_EQ(without.exit, right.exit) << log;
    }
  }
}

}  // namespace
}  // namespace flowtap
