// A flow's store with a journal and a runtime's file beside it, where each may have lost what the others have.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "base/rfc3339.hpp"
#include "stream/reading/forms/json_form.hpp"
#include "stream/reading/forms/otel_form.hpp"
#include "stream/reading/log_reader.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/stream/store/pipeline_kit.hpp"

namespace flowtap {

constexpr std::uint64_t kSecond = 1'000'000'000;
inline const std::string kPodUid = "4c9f1974-5c46-44c2-b42f-3bbf0e98eef9";
inline const std::string kPodFlow = "pod/shop/web-0/" + kPodUid + "/app/0";

inline std::chrono::system_clock::time_point at_second(std::uint64_t n) {
  return std::chrono::system_clock::time_point(std::chrono::seconds(n));
}

inline std::string numbered(std::uint64_t n) {
  return "line " + std::to_string(n) + "\n";
}
inline std::string numbered(std::uint64_t from, std::uint64_t to) {
  std::string all;
  for (std::uint64_t n = from; n < to; ++n) all += numbered(n);
  return all;
}
inline std::string made_room(std::uint64_t bytes) {
  return "[flowtap: " + std::to_string(bytes) +
         " bytes are missing here: they had to make room for newer ones]\n";
}

class EarlierLinesTest : public testing::Test {
 protected:
  EarlierLinesTest() {
    std::filesystem::create_directory(dir_ / "flows");
    options_.dir = dir_ / "flows";
    options_.flow_bytes = std::uint64_t{16} << 10U;
    open();
  }
  void open(std::uint64_t journal_bytes = std::uint64_t{8} << 20U) {
    pipeline_.reset(), store_.reset(), journal_.reset();
    journal_ = flow::open_journal(dir_ / "journal", journal_bytes);
    store_ = flow::FlowStore::open(options_);
    pipeline_ = std::make_unique<flow::Pipeline>(*journal_, *store_, journal_bytes);
    pipeline_->replay(1);
  }

  // The n-th line has the time of n seconds, and the first one that of 1 ns, since 0 is no time. Every tenth is standard error's.
  void write(std::uint64_t from, std::uint64_t to, const std::string& id = kPodFlow) {
    flow::Batch batch;
    for (const flow::StreamNo stream : {flow::StreamNo{1}, flow::StreamNo{2}})
      if (from == 0)
        batch.add(flow::StreamEntry{
            stream, {.flow = id, .output = stream == 1 ? "stdout" : "stderr", .identity = {}}});
    for (std::uint64_t n = from; n < to; ++n) {
      const std::string text = numbered(n);
      std::uint64_t& at = at_[n % 10 == 3 ? 1 : 0];
      const std::uint64_t time = std::max<std::uint64_t>((n + late_) * kSecond, 1);
      batch.add(flow::BytesEntry{n % 10 == 3 ? flow::StreamNo{2} : flow::StreamNo{1}, at, time, 0,
                                 flow::as_bytes(text)});
      at += text.size();
      if (n % 100 == 99 || n + 1 == to) append(batch);
    }
  }
  void append(flow::Batch& batch) {
    ASSERT_TRUE(journal_->append(batch));
    batch.clear();
    while (pipeline_->take(flow::Pipeline::Clock::now(), 1)) continue;
    store_->flush(flow::FlowStore::Clock::now(), 1, true);
  }
  // Bytes that have been overtaken are waited for, and then given up.
  void give_up_waiting() {
    while (pipeline_->take(flow::Pipeline::Clock::now() + std::chrono::seconds(5), 1)) continue;
    store_->flush(flow::FlowStore::Clock::now(), 1, true);
  }
  // The bytes of another flow, so that the journal makes room.
  void flood(std::size_t bytes, std::uint64_t time = 5000) {
    flow::Batch batch;
    batch.add(flow::StreamEntry{9, {.flow = "unit/flood", .output = "stdout", .identity = {}}});
    const std::string block(4095, 'x');
    for (std::size_t had = 0; had < bytes; had += 4096, flooded_ += 4096) {
      const std::string text = block + "\n";
      batch.add(flow::BytesEntry{9, flooded_, time * kSecond, 0, flow::as_bytes(text)});
      append(batch);
    }
  }
  // The runtime has these lines. It dates each a moment after it was captured.
  void keep(std::uint64_t from, std::uint64_t to) {
    std::string text;
    for (std::uint64_t n = from; n < to; ++n)
      text += rfc3339_nano(at_second(n) + std::chrono::microseconds(50)) +
              (n % 10 == 3 ? " stderr F " : " stdout F ") + numbered(n);
    tree_.file("var/log/pods/shop_web-0_" + kPodUid + "/app/0.log", text);
  }

