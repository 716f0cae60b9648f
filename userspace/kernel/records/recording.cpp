#include "kernel/records/recording.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/node/link_in_the_way.hpp"
#include "base/positioned_io.hpp"
#include "kernel/records/recording_format.hpp"

namespace flowtap::flow {
namespace {

template <std::size_t N>
void put_text(std::array<char, N>& field, const std::string& text) {
  std::memcpy(field.data(), text.data(), std::min(text.size(), N));
}

}  // namespace

RingRecorder::RingRecorder(Fd fd, std::uint64_t max_bytes, std::uint64_t header_bytes)
    : fd_(std::move(fd)), max_bytes_(max_bytes) {
  counts_.bytes = header_bytes;
}

Result<RingRecorder> RingRecorder::create(const std::string& path, const RecordingHeader& header,
                                          std::uint64_t max_bytes) {
  Fd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) {
    const int error = errno;
    const std::string what = "cannot create the recording " + path;
    if (auto link = link_in_the_way(what, path, Links::kNone)) return std::unexpected(std::move(*link));
    return fail_errno(error, what, error == EEXIST ? "move that file away, or name another one" : "");
  }
  RawRecordingHeader raw{};
  raw.magic = kRecordingMagic;
  raw.version = kRecordingVersion;
  raw.size = sizeof raw;
  raw.wall_offset = header.wall_offset;
  put_text(raw.boot_id, header.boot_id);
  put_text(raw.ring_id, header.ring_id);
  std::array<iovec, 1> parts{iovec{&raw, sizeof raw}};
  FTAP_TRY(write_at(fd.get(), 0, parts, path));
  return RingRecorder(std::move(fd), max_bytes, sizeof raw);
}

void RingRecorder::add(std::span<const std::byte> record) {
  const std::uint64_t more = sizeof(RawRecordLength) + record.size();
  // A whole record more must fit. Smaller ones behind one that did not fit are left out too, so that the file has no holes.
  if (counts_.left_out > 0 || counts_.bytes + pending_.size() + more > max_bytes_ ||
      record.size() > kMaxRecordedBytes) {
    ++counts_.left_out;
    return;
  }
  const RawRecordLength length{static_cast<std::uint32_t>(record.size())};
  const auto raw = std::as_bytes(std::span(&length, 1));
  pending_.insert(pending_.end(), raw.begin(), raw.end());
  pending_.insert(pending_.end(), record.begin(), record.end());
  ++pending_records_;
}

// What is written into a file that has lost its name would go with this process.
Status RingRecorder::write_pending() {
  struct stat here{};
  if (::fstat(fd_.get(), &here) == 0 && here.st_nlink == 0) return fail("its file was removed");
  std::array<iovec, 1> parts{iovec{pending_.data(), pending_.size()}};
  return write_at(fd_.get(), counts_.bytes, parts, "the recording");
}

void RingRecorder::flush() {
  if (pending_.empty()) return;
  if (const Status written = write_pending()) {
    counts_.bytes += pending_.size();
    counts_.records += pending_records_;
  } else {
    ++counts_.errors;
    counts_.left_out += pending_records_;
    counts_.last_error = written.error().what;
    // Half a record may stand there; without it the file ends as it should.
    if (::ftruncate(fd_.get(), static_cast<off_t>(counts_.bytes)) != 0)
      counts_.last_error += ", and what was written of it could not be taken back";
  }
  pending_.clear();
  pending_records_ = 0;
}

Result<RingPosition> RecordingSource::drain(std::size_t limit,
                                            const std::function<void(std::span<const std::byte>)>& take) {
  std::uint64_t seen = 0;
  auto end = inner_->drain(limit, [&](std::span<const std::byte> record) {
    if (++seen > recorded_) recorder_.add(record);
    take(record);
  });
  recorded_ = std::max(recorded_, seen);
  if (end && seen > 0) {
    const auto at = std::ranges::lower_bound(drained_, *end, {}, &Drained::end);
    if (at == drained_.end() || at->end != *end) drained_.insert(at, {*end, seen});
  }
  recorder_.flush();
  if (recorder_.counts().left_out > 0) cut_short_.store(true, std::memory_order_release);
  return end;
}

std::optional<std::string> RecordingSource::cut_short() const {
  if (!cut_short_.load(std::memory_order_acquire)) return std::nullopt;
  // Nothing is written any more, so these stay as they are.
  const std::string& error = recorder_.counts().last_error;
  return error.empty() ? "it has reached its limit of " + std::to_string(recorder_.max_bytes()) + " bytes"
                       : error;
}

void RecordingSource::commit(RingPosition position) {
  inner_->commit(position);
  std::uint64_t committed = 0;
  while (!drained_.empty() && drained_.front().end <= position) {
    committed = drained_.front().records;
    drained_.pop_front();
  }
  recorded_ -= std::min(recorded_, committed);
  for (Drained& drained : drained_) drained.records -= committed;
}

}  // namespace flowtap::flow
