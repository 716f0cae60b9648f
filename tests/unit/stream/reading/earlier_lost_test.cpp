// What the runtime has lost of a log whose beginning has made room in the store.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>

#include "tests/unit/stream/reading/earlier_kit.hpp"

namespace flowtap {
namespace {

using EarlierLostTest = EarlierLinesTest;

TEST_F(EarlierLostTest, AFewBytesThatTheRuntimeHasLostAreTold) {
  drops_returns_ = true;
  open(std::uint64_t{1} << 20U);
  write(0, 5000);
  flood(std::size_t{2} << 20U);
  keep(3, 5000);
  EXPECT_EQ(log(), made_room(numbered(0, 3).size()) + numbered(3, 5000) + "|");
  EXPECT_EQ(log({.tail_lines = 6000, .gaps = true}),
            made_room(numbered(0, 3).size()) + numbered(3, 5000) + "|");
  EXPECT_EQ(log({.tail_lines = 4997, .gaps = true}).substr(0, 7), "line 3\n") << "as many as are wanted";
  EXPECT_EQ(log({.tail_lines = 4996, .gaps = true}), numbered(4, 5000) + "|");
}

// For lines that the runtime has lost, too, the reader says how many bytes the log would have shown. A "\r" that the
// log leaves out does not count.
TEST_F(EarlierLostTest, ReturnsAreNotTakenForLostBytes) {
  drops_returns_ = true;
  open(std::uint64_t{1} << 20U);
  const auto say = [&](std::uint64_t from, std::uint64_t to) {
    flow::Batch batch;
    if (from == 0) batch.add(flow::StreamEntry{1, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
    for (std::uint64_t n = from; n < to; ++n) {
      const std::string text = "line " + std::to_string(n) + (n % 2 == 0 ? "\r\n" : "\n");
      batch.add(flow::BytesEntry{1, at_[0], n * kSecond, 0, flow::as_bytes(text)});
      at_[0] += text.size();
      if (n % 100 == 99 || n + 1 == to) append(batch);
    }
  };
  const auto kept = [&](std::uint64_t from) {
    std::string text;
    for (std::uint64_t n = from; n < 5000; ++n)
      text += rfc3339_nano(at_second(n) + std::chrono::microseconds(50)) + " stdout F " + numbered(n);
    tree_.file("var/log/pods/shop_web-0_" + kPodUid + "/app/0.log", text);
  };
  say(0, 5000);
  flood(std::size_t{2} << 20U);
  const std::uint64_t gone = 5000 - stored_lines();
  EXPECT_TRUE(log().starts_with(made_room(numbered(0, gone).size() + (gone + 1) / 2)))
      << "nobody has them, and as many were written";
  kept(0);
  EXPECT_EQ(log(), numbered(0, 5000) + "|");
  kept(4);
  EXPECT_EQ(log(), made_room(numbered(0, 4).size()) + numbered(4, 5000) + "|");
  open(std::uint64_t{1} << 20U);
  EXPECT_EQ(log(), made_room(numbered(0, 4).size()) + numbered(4, 5000) + "|") << "after a start, too";
}

// Docker has three bytes for each one that is not UTF-8, so that what it has kept would fill a gap of what it has lost.
class EarlierReplacedTest : public EarlierLinesTest {
 protected:
  // Each line but some has a byte that is not UTF-8. Docker has lost the lines of the interval. Returns how many bytes these were.
  std::uint64_t write_and_lose(std::uint64_t from, std::uint64_t to) {
    const std::string replacement = "\xEF\xBF\xBD";
    std::uint64_t lost = 0;
    std::string kept;
    flow::Batch batch;
    batch.add(flow::StreamEntry{1, {.flow = kPodFlow, .output = "stdout", .identity = {}}});
    for (std::uint64_t n = 0; n < kLines; ++n) {
      const std::string text =
          "line " + std::to_string(n) + (n % kWritten == 7 ? replacement : std::string("\xe4")) + "\n";
      batch.add(
          flow::BytesEntry{1, at_[0], std::max<std::uint64_t>(n * kSecond, 1), 0, flow::as_bytes(text)});
      at_[0] += text.size();
      if (n % 100 == 99) append(batch);
      if (n >= from && n < to)
        lost += text.size();
      else
        kept += R"({"log":"line )" + std::to_string(n) + replacement + R"(\n","stream":"stdout","time":")" +
                rfc3339_nano(at_second(n) + std::chrono::microseconds(50)) + "\"}\n";
    }
    flood(std::size_t{2} << 20U);
    keep_in_docker(kept);
    return lost;
  }
  // Each that was really written may be a byte as well.
  void expect_up_to(std::uint64_t lost) {
    const std::uint64_t written = (kLines - stored_lines()) / kWritten * 2;
    const std::string got = log();
    const std::size_t at = got.find("[flowtap: up to ");
    ASSERT_NE(at, std::string::npos) << got.substr(0, 200);
    std::uint64_t said = 0;
    std::from_chars(got.data() + at + 16, got.data() + got.size(), said);
    EXPECT_GE(said, lost);
    EXPECT_LE(said, lost + written + 2);
    EXPECT_TRUE(got.contains(" bytes are missing here: they had to make room for newer ones]\nline "))
        << got.substr(0, 200);
    EXPECT_EQ(reader({})->missing_bytes(), loses_meanwhile_ ? std::nullopt : std::optional(said))
        << "0 would be wrong";
  }

 private:
  static constexpr std::uint64_t kLines = 5000;
  static constexpr std::uint64_t kWritten = 100;  // one in this many lines has U+FFFD itself

  void keep_in_docker(const std::string& kept) {
    const std::string id(64, 'd');
    const std::string file = "var/lib/docker/containers/" + id + "/" + id + "-json.log";
    tree_.file(file, kept).file("var/log/pods/shop_web-0_" + kPodUid + "/app/x", "");
    tree_.file("var/lib/docker/containers/" + id + "/config.v2.json",
               R"({"ID":")" + id + R"(","Name":"/app","LogPath":"/)" + file + R"(","Config":{"Labels":{)" +
                   R"("io.kubernetes.pod.uid":")" + kPodUid + R"(","io.kubernetes.pod.namespace":"shop",)" +
                   R"("io.kubernetes.pod.name":"web-0","io.kubernetes.container.name":"app"}}})");
    tree_.file("var/lib/docker/containers/" + id + "/hostconfig.json",
               R"({"LogConfig":{"Type":"json-file"},"CgroupParent":"/kubepods/pod)" + kPodUid + R"("})");
    std::filesystem::create_symlink("/" + file, std::filesystem::path(tree_.root()) / "var/log/pods" /
                                                    ("shop_web-0_" + kPodUid) / "app/0.log");
  }
};

TEST_F(EarlierReplacedTest, FillsNoGapAtTheBeginning) {
  open(std::uint64_t{1} << 20U);
  expect_up_to(write_and_lose(0, 40));
}

TEST_F(EarlierReplacedTest, FillsNoGapBehindTheBeginning) {
  open(std::uint64_t{1} << 20U);
  loses_meanwhile_ = true;  // that the file has a hole is seen where it has been read
  expect_up_to(write_and_lose(20, 60));
}

}  // namespace
}  // namespace flowtap
