// A container's output over all of its runtime files.
#include "stream/repair/runtime_files/runtime_file_reader.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "stream/lines/cri_line.hpp"
#include "stream/repair/runtime_files/runtime_file_seek.hpp"
#include "tests/unit/stream/repair/bytes_read.hpp"
#include "tests/unit/stream/repair/runtime_files/files_kit.hpp"
#include "tests/unit/stream/repair/runtime_files/runtime_kit.hpp"

namespace flowtap::flow {
namespace {

constexpr std::uint64_t kBegin = 1'787'296'350'000'000'000;
constexpr std::uint64_t kSecond = 1'000'000'000;

// Lines of every length, one a second; some are parts.
Kept line_of(int i) {
  const std::size_t size = i % 97 == 5 ? kMaxLine : static_cast<std::size_t>(i % 50);
  return {kBegin + static_cast<std::uint64_t>(i) * kSecond, i % 3 == 0 ? "stderr" : "stdout", i % 7 != 3,
          std::to_string(i) + " " + std::string(size - std::min<std::size_t>(size, 8), 'x')};
}

std::string in_format(RuntimeFormat format, const Kept& line) {
  CriTime clock;
  if (format == RuntimeFormat::kJsonFile)
    return R"({"log":")" + line.text + (line.full ? "\\n" : "") + R"(","stream":")" + line.output +
           R"(","time":")" + std::string(clock.text(line.time)) + "\"}\n";
  std::string out;
  put_cri_line(out, clock, {line.time, line.output, line.full, {}, line.text});
  return out;
}

struct Set {
  RuntimeFormat format;
  std::string label;
  std::string base;
  std::vector<std::string> names;  // oldest first
};

const std::vector<Set> kSets = {
    {RuntimeFormat::kCri,
     "Cri",
     "0.log",
     {"0.log.20260821-071230.gz", "0.log.20260821-071240.gz", "0.log.20260821-071250", "0.log"}},
    {RuntimeFormat::kJsonFile,
     "JsonFile",
     "x-json.log",
     {"x-json.log.3.gz", "x-json.log.2.gz", "x-json.log.1", "x-json.log"}},
    {RuntimeFormat::kK8sFile, "K8sFile", "ctr.log", {"ctr.log.3", "ctr.log.2", "ctr.log.1", "ctr.log"}},
};

class RuntimeFileReaderTest : public testing::TestWithParam<Set> {
 protected:
  RuntimeFileReaderTest() {
    for (int i = 0; i < kLines; ++i) lines_.push_back(line_of(i));
  }

  void write(const std::string& name, const std::string& bytes) const {
    if (name.ends_with(".gz"))
      write_gz(dir_ / name, bytes);
    else
      write_file(dir_ / name, bytes);
  }
  void write_set() const {
    std::size_t i = 0;
    for (const std::string& name : GetParam().names) {
      std::string bytes;
      const std::size_t end = i + static_cast<std::size_t>(kLines) / GetParam().names.size();
      for (; i < end; ++i) bytes += in_format(GetParam().format, lines_[i]);
      write(name, bytes);
    }
  }
  RuntimeFileReader open() const {
    OpenedRuntimeDir dir(open_dir(dir_));
    auto files = open_runtime_files(GetParam().format, dir, GetParam().base);
    EXPECT_TRUE(files);
    return {std::move(files->files), GetParam().format};
  }
  static std::vector<Kept> rest_of(RuntimeFileReader& reader, std::size_t budget = 10'000) {
    std::vector<Kept> out;
    while (reader.read(budget, [&out](const RuntimeLine& line) { out.push_back(kept(line)); })) {
    }
    return out;
  }
  std::vector<Kept> from(std::size_t first) const {
    return {lines_.begin() + static_cast<std::ptrdiff_t>(first), lines_.end()};
  }

