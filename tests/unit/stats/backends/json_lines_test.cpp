#include "stats/backends/json_lines.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "base/file.hpp"
#include "stats/backends/json_text.hpp"
#include "tests/support/files/temp_dir.hpp"
#include "tests/support/json_reader.hpp"
#include "tests/support/metrics/snapshots.hpp"

namespace flowtap::stats {
namespace {

using test::JsonReader;
using test::SnapshotScript;

const std::string kWsync = "dispatched_tasks_total,kernel,wsync";

std::string json(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonText, StringsAreEscapedAndAlwaysUtf8) {
  EXPECT_EQ(json("plain µ"), "\"plain µ\"");
  EXPECT_EQ(json("\"\\\n\x1b\x7f"), R"("\"\\\u000a\u001b\u007f")");
  EXPECT_EQ(json("a\xff\xc3z"), R"("a\ufffd\ufffdz")");
  EXPECT_EQ(json("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");  // a surrogate
}

TEST(JsonText, TimesAreRfc3339) {
  EXPECT_EQ(rfc3339(SnapshotScript::kStart), "2026-01-02T03:04:05.000Z");
  EXPECT_EQ(rfc3339(SnapshotScript::kStart + std::chrono::milliseconds(7)), "2026-01-02T03:04:05.007Z");
}

class JsonLinesTest : public testing::Test {
 protected:
  JsonLines make(LineStreamOptions options = {}) {
    return {Address{AddressKind::kFile, {}, 0, file_}, options};
  }
  [[nodiscard]] std::string content() const { return read_file(file_).value(); }

  flowtap::test::TempDir dir_;
  std::string file_ = dir_ / "out";
  SnapshotScript script_;
};

TEST_F(JsonLinesTest, ALineIsAsTheHeaderSays) {
  JsonLines backend = make();
  HistogramValue latency;
  latency.counts[0] = 1;
  latency.counts.back() = 2;
  latency.sum = 40.5;
  script_.dispatched(StatId::kWSYNC, 10);
  ASSERT_TRUE(backend.publish(script_.next()));
  EXPECT_NE(content().find(R"("since":"2026-01-02T03:04:05.000Z","start":"2026-01-02T03:04:05.000Z")"),
            std::string::npos);
  script_.dispatched(StatId::kWSYNC, 12);
  script_.set(StatId::kLATENCY, {"kernel"}, latency);
  script_.set(StatId::kPROCESS_CPU, {}, 1.5);
  script_.set(StatId::kPROCESS_THREADS, {}, std::uint64_t{9});
  script_.set(StatId::kPROCESS_MAX_FDS, {}, std::numeric_limits<double>::quiet_NaN());
  ASSERT_TRUE(backend.publish(script_.next()));
  JsonReader reader;
  reader.connection(content());
  ASSERT_EQ(reader.lines, 2);
  const auto& line = reader.last;
  EXPECT_EQ(line.at("seq").to_number<int>(), 2);
  EXPECT_EQ(line.at("cycle").to_number<int>(), 2);
  EXPECT_EQ(line.at("start").as_string(), "2026-01-02T03:04:05.000Z");
  EXPECT_EQ(line.at("since").as_string(), "2026-01-02T03:04:06.000Z");
  EXPECT_EQ(line.at("time").as_string(), "2026-01-02T03:04:07.000Z");
  const auto& series = line.at("series").as_array();
  ASSERT_EQ(series.size(), 4U);  // a value that is not a number is absent
  EXPECT_EQ(boost::json::serialize(series[0]),
            R"({"name":"dispatched_tasks_total","labels":{"scheduler":"kernel","type":"wsync"},)"
            R"("kind":"counter","total":12,"delta":2})");
  const auto& histogram = series[1].at("delta").as_object();
  EXPECT_EQ(histogram.at("count").to_number<int>(), 3);
  EXPECT_EQ(histogram.at("sum").to_number<double>(), 40.5);
  EXPECT_EQ(histogram.at("buckets").as_object().size(), std::size_t{FTAP_HIST_BUCKETS});
  EXPECT_EQ(histogram.at("buckets").at("17.179869184").to_number<int>(), 1);
  EXPECT_EQ(series[2].at("total").to_number<double>(), 1.5);
  EXPECT_EQ(series[3].at("value").to_number<int>(), 9);
}

TEST_F(JsonLinesTest, ASnapshotThatIsOfferedAgainMakesNoSecondLine) {
  JsonLines backend = make();
  const SnapshotPtr snapshot = script_.next();
  ASSERT_TRUE(backend.publish(snapshot));
  ASSERT_TRUE(backend.publish(snapshot));
  JsonReader reader;
  reader.connection(content());
  EXPECT_EQ(reader.lines, 1);
}

TEST_F(JsonLinesTest, LinesWaitForAReceiverAndTheRestIsSummedUp) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);  // and nobody reads
  JsonLines backend = make({.max_lines = 3, .patience = std::chrono::milliseconds(0)});
  for (std::uint64_t i = 1; i <= 10; ++i) {
    script_.dispatched(StatId::kWSYNC, i * i);
    EXPECT_FALSE(backend.publish(script_.next()));
  }
  EXPECT_FALSE(backend.health().up);
  EXPECT_EQ(backend.health().pending, 3U);
  EXPECT_EQ(backend.health().lost, 7U);
  std::filesystem::remove(file_);  // now a plain file
  script_.dispatched(StatId::kWSYNC, 121);
  ASSERT_TRUE(backend.publish(script_.next()));
  JsonReader reader;
  reader.connection(content());
  EXPECT_EQ(reader.lines, 4);
  EXPECT_EQ(reader.gaps, 0);
  EXPECT_EQ(reader.sum(kWsync), 121U);
  EXPECT_EQ(backend.health().lost, 7U);
  EXPECT_EQ(backend.health().pending, 0U);
}

TEST_F(JsonLinesTest, BytesAreBoundedToo) {
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  JsonLines backend = make({.max_lines = 1000, .max_bytes = 2000});
  for (int i = 0; i < 50; ++i) {
    script_.dispatched(StatId::kWSYNC, 1);
    EXPECT_FALSE(backend.publish(script_.next()));
  }
  EXPECT_LE(backend.health().pending, 10U);
  EXPECT_GE(backend.health().lost, 40U);
}

TEST_F(JsonLinesTest, AFileThatWasRotatedIsFollowed) {
  JsonLines backend = make();
  script_.dispatched(StatId::kWSYNC, 3);
  ASSERT_TRUE(backend.publish(script_.next()));
  std::filesystem::rename(file_, file_ + ".1");
  std::ofstream(file_).flush();  // as logrotate's "create" does
  script_.dispatched(StatId::kWSYNC, 5);
  ASSERT_TRUE(backend.publish(script_.next()));
  JsonReader reader;
  EXPECT_NE(content().find("\"seq\":2"), std::string::npos);
  reader.connection(read_file(file_ + ".1").value());
  reader.connection(content());
  EXPECT_EQ(reader.lines, 2);
  EXPECT_EQ(reader.sum(kWsync), 5U);
}

TEST_F(JsonLinesTest, APieceThatAKillLeftIsNotJoined) {
  std::ofstream(file_) << "{\"seq\":";
  JsonLines backend = make();
  ASSERT_TRUE(backend.publish(script_.next()));
  EXPECT_TRUE(content().starts_with("{\"seq\":\n{\"stream\":"));
}

TEST_F(JsonLinesTest, DeltasAddUpOverARestartAndAReload) {
  JsonReader reader;
  SnapshotPtr last;
  {
    JsonLines backend = make();
    script_.dispatched(StatId::kWSYNC, 7);
    last = script_.next();
    ASSERT_TRUE(backend.publish(last));
  }
  {
    JsonLines reloaded = make();
    reloaded.begin_at(*last);
    script_.dispatched(StatId::kWSYNC, 10);
    ASSERT_TRUE(reloaded.publish(script_.next()));
  }
  script_ = SnapshotScript();
  JsonLines restarted = make();
  script_.dispatched(StatId::kWSYNC, 4);
  ASSERT_TRUE(restarted.publish(script_.next()));
  reader.connection(content());
  EXPECT_EQ(reader.doubles, 0);
  EXPECT_EQ(reader.sum(kWsync), 14U);
}

TEST_F(JsonLinesTest, ADirectoryThatIsMissingIsSaid) {
  file_ = dir_ / "none/out";
  JsonLines backend = make();
  const Status status = backend.publish(script_.next());
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().what.find(file_), std::string::npos);
}

}  // namespace
}  // namespace flowtap::stats