  std::unique_ptr<LogReader> reader(const api::LogReadOptions& options, const std::string& id = kPodFlow) {
    std::unique_ptr<Form> form;
    if (options.json) form = std::make_unique<JsonForm>(options);
    if (options.otel) form = std::make_unique<OtelForm>(id, options, false);
    auto reader = LogReader::open(*store_, *waker_, id, options, history_.get(), std::move(form), {},
                                  flow::Followers::Hurry::kYes,
                                  {.journal = journal_.get(), .drops_returns = drops_returns_});
    if (!reader) ADD_FAILURE() << reader.error().what;
    if (!reader) return nullptr;
    int step = 1;
    for (auto done = (*reader)->prepare(); !done || !*done; done = (*reader)->prepare(), ++step) {
      EXPECT_TRUE(done) << done.error().what;
      if (behind_step_) behind_step_(step);
    }
    return std::move(*reader);
  }
  // All that can be read now; "|" where the log ends.
  std::string drain(LogReader& reader) const {
    std::string all;
    std::uint64_t missing = 0;
    const auto known = reader.missing_bytes();
    while (true) {
      const auto piece = reader.read(1000);
      EXPECT_TRUE(piece) << piece.error().what;
      if (!piece) return all;
      all += piece->bytes;
      missing += piece->missing_before;
      if (piece->end) {
        if (!loses_meanwhile_) {
          EXPECT_EQ(missing, known.value_or(missing)) << "as it was said before";
        }
        return all + "|";
      }
      if (piece->bytes.empty() && !piece->again) return all;
    }
  }
  std::string log(const api::LogReadOptions& options = {.gaps = true}, const std::string& id = kPodFlow) {
    const auto opened = reader(options, id);
    return opened ? drain(*opened) : "";
  }
  /// The bytes that a log tells as missing, and its lines.
  struct Apart {
    std::size_t missing = 0;
    std::string shown;
  };
  static Apart taken_apart(const std::string& log) {
    Apart apart;
    for (std::size_t at = 0; at + 1 < log.size(); at = log.find('\n', at) + 1) {
      const std::string line = log.substr(at, log.find('\n', at) + 1 - at);
      if (line.starts_with("[flowtap: "))
        apart.missing += std::stoull(line.substr(10));
      else
        apart.shown += line;
    }
    return apart;
  }
  [[nodiscard]] std::uint64_t stored_lines() const {
    const auto bounds = store_->bounds(*store_->find(kPodFlow));
    return bounds->lines - bounds->lines_before;
  }

  flow::TmpfsDir dir_;
  test::FileTree tree_;
  flow::StoreOptions options_;
  std::unique_ptr<flow::Journal> journal_;
  std::unique_ptr<flow::FlowStore> store_;
  std::unique_ptr<flow::Pipeline> pipeline_;
  std::unique_ptr<ReaderWaker> waker_ = std::move(*ReaderWaker::start());
  std::unique_ptr<Histories> history_ = std::move(*Histories::open(tree_.root()));
  std::array<std::uint64_t, 2> at_{};
  std::uint64_t flooded_ = 0;
  std::uint64_t late_ = 0;  // seconds that lines are later than their numbers say
  bool drops_returns_ = false;
  std::function<void(int step)> behind_step_;  // called behind each but the last
  bool loses_meanwhile_ = false;               // what is missing is not known before the lines are read
};

}  // namespace flowtap
