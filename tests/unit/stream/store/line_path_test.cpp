// From the journal to the readable log's file, over starts.
#include "stream/store/line_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "base/wall_clock.hpp"
#include "stream/lines/cri_line.hpp"
#include "tests/support/files/content.hpp"
#include "tests/support/files/temp_dir.hpp"
#include "tests/unit/stream/journal/journal_kit.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;
using test::content;

constexpr const char* kScheduler = "pod/kube-system/kube-scheduler-a/u/kube-scheduler/0";

std::string records(int from, int to) {
  std::string text;
  for (int i = from; i < to; ++i)
    text += "I1121 01:34:50.000001       1 a.go:1] \"Something of our own\" n=" + std::to_string(i) + "\n";
  return text;
}

// The file's thread may be behind the flow of the main log when the process is killed.
class KilledBehindItsFlow : public testing::Test {
 protected:
  KilledBehindItsFlow() {
    fs::create_directory(dir_ / "flows");
    options_.schedulers.logs = {"pod/kube-system/kube-scheduler-*/kube-scheduler"};
    options_.schedulers.main_log = path_;
    batch_.add(flow::StreamEntry{1, {.flow = kScheduler, .output = "stderr", .identity = {}}});
  }
  void bytes(std::uint64_t offset, std::string_view text) {
    batch_.add(flow::BytesEntry{1, offset, wall_ns(), 0, flow::as_bytes(text)});
    ASSERT_TRUE(journal_->append(batch_));
    batch_.clear();
  }
  void start() const { static_cast<void>(LinePath::open(dir_ / "flows", options_, *journal_)); }
  void expect_whole_behind(std::size_t written, const std::string& text) const {
    fs::resize_file(path_, written);
    start();
    EXPECT_EQ(content(path_), text) << written;
  }

  const test::TempDir dir_;
  const std::string path_ = dir_ / "main.log";
  const std::unique_ptr<flow::Journal> journal_ = flow::open_journal(dir_ / "journal", 8U << 20U, 1U << 20U);
  LineOptions options_{.flows_bytes = 64U << 20U, .journal_bytes = 32U << 20U, .flows = {}, .schedulers = {}};
  flow::Batch batch_;
};

TEST_F(KilledBehindItsFlow, TheNextStartWritesWhatTheMainLogsFileLacks) {
  const std::string text = records(0, 100);
  bytes(0, text);
  start();
  EXPECT_EQ(content(path_), text);
  for (const std::size_t written : {text.size() / 2, text.size() / 2 + 7}) expect_whole_behind(written, text);
}

TEST_F(KilledBehindItsFlow, AlsoBehindAGapAmidALine) {
  const std::string before = records(0, 10);
  const std::string half = records(10, 11).substr(0, 40);
  const std::string behind = records(20, 30);
  bytes(0, before + half);
  bytes(before.size() + half.size() + 100, behind);
  const std::string upto = before + half + "\n" + flow::scheduler_gap_text(100) + "\n";
  start();
  EXPECT_EQ(content(path_), upto + behind);
  for (const std::size_t written : {upto.size(), upto.size() - 7})
    expect_whole_behind(written, upto + behind);
}

}  // namespace
}  // namespace flowtap
