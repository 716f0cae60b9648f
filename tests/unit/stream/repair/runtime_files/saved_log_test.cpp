// Logs that somebody has saved, whatever form they have.
#include "stream/repair/runtime_files/saved_log.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <thread>

#include "tests/support/files/content.hpp"
#include "tests/unit/stream/repair/runtime_files/files_kit.hpp"
#include "tests/unit/stream/repair/runtime_files/runtime_kit.hpp"

namespace flowtap::flow {
namespace {

using namespace std::string_view_literals;

struct Read {
  std::map<std::string, std::string> bytes;  // by output
  std::set<std::uint64_t> times;
  SavedLog log;
};

Read read_fd(int fd) {
  Read out;
  out.log =
      read_saved_log(fd, "x", [&out](std::string_view output, std::string_view bytes, std::uint64_t time) {
        out.bytes[std::string(output)] += bytes;
        out.times.insert(time);
      });
  return out;
}

class SavedLogTest : public testing::Test {
 protected:
  Read read() const {
    const Fd fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    return read_fd(fd.get());
  }
  Read read(std::string_view bytes) const {
    EXPECT_EQ(::truncate(path_.c_str(), 0), 0);
    write_file(path_, bytes);
    return read();
  }

  TmpfsDir dir_;
  std::string path_ = [this] {
    std::string path = dir_ / "x";
    write_file(path, "");
    return path;
  }();
};

const std::string kKlog = "I0821 07:12:30.004211       1 a.go:1] \"a\" pod=\"ns/p\"\nI0821 07:12:31.0";

TEST_F(SavedLogTest, WhatAProgramWroteIsAsItIs) {
  for (const std::string& bytes : {kKlog, std::string("no log\n\n"), std::string("\xff\0\x1f", 3)}) {
    const Read plain = read(bytes);
    EXPECT_EQ(plain.bytes, (std::map<std::string, std::string>{{"", bytes}}));
    EXPECT_EQ(plain.log.bytes, bytes.size());
    EXPECT_FALSE(plain.log.broken);
    EXPECT_EQ(plain.times, std::set<std::uint64_t>{0}) << "nobody says when it was";
  }
  EXPECT_TRUE(read("").bytes.empty());
}

TEST_F(SavedLogTest, WhatARuntimeKeepsIsItsOutputs) {
  for (const char* const name : {"kubelet-main.log", "json-file.log", "k8s-file.log"}) {
    const std::string text = golden_runtime_file(name);
    const auto format = saved_format(text);
    ASSERT_TRUE(format) << name;
    std::map<std::string, std::string> expected;
    std::set<std::uint64_t> times;
    for (const Kept& line : lines_in(*format, text + "\n")) {
      expected[line.output].append(line.text).append(line.full ? 1 : 0, '\n');
      times.insert(line.time);
    }
    const Read kept = read(text);
    EXPECT_EQ(kept.bytes, expected) << name;
    EXPECT_EQ(kept.times, times) << name;
    EXPECT_GE(kept.bytes.size(), 1U);
    EXPECT_EQ(kept.log.skipped, 0U) << name;
  }
}

TEST_F(SavedLogTest, APartOfALogMayBeginWithinALine) {
  const Read part = read("12:30.004211Z stderr F cut\n2026-08-21T07:12:31Z stderr F " + kKlog);
  EXPECT_EQ(part.log.skipped, 2U) << "what is cut, and klog's second line";
  EXPECT_EQ(part.bytes.at("stderr"), kKlog.substr(0, kKlog.find('\n') + 1));
  EXPECT_FALSE(saved_format(kKlog + "\n2026-08-21T07:12:31Z stderr F x\n")) << "a scheduler's line decides";
  EXPECT_FALSE(saved_format(R"({"ts":1795224037015.2,"caller":"a.go:1","msg":"a","v":3})"));
  const std::string of_docker = R"({"log":"a\n","stream":"stderr","time":"2026-08-21T07:12:31Z")";
  EXPECT_EQ(saved_format(of_docker + '}'), RuntimeFormat::kJsonFile);
  EXPECT_FALSE(saved_format(of_docker + R"(,"kubernetes":{"pod_name":"p"}})"))
      << "a collector has written it, and says whose line it is";
}

TEST_F(SavedLogTest, AFileWhoseLinesAScreenHasBrokenIsNotTheRuntimesOwn) {
  const std::string runtimes = "2026-08-21T07:12:31Z stderr F ";
  const std::string header = "I0821 07:12:31.004211       1 a.go:9] ";
  const std::string line = runtimes + header + "the first of two lines, which has no place\n";
  const std::string other = runtimes + header + "x\n";
  const auto kept = [&](std::size_t others) {
    std::string out = line;
    for (std::size_t i = 0; i < others; ++i) out += other;
    return out;
  };
  for (std::size_t width = other.size(); width + 2 < line.size() - 1; ++width) {
    const std::string broken = line.substr(0, width) + '\n' + line.substr(width);
    EXPECT_FALSE(saved_format(broken)) << width;
    EXPECT_FALSE(saved_format(other + broken + kept(0).substr(0, 20))) << "whatever the last line is";
    EXPECT_TRUE(saved_format(kept(9) + broken)) << "a line is wider: " << width;
    EXPECT_FALSE(saved_format(kept(1) + broken + broken)) << "most are broken: " << width;
  }
  EXPECT_TRUE(saved_format("rest of a line\n" + kept(2) + "2026-08-21T0")) << "a part of a file";
  EXPECT_TRUE(saved_format(line + "\r\n" + other + "\r\n")) << "a blank line is no part of one";
  const std::string event =
      runtimes + "5m   Warning   FailedScheduling   pod/web   0/3 nodes are available\n";
  EXPECT_TRUE(saved_format(event + event.substr(0, 60) + '\n' + event.substr(60)))
      << "no record is to be joined";
}

TEST_F(SavedLogTest, GzipIsKnownByWhatItHolds) {
  for (const std::string& text : {kKlog, golden_runtime_file("kubelet-main.log")}) {
    const Read plain = read(text);
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    write_gz(path_, text);
    const Read zipped = read();
    EXPECT_EQ(zipped.bytes, plain.bytes);
    EXPECT_EQ(zipped.log.bytes, plain.log.bytes) << "unzipped";
    EXPECT_FALSE(zipped.log.broken);
  }
}

TEST_F(SavedLogTest, APipeWillDo) {
  write_gz(path_, kKlog);
  for (const std::string& bytes : {kKlog, test::content(path_)}) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    const Fd from(ends[0]);
    Fd to(ends[1]);
    std::thread writer([&] {
      for (const char c : bytes) EXPECT_EQ(::write(to.get(), &c, 1), 1);
      to.reset();
    });
    EXPECT_EQ(read_fd(from.get()).bytes[""], kKlog);
    writer.join();
  }
}

TEST_F(SavedLogTest, OfABrokenFileWhatCameBeforeIsGiven) {
  std::string text;
  for (int i = 0; text.size() < 3 * RuntimeLines::kMostHeld; ++i)
    text += kKlog + std::to_string(i * 7919) + '\n';
  write_gz(path_, text);
  const std::string whole = test::content(path_);
  const Read cut = read(whole.substr(0, whole.size() / 2));
  ASSERT_TRUE(cut.log.broken);
  EXPECT_NE(cut.log.broken->what.find("x is cut"), std::string::npos) << cut.log.broken->what;
  EXPECT_GT(cut.log.bytes, 0U);
  EXPECT_TRUE(text.starts_with(cut.bytes.at("")));
  const Read nothing = read(whole.substr(0, 5));
  EXPECT_TRUE(nothing.log.broken);
  EXPECT_EQ(nothing.log.bytes, 0U);
}

// The last line may be half a line.
TEST_F(SavedLogTest, OfABrokenFileOfARuntimeTheLastLineIsLeftOut) {
  std::string text;
  for (int i = 0; text.size() < 500'000; ++i)
    text += "2026-08-21T07:12:31Z stderr F " + std::to_string(i * 7919) + '\n';
  write_gz(path_, text);
  const Read cut = read(test::content(path_).substr(0, test::content(path_).size() / 2));
  ASSERT_TRUE(cut.log.broken);
  EXPECT_TRUE(cut.bytes.at("stderr").ends_with('\n'));
}

TEST_F(SavedLogTest, WhatIsPackedOtherwiseIsSaid) {
  for (const std::string_view begin :
       {"\x28\xb5\x2f\xfd"sv, "\xfd\x37zXZ\0"sv, "BZh9"sv, "PK\3\4"sv, "\x37z\xbc\xaf\x27\x1c"sv,
        "\x04\x22\x4d\x18"sv, "LZIP\1"sv, "\x1f\x9d"sv}) {
    const Read packed = read(std::string(begin) + "0123456789");
    ASSERT_TRUE(packed.log.broken);
    EXPECT_NE(packed.log.broken->what.find("only gzip can be read"), std::string::npos);
    EXPECT_TRUE(packed.bytes.empty());
  }
}

TEST_F(SavedLogTest, ADirectoryCannotBeRead) {
  const Fd fd(::open((dir_ / "").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Read read = read_fd(fd.get());
  ASSERT_TRUE(read.log.broken);
  EXPECT_EQ(read.log.broken->code, EISDIR);
}

}  // namespace
}  // namespace flowtap::flow
