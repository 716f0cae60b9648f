// The program itself as flowtap why --from, on files of any form.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/files/temp_dir.hpp"
#include "tests/support/paths/paths.hpp"
#include "tests/unit/explain/diagnosis/golden.hpp"
#include "tests/unit/flowtap/shell.hpp"

namespace flowtap {

inline const std::string kGolden = paths::golden() + "/";

inline std::string from(const std::vector<std::string>& paths) {
  std::string out;
  for (const std::string& path : paths) out += " --from " + path;
  return out;
}

/// Writes every line like a runtime: in parts if it is longer than `most`.
inline std::string as_cri(const std::string& log, const std::string& output = "stderr",
                          std::size_t most = 16'384) {
  const std::string head = "2026-08-21T07:12:30.004211000Z " + output;
  std::string out;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    for (; line.size() > most; line.erase(0, most))
      out.append(head).append(" P ").append(line, 0, most).append(1, '\n');
    out.append(head).append(" F ").append(line).append(1, '\n');
  }
  return out;
}

inline std::string as_json_file(const std::string& log) {
  std::string out;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);)
    out += boost::json::serialize(boost::json::object{
               {"log", line + "\n"}, {"stream", "stderr"}, {"time", "2026-08-21T07:12:30.004211Z"}}) +
           '\n';
  return out;
}

class WhyTest : public testing::Test {
 protected:
  std::string write(const std::string& name, std::string_view bytes) const {
    std::ofstream(dir_ / name, std::ios::binary) << bytes;
    return dir_ / name;
  }
  std::string write_gz(const std::string& name, std::string_view bytes, const char* mode = "wb") const {
    const gzFile file = ::gzopen((dir_ / name).c_str(), mode);
    ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    ::gzclose(file);
    return dir_ / name;
  }
  /// The answer is the same for every form of the logs.
  void expect(const diagnosis::test::Case& one, const std::vector<std::string>& paths,
              const char* form) const {
    const Outcome run = flowtap_program("why " + one.pod + " -o json" + from(paths));
    EXPECT_EQ(run.exit, 0) << run.output;
    boost::json::error_code error;
    boost::json::value answer = boost::json::parse(run.output, error);
    // The golden files are of what schedulers decided; what became of the pods later is not in them.
    if (answer.is_object()) answer.get_object().erase("lifecycle");
    EXPECT_EQ(answer, boost::json::parse(diagnosis::test::golden("diagnosis/" + one.expected)))
        << form << ' ' << one.logs << ' ' << one.pod << ": " << run.output;
    EXPECT_EQ(std::ranges::count(run.output, '\n'), 1);
  }

  test::TempDir dir_;
};

}  // namespace flowtap
