// A consumer between a scripted ring, a real journal, and scripted slots and names.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernel/records/scripted_source.hpp"
#include "stream/journal/consumer/log_consumer.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap::flow {

class ScriptedSlots final : public StreamControl {
 public:
  std::map<StreamNo, StreamSlot> slots;
  std::vector<StreamNo> ended;
  std::vector<StreamNo> freed;
  std::vector<StreamNo> unused;
  bool woken = false;
  int beats = 0;
  std::map<StreamNo, std::vector<std::byte>> names;  // that are kept
  std::function<void()> next_beat;                   // is called once
  std::size_t most_names = SIZE_MAX;
  StreamNo next_number = 1000;

  [[nodiscard]] std::vector<StreamSlot> sweep() const override {
    std::vector<StreamSlot> all;
    for (const auto& [number, slot] : slots) all.push_back(slot);
    return all;
  }
  [[nodiscard]] std::vector<StreamSlot> abandoned(const std::vector<StreamSlot>& streams) const override {
    std::vector<StreamSlot> found;
    for (const StreamSlot& stream : streams)
      if (std::ranges::find(unused, stream.stream) != unused.end()) found.push_back(stream);
    return found;
  }
  Status end(const StreamSlot& slot) override {
    ended.push_back(slot.stream);
    slots.at(slot.stream).ended = true;
    return {};
  }
  Status abandon(const StreamSlot& slot) override {
    StreamSlot& there = slots.at(slot.stream);
    if (slot.written > there.passed) {
      there.lost[FTAP_LOSS_UNREAD] += slot.written - there.passed;
      there.passed = slot.written;
    }
    return end(slot);
  }
  void free(const StreamSlot& slot) override {
    freed.push_back(slot.stream);
    slots.erase(slot.stream);
    names.erase(slot.stream);
  }
  NameKept keep_name(StreamNo stream, std::span<const std::byte> name) override {
    if (name.size() > kMostKeptName) return NameKept::kTooLong;
    if (names.size() >= most_names && !names.contains(stream)) return NameKept::kNoRoom;
    names[stream].assign(name.begin(), name.end());
    return NameKept::kYes;
  }
  [[nodiscard]] std::vector<std::byte> kept_name(StreamNo stream) const override {
    const auto at = names.find(stream);
    return at == names.end() ? std::vector<std::byte>() : at->second;
  }
  [[nodiscard]] std::vector<StreamNo> kept_names() const override {
    std::vector<StreamNo> all;
    for (const auto& [stream, name] : names) all.push_back(stream);
    return all;
  }
  void forget_name(StreamNo stream) override { names.erase(stream); }
  [[nodiscard]] StreamNo take_number() override { return next_number++; }
  void beat() override {
    ++beats;
    if (const auto once = std::exchange(next_beat, nullptr)) once();
  }
  void wake(bool on) override { woken = on; }
};

// Gives one answer after the other, and the last one for ever.
class ScriptedNamer final : public Namer {
 public:
  std::vector<Naming> answers;
  std::size_t asked = 0;

  [[nodiscard]] Naming name(const Enter&) override {
    return answers.at(std::min(asked++, answers.size() - 1));
  }
  void learn(const StreamName& name, const StreamSlot& slot) override {
    learned.push_back(name.flow + " in " + std::to_string(slot.cgroup) +
                      (asked == 0 ? "" : " behind " + std::to_string(asked)));
  }
  std::vector<std::string> learned;
};

inline std::span<const std::byte> bytes(std::string_view text) {
  return std::as_bytes(std::span(text));
}

class ScriptedFile final : public FileContent {
 public:
  explicit ScriptedFile(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] std::optional<std::uint64_t> size() const override { return text_.size(); }
  [[nodiscard]] std::optional<Written> written(std::uint64_t position) const override {
    return Written{position, text_.size()};
  }
  [[nodiscard]] std::size_t read(std::uint64_t position, std::span<std::byte> into) const override {
    const auto rest = bytes(text_).subspan(position);
    std::ranges::copy(rest.first(std::min(rest.size(), into.size())), into.begin());
    return std::min(rest.size(), into.size());
  }
  [[nodiscard]] StreamName name(const FilePlace&) const override {
    return {.flow = "file/log", .output = "both", .identity = "{}", .kind = FTAP_KIND_FILE};
  }

 private:
  std::string text_;
};

inline Enter enter_of(StreamNo out, StreamNo err, std::uint64_t cgroup = 7) {
  Enter enter;
  enter.cgroup = cgroup;
  enter.pid = 100;
  enter.outputs = {Enter::Output{out, 1000 + out, 15, FTAP_KIND_PIPE},
                   Enter::Output{err, 1000 + err, 15, FTAP_KIND_PIPE}};
  return enter;
}

inline StreamSlot slot_of(StreamNo stream) {
  StreamSlot slot;
  slot.stream = stream;
  slot.cgroup = 7;
  slot.pid = 100;
  slot.fds = FTAP_STDOUT;
  return slot;
}

class LogConsumerTest : public testing::Test {
 protected:
  LogConsumerTest() : source_("ring") {
    namer_.answers = {{NamingState::kNamed, "pod/a/b/c/d/0", "{}", true, 5}};
    open();
  }

  void open(const std::string& name = "journal") {
    using namespace std::chrono_literals;
    consumer_.reset();
    journal_.reset();
    auto journal = Journal::open({.dir = dir_ / name});
    ASSERT_TRUE(journal) << journal.error().what;
    journal_ = std::move(*journal);
    consumer_ = std::make_unique<LogConsumer>(source_, *journal_, slots_, namer_,
                                              ConsumerOptions{.poll = 1ms,
                                                              .rest = 1ms,
                                                              .patience = 30ms,
                                                              .sweep = 0ms,
                                                              .slot_rest = 5ms,
                                                              .users = 0s,
                                                              .taker_patience = taker_patience_,
                                                              .ring_stays = [this] { return ring_stays_; },
                                                              .last_patience = last_patience_,
                                                              .followed = [this] { return lines_followed_; },
                                                              .now = [this] { return now_; }},
                                              &files_);
  }

  void rounds(int n = 3) {
    for (int i = 0; i < n; ++i) consumer_->round();
  }
  // A round each millisecond of the consumer's clock, however busy this machine is.
  void rounds_for(std::chrono::milliseconds time) {
    for (const auto end = now_ + time; now_ < end; now_ += std::chrono::milliseconds(1)) consumer_->round();
  }
  [[nodiscard]] std::string text(StreamNo stream) const {
    const auto reading = journal_->read(stream, 0, 1U << 20U);
    return reading ? reading->bytes : "not known";
  }
  [[nodiscard]] std::string flow_of(StreamNo stream) const {
    const auto view = journal_->stream(stream);
    return view && view->name ? view->name->flow + " " + view->name->output : "none";
  }

  test::TempDir dir_;
  ScriptedSource source_;
  ScriptedSlots slots_;
  ScriptedNamer namer_;
  FileStreams files_;
  std::unique_ptr<Journal> journal_;
  bool lines_followed_ = false;
  std::chrono::steady_clock::time_point now_ = std::chrono::steady_clock::now();
  std::chrono::milliseconds taker_patience_{500};
  bool ring_stays_ = false;
  std::chrono::milliseconds last_patience_{5000};
  std::unique_ptr<LogConsumer> consumer_;
};

}  // namespace flowtap::flow
