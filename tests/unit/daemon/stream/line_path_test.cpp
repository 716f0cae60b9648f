// From the journal to the readable log's file, over starts.
#include "daemon/stream/line_path.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/wall_clock.hpp"
#include "tests/support/temp_dir.hpp"
#include "tests/unit/flow/journal_kit.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

std::string content(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The file's thread may be behind the flow of the main log when the process is killed.
TEST(LinePath, WhatTheMainLogsFileLacksOfItsFlowIsWrittenByTheNextStart) {
  const test::TempDir dir;
  const std::string path = dir / "main.log";
  fs::create_directory(dir / "flows");
  Config::Stream config;
  config.schedulers.logs = {"pod/kube-system/kube-scheduler-*/kube-scheduler"};
  config.schedulers.main_log = path;
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "I1121 01:34:50.000001       1 a.go:1] \"Something of our own\" n=" + std::to_string(i) + "\n";
  const auto journal = flow::open_journal(dir / "journal", 8U << 20U, 1U << 20U);
  flow::Batch batch;
  batch.add(flow::StreamEntry{
      1,
      {.flow = "pod/kube-system/kube-scheduler-a/u/kube-scheduler/0", .output = "stderr", .identity = {}}});
  batch.add(flow::BytesEntry{1, 0, wall_ns(), 0, flow::as_bytes(text)});
  ASSERT_TRUE(journal->append(batch));
  for (const std::size_t written : {text.size(), text.size() / 2, text.size() / 2 + 7}) {
    {
      const auto lines = LinePath::open(dir / "flows", config, *journal);
    }
    EXPECT_EQ(content(path), text);
    fs::resize_file(path, written);
  }
}

}  // namespace
}  // namespace flowtap
