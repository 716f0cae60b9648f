// A flow's log over a real store, and its reader.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "stream/reading/log_reader.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {

class LogReaderTest : public testing::Test {
 protected:
  LogReaderTest() {
    std::filesystem::create_directory(dir_ / "flows");
    options_.dir = dir_ / "flows";
    open();
  }
  void open() {
    store_.reset();
    store_ = flow::FlowStore::open(options_);
  }

  // Writes a line; the n-th line has the time of n seconds.
  void say(std::string_view text, bool full = true, std::string_view output = "stdout") {
    flow::FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("f");
    if (at_ == 0) writing.open_stream(*flow);
    const std::uint64_t end = at_ + text.size() + (full ? 1 : 0);
    writing.add(*flow, 1, output, {text, full, at_, end, ++time_ * 1'000'000'000});
    at_ = end;
  }
  void lose(std::uint64_t bytes) {
    flow::FlowStore::Writing writing(*store_, {});
    at_ += bytes;
    writing.add_gap(*writing.flow("f"), 1, "stdout", at_, ++time_ * 1'000'000'000);
  }
  void break_off() {
    flow::FlowStore::Writing writing(*store_, {});
    writing.add_break(*writing.flow("f"), 1, "stdout", ++time_ * 1'000'000'000);
  }
  void end() {
    flow::FlowStore::Writing writing(*store_, {});
    writing.end_stream(*writing.flow("f"), 1);
  }
  void flush() { store_->flush({}, 1, true); }

  std::unique_ptr<LogReader> reader(const api::LogReadOptions& options) {
    auto reader = LogReader::open(*store_, *waker_, "f", options);
    EXPECT_TRUE(reader) << reader.error().what;
    steps_ = 1;
    for (auto done = (*reader)->prepare(); done && !*done; done = (*reader)->prepare()) ++steps_;
    return std::move(*reader);
  }
  // All that can be read now; "|" where the log ends.
  static std::string drain(LogReader& reader, std::uint64_t* missing = nullptr) {
    std::string all;
    while (true) {
      const auto piece = reader.read(100);
      EXPECT_TRUE(piece);
      if (!piece) return all;
      all += piece->bytes;
      if (missing != nullptr) *missing += piece->missing_before;
      if (piece->end) return all + "|";
      if (piece->bytes.empty() && !piece->again) return all;
    }
  }
  std::string log(const api::LogReadOptions& options = {}) { return drain(*reader(options)); }

  test::TempDir dir_;
  std::unique_ptr<ReaderWaker> waker_ = std::move(*ReaderWaker::start());
  flow::StoreOptions options_;
  std::unique_ptr<flow::FlowStore> store_;
  std::uint64_t at_ = 0;
  std::uint64_t time_ = 0;
  unsigned steps_ = 0;  // taken by the last reader's preparation
};

}  // namespace flowtap
