// A flow's store beside a runtime's file of the same container.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>

#include "base/rfc3339.hpp"
#include "stream/reading/log_reader.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {

inline const std::string kUid = "4c9f1974-5c46-44c2-b42f-3bbf0e98eef9";
inline const std::string kFlow = "pod/shop/web-0/" + kUid + "/app/0";

inline std::chrono::system_clock::time_point second(std::uint64_t n) {
  return std::chrono::system_clock::time_point(std::chrono::seconds(n));
}

inline std::string line(std::uint64_t n) {
  return "line " + std::to_string(n) + "\n";
}

inline std::string lines(std::uint64_t from, std::uint64_t to) {
  std::string all;
  for (std::uint64_t n = from; n < to; ++n) all += line(n);
  return all;
}

class HistoryTest : public testing::Test {
 protected:
  // The runtime has the lines `from` to `to`; the n-th has the time of n seconds.
  void keep(std::uint64_t from, std::uint64_t to) {
    std::string text;
    for (std::uint64_t n = from; n < to; ++n)
      text += rfc3339_nano(second(n)) + (n % 10 == 3 ? " stderr F " : " stdout F ") + line(n);
    tree_.file("var/log/pods/shop_web-0_" + kUid + "/app/0.log", text);
  }
  // These lines were captured a moment before.
  void capture(std::uint64_t from, std::uint64_t to) {
    flow::FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow(kFlow);
    for (std::uint64_t n = from; n < to; ++n) {
      const std::string text = line(n);
      std::uint64_t& at = at_[n % 10 == 3 ? 1 : 0];
      const std::uint64_t end = at + text.size();
      writing.add(
          *flow, n % 10 == 3 ? 2 : 1, n % 10 == 3 ? "stderr" : "stdout",
          {std::string_view(text).substr(0, text.size() - 1), true, at, end, n * 1'000'000'000 - 50'000});
      at = end;
    }
  }

  std::string log(const api::LogReadOptions& options = {}, const LogOrigin& origin = {}) {
    auto reader = LogReader::open(*store_, *waker_, kFlow, options, history_.get(), nullptr, {},
                                  flow::Followers::Hurry::kYes, origin);
    if (!reader) return reader.error().what;
    for (auto done = (*reader)->prepare(); !done || !*done; done = (*reader)->prepare())
      if (!done) return done.error().what;
    std::string all;
    for (int rounds = 0; rounds < 100'000; ++rounds) {
      const auto piece = (*reader)->read(1000);
      if (!piece) return piece.error().what;
      all += piece->bytes;
      if (piece->end) return all;
      if (piece->bytes.empty() && !piece->again) return all + "...";
    }
    return "endless";
  }

  // This line of standard output was not captured.
  void lose(std::uint64_t n) { lose(n, n); }
  void lose(std::uint64_t n, std::uint64_t time) {
    flow::FlowStore::Writing writing(*store_, {});
    writing.add_gap(*writing.flow(kFlow), 1, "stdout", at_[0] += line(n).size(), time * 1'000'000'000);
  }

  void follow() {
    auto reader = LogReader::open(*store_, *waker_, kFlow, {.follow = true}, history_.get());
    ASSERT_TRUE(reader);
    follower_ = std::move(*reader);
  }
  // All that a follower can read now.
  std::string followed() {
    std::string all;
    for (int i = 0; i < 10; ++i) all += follower_->read(1000)->bytes;
    return all;
  }

  test::TempDir dir_;
  test::FileTree tree_;
  std::unique_ptr<flow::FlowStore> store_ = flow::FlowStore::open({.dir = dir_ / ""});
  std::unique_ptr<ReaderWaker> waker_ = std::move(*ReaderWaker::start());
  std::unique_ptr<Histories> history_ = std::move(*Histories::open(tree_.root()));
  std::array<std::uint64_t, 2> at_{};
  std::unique_ptr<LogReader> follower_;
};

}  // namespace flowtap
