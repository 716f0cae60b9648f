#include "stream/journal/files/file_stream.hpp"

#include <algorithm>
#include <array>

namespace flowtap::flow {
namespace {

using namespace std::chrono_literals;

// A record that was overtaken is made later by as long as its task stays off its CPU. How long it then waits in the ring does not
// matter: all these times are those of records, and of the moments in which the file was read.
constexpr std::uint64_t kOvertaken = 2'000'000'000;  // ns
// If a step stays for this long, the order of records is not its cause: bytes went by unseen.
constexpr std::uint64_t kSteady = 200'000'000;  // ns
// By then, what the tap saw is out of its ring.
constexpr auto kSettled = 100ms;
constexpr std::size_t kReadAtOnce = Batch::kMaxEntry;

std::int64_t step_of(const Bytes& record) {
  return static_cast<std::int64_t>(record.position) - static_cast<std::int64_t>(record.offset);
}

}  // namespace

FileStream::FileStream(const Start& start, const FileContent& content)
    : stream_(start.stream),
      content_(content),
      offset_(start.offset),
      position_(start.position),
      target_(start.position),
      step_(start.step),
      told_{static_cast<std::int64_t>(start.position) - static_cast<std::int64_t>(start.offset), start.step} {
  // Writes that were under way when the tap was told of the file still show as records, but are in the file before.
  if (!step_) owed_ = Owed{0, std::max(start.tapped_from, start.position), start.tapped_at + kOvertaken};
}

void FileStream::take(const Bytes& record, std::uint64_t time, Sink& sink) {
  restless_since_.reset();
  const std::int64_t step = step_of(record);
  const std::uint64_t end = record.position + record.bytes.size();
  const bool goes_on = !is_behind() && record.position == position_;
  const bool comes_back = !is_behind() && high_ && record.position == *high_;
  if ((goes_on && (!step_ || *step_ == step)) || (comes_back && record.position > position_)) {
    if (comes_back) move_to(record.position);
    step_ = step;
    candidate_.reset();
    return append(record, time, sink);
  }
  if (record.position < position_ && !is_known(record, step, time)) {
    rewind(record, step);
    if (position_ == record.position) return append(record, time, sink);
  } else {
    note_step(step, time);
  }
  if (end <= position_) return;
  target_ = std::max(target_, end);
  read(sink, record.position);
  if (position_ >= end || sink.budget == 0) return;
  // The file does not have what stood before this record any more. The record has its own bytes with it.
  if (position_ < record.position) lose(record.position - position_);
  Bytes rest = record;
  rest.bytes = record.bytes.subspan(position_ - record.position);
  append(rest, time, sink);
}

void FileStream::postpone(const Bytes& record) {
  target_ = std::max(target_, record.position + record.bytes.size());
}

// Whether a record that stands before the end of what is known was read from the file already. If it was not, the file begins
// anew.
bool FileStream::is_known(const Bytes& record, std::int64_t step, std::uint64_t time) const {
  if (step_ && *step_ == step) return true;
  const std::uint64_t end = std::min(record.position + record.bytes.size(), position_);
  if (!owed_ || time > owed_->until || record.position < owed_->from || end > owed_->to) return false;
  const auto size = content_.size();
  return size && *size >= position_;
}

void FileStream::append(const Bytes& record, std::uint64_t time, Sink& sink) {
  tell_place(sink.batch);
  sink.batch.add(BytesEntry{stream_, offset_, time, position_, record.bytes});
  offset_ += record.bytes.size();
  position_ += record.bytes.size();
  target_ = std::max(target_, position_);
  behind_hole_ = false;
  blank_ = false;
}

void FileStream::rewind(const Bytes& record, std::int64_t step) {
  // The tap counted bytes since that nobody has: they went with the content that was cut off.
  const std::uint64_t known_to = std::max(position_, target_);
  const std::int64_t expected = static_cast<std::int64_t>(known_to) - step_.value_or(0);
  const auto counted = static_cast<std::int64_t>(record.offset);
  std::uint64_t unseen = step_ && counted > expected ? static_cast<std::uint64_t>(counted - expected) : 0;
  if (is_behind()) lose(target_ - position_);
  const auto size = content_.size();
  const bool truncated = size && *size < known_to;
  const std::uint64_t start = truncated ? 0 : record.position;
  unseen -= std::min(unseen, record.position - start);
  offset_ += unseen;
  missing_ += unseen;
  high_ = known_to;
  position_ = start;
  target_ = start;
  behind_hole_ = truncated;
  step_ = step;
  candidate_.reset();
  owed_.reset();
}

// The file's bytes up to there do not belong to the flow.
void FileStream::move_to(std::uint64_t position) {
  position_ = position;
  target_ = position;
  high_.reset();
}

void FileStream::pass_over(std::uint64_t to) {
  if (to <= position_) return;
  if (owed_ && owed_->to == position_) owed_->to = to;
  position_ = to;
  target_ = std::max(target_, to);
  behind_hole_ = true;
}

void FileStream::lose(std::uint64_t bytes) {
  offset_ += bytes;
  position_ += bytes;
  missing_ += bytes;
  target_ = std::max(target_, position_);
}

void FileStream::note_step(std::int64_t step, std::uint64_t time) {
  if (step_ && *step_ == step) return candidate_.reset();
  if (!candidate_ || candidate_->step != step) {
    candidate_ = Candidate{step, time};
  } else if (time >= candidate_->since + kSteady) {
    step_ = step;
    candidate_.reset();
  }
}

void FileStream::look(Clock::time_point now, bool drained) {
  const auto size = content_.size();
  if (!size || *size == position_ || is_behind()) return restless_since_.reset();
  // By now the tap has told of what the file had a while ago, if it ever will. The file may grow all the while.
  const bool is_cut = *size < position_;
  const bool goes_on = restless_since_ && *size >= restless_size_ && (is_cut || position_ < restless_size_);
  if (!goes_on) {
    restless_since_ = now;
    restless_size_ = *size;
    return;
  }
  if (!drained || now - *restless_since_ < kSettled) return;
  restless_since_.reset();
  if (!is_cut) {
    target_ = restless_size_;
    return;
  }
  // The file was cut off. What comes now stands at its new end, or where the old end was if a writer keeps its position.
  high_ = position_;
  position_ = 0;
  behind_hole_ = true;
  target_ = restless_size_;
  step_.reset();
  candidate_.reset();
  owed_.reset();
}

void FileStream::settle() {
  if (const auto size = content_.size(); size && *size > target_) target_ = *size;
}

void FileStream::read_on(Sink& sink) {
  read(sink, std::nullopt);
}

void FileStream::read(Sink& sink, std::optional<std::uint64_t> told) {
  std::array<std::byte, kReadAtOnce>
      chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled by read()
  while (is_behind() && sink.budget > 0) {
    auto written = content_.written(position_);
    const auto size = content_.size();
    if (!size || *size <= position_) return;
    if (written && written->begin == position_) {
      const std::uint64_t wanted =
          std::min({target_ - position_, sink.budget, std::uint64_t{chunk.size()}, written->end - position_});
      const std::size_t n = content_.read(position_, std::span(chunk).first(wanted));
      if (n == 0) return;
      const bool before_hole = position_ + n == written->end && written->end < *size;
      if (add_read(std::span(chunk).first(n), before_hole, sink)) continue;
      written = content_.written(written->end);
    }
    const std::uint64_t hole_end = written ? written->begin : *size;
    if (told) {
      pass_over(std::min(hole_end, *told));
      if (hole_end > *told) return;
    } else if (written) {
      pass_over(std::min(hole_end, target_));
    } else {
      target_ = position_;
      blank_ = true;
    }
  }
}

bool FileStream::add_read(std::span<const std::byte> bytes, bool before_hole, Sink& sink) {
  const auto is_written = [](std::byte byte) { return byte != std::byte{0}; };
  sink.budget -= bytes.size();
  if (behind_hole_) {
    const auto first = static_cast<std::size_t>(std::ranges::find_if(bytes, is_written) - bytes.begin());
    pass_over(position_ + first);
    bytes = bytes.subspan(first);
  }
  const std::size_t all = bytes.size();
  while (before_hole && !bytes.empty() && !is_written(bytes.back())) bytes = bytes.first(bytes.size() - 1);
  if (!bytes.empty()) {
    tell_place(sink.batch);
    sink.batch.add(BytesEntry{stream_, offset_, sink.time, position_, bytes});
    if (!owed_ || owed_->to < position_ || sink.time > owed_->until) owed_ = Owed{position_, position_, 0};
    offset_ += bytes.size();
    position_ += bytes.size();
    filled_ += bytes.size();
    owed_->to = position_;
    owed_->until = sink.time + kOvertaken;
    behind_hole_ = false;
    blank_ = false;
  }
  return bytes.size() == all;
}

void FileStream::give_up() {
  if (is_behind()) lose(target_ - position_);
}

void FileStream::tell_place(Batch& batch) {
  const FilePlace place{static_cast<std::int64_t>(position_) - static_cast<std::int64_t>(offset_), step_};
  if (place == told_) return;
  told_ = place;
  batch.add(StreamEntry{stream_, content_.name(place)});
}

}  // namespace flowtap::flow
