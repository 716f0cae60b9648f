// Docker keeps U+FFFD for each byte that is not UTF-8: what it keeps is not what was written, and no difference either.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/rfc3339.hpp"
#include "stream/repair/flow_audit.hpp"
#include "stream/repair/gaps/flow_gaps.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
const std::string kId(64, 'd');
const std::string kDir = "var/lib/docker/containers/" + kId + "/";
const std::string kDb = "container/db-" + kId.substr(0, 12);

class DockerLog : public testing::Test {
 protected:
  void SetUp() override {
    tree_.file(kDir + "config.v2.json", R"({"ID":")" + kId + R"(","Name":"/db","LogPath":"/)" + kDir + kId +
                                            R"(-json.log","Config":{"Labels":{}}})");
    tree_.file(kDir + "hostconfig.json", R"({"LogConfig":{"Type":"json-file"},"CgroupParent":""})");
  }
  // The n-th line of these is dated n seconds; an escaped text of JSON.
  void keep(const std::vector<std::string>& lines) {
    std::string text;
    for (std::uint64_t n = 1; const std::string& line : lines)
      text += R"({"log":")" + line + R"(\n","stream":"stdout","time":")" +
              rfc3339_nano(std::chrono::system_clock::time_point(std::chrono::seconds(n++))) + "\"}\n";
    tree_.file(kDir + kId + "-json.log", text);
  }
  void capture(std::uint64_t second, const std::string& line) {
    flow::FlowStore::Writing writing(*store_, {});
    const std::uint64_t from = at_;
    at_ += line.size() + 1;
    writing.add(*writing.flow(kDb), 1, "stdout", {line, true, from, at_, second * kSecond - 50'000});
  }
  void lose(std::uint64_t second, std::uint64_t bytes) {
    flow::FlowStore::Writing writing(*store_, {});
    writing.add_gap(*writing.flow(kDb), 1, "stdout", at_ += bytes, second * kSecond);
  }
  [[nodiscard]] FlowAudit audit() const {
    return audit_flow(*store_, *history_, kDb, [] { return true; });
  }

  test::TempDir dir_;
  test::FileTree tree_;
  std::unique_ptr<flow::FlowStore> store_ = flow::FlowStore::open({.dir = dir_ / ""});
  std::unique_ptr<Histories> history_ = std::move(*Histories::open(tree_.root()));
  std::uint64_t at_ = 0;
};

TEST_F(DockerLog, AGapAtTheBeginningIsNotExact) {
  keep({R"(caf\ufffd caf\ufffd)", "what was captured first"});
  lose(1, 10);
  capture(2, "what was captured first");
  GapsDecided decided;
  const GapRound round = fill_gaps(*store_, *history_, kDb, decided, {});
  EXPECT_EQ(round.bytes.at(static_cast<std::size_t>(RefillResult::kApproximate)), 10U);
  const auto flow = store_->find(kDb);
  const auto bounds = store_->bounds(*flow);
  EXPECT_EQ(store_->read(*flow, bounds->begin, bounds->end)->text,
            "1970-01-01T00:00:01.000000000Z stdout F:approximate caf\xEF\xBF\xBD caf\xEF\xBF\xBD\n"
            "1970-01-01T00:00:01.999950000Z stdout F what was captured first\n");
}

TEST_F(DockerLog, WhatIsReplacedIsNoDifference) {
  keep({"begins with a line of letters", R"(caf\ufffd)", R"(\ufffd\ufffd and \ufffd, written so)", "end"});
  capture(1, "begins with a line of letters");
  capture(2, "caf\xE9");
  capture(3, "\xEF\xE4 and \xEF\xBF\xBD, written so");
  capture(4, "end");
  EXPECT_EQ(audit().result, AuditResult::kEqual) << audit().difference;
  keep(
      {"begins with a line of letters", R"(caf\ufffd)", R"(\ufffd\ufffd and \ufffd, written so)", "another"});
  EXPECT_EQ(audit().result, AuditResult::kDiffers);
  keep({"begins with a line of letters", R"(caf\ufffd)", R"(\ufffd \ufffd and \ufffd, written so)", "end"});
  EXPECT_EQ(audit().result, AuditResult::kDiffers);
  keep({"begins with a line of letters", R"(\ufffdaf\ufffd)", R"(\ufffd\ufffd and \ufffd, written so)",
        "end"});
  EXPECT_EQ(audit().result, AuditResult::kDiffers) << "c is replaced by nobody";
}

// Docker writes a long line in pieces of 16 KiB. One U+FFFD that was written across such an end becomes three.
TEST_F(DockerLog, WhatWasCutAmidACharacterIsNoDifference) {
  const std::string piece(16'383, 'x');
  const std::string entry =
      R"({"log":")" + piece + R"(\ufffd","stream":"stdout","time":"1970-01-01T00:00:01Z"})" + "\n";
  tree_.file(
      kDir + kId + "-json.log",
      entry + R"({"log":"\ufffd\ufffd goes on\n","stream":"stdout","time":"1970-01-01T00:00:02Z"})" + "\n");
  const std::string line = piece + "\xEF\xBF\xBD goes on";
  {
    flow::FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow(kDb);
    writing.add(*flow, 1, "stdout", {line.substr(0, 16'384), false, 0, 16'384, kSecond});
    writing.add(*flow, 1, "stdout", {line.substr(16'384), true, 16'384, line.size() + 1, kSecond});
  }
  EXPECT_EQ(audit().result, AuditResult::kEqual) << audit().difference;
}

TEST_F(DockerLog, WhatBeginsWithSuchBytesCannotBeCompared) {
  keep({R"(�t�)", "an older line", R"(�t�)", "end"});
  capture(3, "\xE9t\xE9");
  capture(4, "end");
  EXPECT_EQ(audit().result, AuditResult::kIncomplete);
}

}  // namespace
}  // namespace flowtap
