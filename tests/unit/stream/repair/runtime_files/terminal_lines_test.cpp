// A runtime's lines of a terminal, as they were written to it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "stream/repair/runtime_files/runtime_file_reader.hpp"

namespace flowtap::flow {
namespace {

// The text that was written, from parts and lines ("…\n") as a runtime keeps them.
std::string written(const std::vector<std::string>& kept, std::string_view output = "stdout") {
  TerminalLines lines;
  std::string out;
  const auto take = [&out](const RuntimeLine& line) { append_bytes(out, line); };
  for (const std::string& text : kept) {
    const bool full = text.ends_with('\n');
    lines.add({1, output, full, std::string_view(text).substr(0, text.size() - (full ? 1 : 0))}, take);
  }
  lines.finish(take);
  return out;
}

TEST(TerminalLines, LackWhatTheLineDisciplineAdds) {
  EXPECT_EQ(written({"one\r\n", "two\r\n", "end"}), "one\ntwo\nend");
  EXPECT_EQ(written({"\r\n", "\r\r\n"}), "\n\r\n") << "a program that writes both";
  EXPECT_EQ(written({"no terminal\n"}), "no terminal\n");
  EXPECT_EQ(written({"error\r\n"}, "stderr"), "error\n");
}

TEST(TerminalLines, ThatWereReadInParts) {
  EXPECT_EQ(written({"one\r", "\n", "two", "\r\n"}), "one\ntwo\n");
  EXPECT_EQ(written({"10 %\r", "20 %\r", "done\r\n"}), "10 %\r20 %\rdone\n") << "progress";
  EXPECT_EQ(written({"\r", "\r", "\n", "10 %\r"}), "\r\n10 %\r");
}

}  // namespace
}  // namespace flowtap::flow