  static constexpr int kLines = 4000;
  TmpfsDir dir_;
  std::vector<Kept> lines_;
};

TEST_P(RuntimeFileReaderTest, GivesEveryLineOnceInOrder) {
  write_set();
  for (const std::size_t budget : {std::size_t{1}, std::size_t{100'000}, ~std::size_t{0}}) {
    auto reader = open();
    EXPECT_EQ(rest_of(reader, budget), lines_);
    EXPECT_EQ(reader.faults().skipped + reader.faults().broken, 0U);
  }
}

// Where files have lines of other runs, too, the oldest one is a line of this run.
TEST_P(RuntimeFileReaderTest, TheOldestLineIsOneOfTheRun) {
  write_set();
  EXPECT_EQ(open().oldest(), lines_.front().time);
  for (const std::size_t first : {1U, 700U, 999U, 1000U, 2500U, 3001U, 3999U}) {
    SCOPED_TRACE(first);
    const std::uint64_t from = lines_[first].time - kSecond / 2;
    auto reader = open();
    reader.keep_to({.from = from});
    EXPECT_EQ(reader.oldest(), lines_[first].time);
    EXPECT_EQ(rest_of(reader).size(), lines_.size() - first) << "it reads as if it had not been asked";
    auto none = open();
    none.keep_to({.from = from, .to = from + 1});
    EXPECT_EQ(none.oldest(), std::nullopt) << "other runs alone";
  }
  auto later = open();
  later.keep_to({.from = lines_.back().time + 1});
  EXPECT_EQ(later.oldest(), std::nullopt);
}

TEST_P(RuntimeFileReaderTest, ReadsAboutAsMuchAsItMay) {
  write_set();
  auto reader = open();
  std::size_t given = 0;
  ASSERT_TRUE(reader.read(1, [&given](const RuntimeLine& line) { given += line.text.size(); }));
  EXPECT_LE(given, RuntimeFileReader::kBlock);
}

TEST_P(RuntimeFileReaderTest, GivesTheLastLines) {
  write_set();
  for (const std::size_t last :
       {0U, 1U, 2U, 97U, 999U, 1000U, 1001U, 2500U, 3999U, 4000U, 4001U, 1'000'000U}) {
    auto reader = open();
    reader.start_at_last(last);
    EXPECT_EQ(rest_of(reader), from(lines_.size() - std::min<std::size_t>(last, lines_.size()))) << last;
  }
}

// Others get their turn while the last lines of a large log are looked for.
TEST_P(RuntimeFileReaderTest, FindsTheLastLinesInSteps) {
  for (int i = 0; i < 3; ++i) write_set();
  auto reader = open();
  constexpr std::size_t kStep = std::size_t{64} << 10U;
  const std::uint64_t begin = bytes_read();
  std::uint64_t before = begin;
  reader.start_at_last(11'000);
  int steps = 0;
  for (bool found = false; !found; ++steps) {
    found = reader.find_start(kStep);
    EXPECT_LE(bytes_read() - before, 3 * kStep);
    before = bytes_read();
  }
  EXPECT_GT(steps, 4);
  const std::uint64_t once = before - begin;
  EXPECT_EQ(rest_of(reader).size(), 11'000U);
  // A gz whose lines were counted is not read again for that.
  std::uint64_t gz = 0;
  for (const std::string& name : GetParam().names)
    if (name.ends_with(".gz")) gz += std::filesystem::file_size(dir_ / name);
  before = bytes_read();
  reader.start_at_last(11'500);
  while (!reader.find_start(kStep)) {
  }
  EXPECT_TRUE(gz == 0 || bytes_read() - before <= once - gz);
  EXPECT_EQ(rest_of(reader).size(), 11'500U);
  EXPECT_GE(reader.most_lines(), 12'000U);
}

TEST_P(RuntimeFileReaderTest, GivesTheLastLinesAmongOthers) {
  write_set();
  // Other lines are in between, and more than a block of them at the end.
  const std::string line = in_format(GetParam().format, line_of(1));
  write_file(dir_ / GetParam().base, line + "junk\n\n" + line + std::string(200'000, 'j') + "\n" + line);
  for (int i = 0; i < 20'000; ++i) write_file(dir_ / GetParam().base, "junk\n");
  write_file(dir_ / GetParam().base, "no newline");
  for (const std::size_t last : {1U, 2U, 3U, 4U, 50U}) {
    auto reader = open();
    reader.start_at_last(last);
    std::vector<Kept> wanted(std::min<std::size_t>(last, 3), line_of(1));
    if (last > 3) {
      const auto before = from(lines_.size() - (last - 3));
      wanted.insert(wanted.begin(), before.begin(), before.end());
    }
    EXPECT_EQ(rest_of(reader), wanted) << last;
  }
}

TEST_P(RuntimeFileReaderTest, GivesWhatIsNotOlder) {
  write_set();
  for (const std::size_t first : {0U, 1U, 999U, 1000U, 2999U, 3001U, 3900U, 3999U}) {
    auto reader = open();
    reader.start_at_time(lines_[first].time);
    EXPECT_EQ(rest_of(reader), from(first)) << first;
    auto between = open();
    between.start_at_time(lines_[first].time - 1);
    EXPECT_EQ(rest_of(between), from(first)) << first;
  }
  auto reader = open();
  reader.start_at_time(lines_.back().time + 1);
  EXPECT_TRUE(rest_of(reader).empty());
  auto all = open();
  all.start_at_time(0);
  EXPECT_EQ(rest_of(all), lines_);
}

TEST_P(RuntimeFileReaderTest, GivesOfTheLastWhatIsNotOlder) {
  write_set();
  for (const std::size_t first : {3000U, 3990U}) {
    auto reader = open();
    reader.start_at_time(lines_[first].time);
    reader.start_at_last(100);
    EXPECT_EQ(rest_of(reader), from(std::max<std::size_t>(first, 3900)));
  }
}

// stdout and stderr are written by separate threads.
TEST_P(RuntimeFileReaderTest, TimesRiseNearly) {
  const auto& names = GetParam().names;
  std::vector<Kept> wanted;
  for (int i = 0; i < 4; ++i) {
    Kept early = line_of(100 * i);
    Kept late = line_of(100 * i + 120);  // 20 s behind the first of the next file
    early.text = "early";
    late.text = "late";
    write(names[static_cast<std::size_t>(i)],
          in_format(GetParam().format, early) + in_format(GetParam().format, late));
    if (i >= 3) wanted.push_back(early);
    if (i >= 1) wanted.push_back(late);
  }
  auto reader = open();
  reader.start_at_time(line_of(220).time);
  EXPECT_EQ(rest_of(reader), wanted);
}

TEST_P(RuntimeFileReaderTest, ABrokenFileGivesWhatCanBeRead) {
  write_set();
  const std::string& name = GetParam().names[1];
  const auto size = std::filesystem::file_size(dir_ / name);
  std::filesystem::resize_file(dir_ / name, size / 2);
  auto reader = open();
  const auto given = rest_of(reader);
  // It gives all of the first file, the beginning of the second, and all of the others.
  ASSERT_GT(given.size(), 3000U);
  ASSERT_LT(given.size(), 4000U);
  const std::size_t missing = lines_.size() - given.size();
  std::vector<Kept> wanted = lines_;
  wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(2000 - missing), wanted.begin() + 2000);
  EXPECT_EQ(given, wanted);
  const bool gz = name.ends_with(".gz");
  EXPECT_EQ(reader.faults().broken, gz ? 1U : 0U);
  EXPECT_EQ(reader.faults().why.empty(), !gz);
  EXPECT_LE(reader.faults().skipped, 1U) << "the line that is cut";
}

TEST_P(RuntimeFileReaderTest, GoesOnInTheNewest) {
  write_set();
  auto reader = open();
  reader.start_at_last(1);
  EXPECT_EQ(rest_of(reader), from(3999));
  const std::string more = in_format(GetParam().format, line_of(4000));
  write_file(dir_ / GetParam().base, more.substr(0, 20));
  EXPECT_TRUE(rest_of(reader).empty());
  auto late = open();
  late.start_at_last(0);
  EXPECT_TRUE(rest_of(late).empty());
  write_file(dir_ / GetParam().base, more.substr(20));
  EXPECT_EQ(rest_of(reader), std::vector<Kept>{line_of(4000)});
  EXPECT_EQ(rest_of(late), std::vector<Kept>{line_of(4000)});
}

TEST_P(RuntimeFileReaderTest, IsNotMovedByARotation) {
  write_set();
  auto reader = open();
  std::vector<Kept> given;
  const auto take = [&given](const RuntimeLine& line) { given.push_back(kept(line)); };
  ASSERT_TRUE(reader.read(1, take));
  std::filesystem::rename(dir_ / GetParam().base, dir_ / "rotated");
  for (const std::string& name : GetParam().names) std::filesystem::remove(dir_ / name);
  write_file(dir_ / GetParam().base, in_format(GetParam().format, line_of(5000)));
  write_file(dir_ / "rotated", in_format(GetParam().format, line_of(4000)));
  while (reader.read(10'000, take)) {
  }
  lines_.push_back(line_of(4000));  // until its runtime has reopened the file
  EXPECT_EQ(given, lines_);
}

TEST_P(RuntimeFileReaderTest, NothingIsNothing) {
  for (const bool empty : {false, true}) {
    if (empty) write_file(dir_ / GetParam().base, "");
    auto reader = open();
    reader.start_at_last(7);
    EXPECT_TRUE(rest_of(reader).empty());
    auto timed = open();
    timed.start_at_time(7);
    EXPECT_TRUE(rest_of(timed).empty());
  }
}

std::string set_name(const testing::TestParamInfo<Set>& set) {
  return set.param.label;
}

INSTANTIATE_TEST_SUITE_P(Formats, RuntimeFileReaderTest, testing::ValuesIn(kSets), set_name);

TEST(RuntimeFileSeek, ALargeFileIsNotReadWhole) {
  const TmpfsDir dir;
  const std::string path = dir / "0.log";
  std::string bytes;
  int lines = 0;
  for (; bytes.size() < std::size_t{32} << 20U; ++lines)
    bytes += in_format(RuntimeFormat::kCri, line_of(lines));
  write_file(path, bytes);
  const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const std::uint64_t before = bytes_read();
  LastLines search(fd.get(), RuntimeFormat::kCri, 100);
  ASSERT_TRUE(search.look(std::size_t{1} << 30U));
  const RuntimeFilePosition last = search.place();
  const std::uint64_t place = place_before(fd.get(), RuntimeFormat::kCri, line_of(lines / 2).time);
  EXPECT_LT(bytes_read() - before, std::uint64_t{4} << 20U);
  EXPECT_GE(last.lines, 100U);
  EXPECT_EQ(static_cast<std::uint64_t>(std::ranges::count(bytes.substr(last.offset), '\n')), last.lines);
  EXPECT_EQ(bytes[place - 1], '\n');
  const std::size_t wanted = bytes.find(in_format(RuntimeFormat::kCri, line_of(lines / 2)));
  EXPECT_LE(place, wanted);
  EXPECT_LT(wanted - place, std::size_t{1} << 20U);
}

}  // namespace
}  // namespace flowtap::flow
