// Followed files between a scripted tap and scripted files.
#pragma once

#include "stream/journal/files/file_streams.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>

#include "stream/journal/journal.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap::flow {

// What a test writes, and what is left of it when it is truncated.
struct Disk {
  std::string text;
  bool gone = false;
  std::size_t block = 0;  // a whole block of zeros is a hole; 0: there are none

  [[nodiscard]] bool is_hole(std::size_t at) const {
    return block > 0 && std::string_view(text).substr(at - at % block, block).find_first_not_of('\0') ==
                            std::string_view::npos;
  }
  void put(std::size_t at, const std::string& bytes) {
    text.resize(std::max(text.size(), at + bytes.size()));
    text.replace(at, bytes.size(), bytes);
  }
};

class ScriptedContent final : public FileContent {
 public:
  ScriptedContent(const Disk& disk, std::vector<FilePlace>& places) : disk_(disk), places_(places) {}

  [[nodiscard]] std::optional<std::uint64_t> size() const override {
    return disk_.gone ? std::nullopt : std::optional<std::uint64_t>(disk_.text.size());
  }
  [[nodiscard]] std::optional<Written> written(std::uint64_t position) const override {
    if (disk_.gone) return std::nullopt;
    std::uint64_t begin = position;
    while (begin < disk_.text.size() && disk_.is_hole(begin)) ++begin;
    std::uint64_t end = begin;
    while (end < disk_.text.size() && !disk_.is_hole(end)) ++end;
    return end > begin ? std::optional(Written{begin, end}) : std::nullopt;
  }
  [[nodiscard]] std::size_t read(std::uint64_t position, std::span<std::byte> into) const override {
    if (disk_.gone || position >= disk_.text.size()) return 0;
    const std::size_t n = std::min<std::size_t>(into.size(), disk_.text.size() - position);
    std::copy_n(reinterpret_cast<const std::byte*>(disk_.text.data()) + position, n, into.begin());
    return n;
  }
  [[nodiscard]] StreamName name(const FilePlace& place) const override {
    places_.push_back(place);
    return {.flow = "file/log", .output = "both", .identity = "{}", .kind = FTAP_KIND_FILE};
  }

 private:
  const Disk& disk_;
  std::vector<FilePlace>& places_;
};

// The tap of one file: counts what is written, and tells of it or not.
class ScriptedTap {
 public:
  explicit ScriptedTap(StreamNo stream) : stream_(stream) {}

  // Appends; the record tells of it.
  Bytes write(const std::string& text) {
    const Bytes record = unseen(text);
    counted_ += text.size();
    return record;
  }
  // Writes where a writer stands that does not append.
  Bytes write_at(std::size_t position, const std::string& text) {
    kept_.push_back(text);
    const Bytes record{stream_, counted_, position, std::as_bytes(std::span(kept_.back()))};
    disk.put(position, text);
    counted_ += text.size();
    return record;
  }
  // Writes past the tap altogether, as through io_uring. Returns what the record would have been.
  Bytes unseen(const std::string& text) {
    kept_.push_back(text);
    const Bytes record{stream_, counted_, disk.text.size(), std::as_bytes(std::span(kept_.back()))};
    disk.text += text;
    return record;
  }

  Disk disk;

 private:
  StreamNo stream_;
  std::uint64_t counted_ = 0;
  std::deque<std::string> kept_;
};

class FileStreamsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto journal = Journal::open({.dir = dir_ / "journal"});
    ASSERT_TRUE(journal) << journal.error().what;
    journal_ = std::move(*journal);
  }

  static constexpr std::uint64_t kBegin =
      1'700'000'000'000'000'000;  // ns since 1970, when the test's clock begins

  void add(StreamNo stream, FileStream::Start start = {}) {
    start.stream = stream;
    start.tapped_at = time();
    files_.add({start, "file/log", std::make_unique<ScriptedContent>(taps_.at(stream).disk, places_)});
  }
  // `late`: for how long the records were in the ring.
  void round(const std::vector<Bytes>& records = {}, bool drained = true,
             std::chrono::nanoseconds late = {}) {
    now_ += std::chrono::milliseconds(10);
    files_.begin_round(batch_);
    for (const Bytes& record : records)
      files_.take(record, time() - static_cast<std::uint64_t>(late.count()), batch_);
    behind_ = files_.read_on(drained, time(), batch_);
    append();
  }
  // ns since 1970
  [[nodiscard]] std::uint64_t time() const {
    return kBegin + static_cast<std::uint64_t>(std::chrono::nanoseconds(now_.time_since_epoch()).count());
  }
  // As the consumer's sweep does.
  void look(int times = 3) {
    for (int i = 0; i < times; ++i) {
      now_ += std::chrono::milliseconds(100);
      files_.look(now_, true);
      round();
    }
  }
  void append() {
    batch_.set_position("ring", ++position_);
    ASSERT_TRUE(journal_->append(batch_));
    batch_.clear();
    files_.refresh();
  }
  [[nodiscard]] std::string text(StreamNo stream) {
    round();  // gaps are not waited for any more
    std::string all;
    std::uint64_t from = 0;
    while (true) {
      const auto reading = journal_->read(stream, from, 1U << 20U);
      if (!reading || reading->pieces.empty()) return all;
      for (const Piece& piece : reading->pieces)
        all +=
            piece.gap ? "(" + std::to_string(piece.length) + " missing)" : std::string(reading->text(piece));
      from = reading->next.front().next;
    }
  }

  test::TempDir dir_;
  std::unique_ptr<Journal> journal_;
  std::map<StreamNo, ScriptedTap> taps_;
  ScriptedTap& tap_ = taps_.try_emplace(1, 1).first->second;
  ScriptedTap& next_ = taps_.try_emplace(2, 2).first->second;
  std::vector<FilePlace> places_;
  FileStreams files_;
  Batch batch_;
  RingPosition position_ = 0;
  FileStream::Clock::time_point now_{};
  bool behind_ = false;
};

}  // namespace flowtap::flow
