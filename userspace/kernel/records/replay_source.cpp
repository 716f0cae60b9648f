// A recording's file is bytes from outside: its header and each length are checked before they are used.
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/positioned_io.hpp"
#include "kernel/records/recording.hpp"
#include "kernel/records/recording_format.hpp"

namespace flowtap::flow {
namespace {

template <std::size_t N>
std::string text_of(const std::array<char, N>& field) {
  return {field.data(), ::strnlen(field.data(), N)};
}

}  // namespace

ReplaySource::ReplaySource(Fd fd, std::string path, RecordingHeader header, std::string ring_id,
                           RingPosition begin, RingPosition end)
    : fd_(std::move(fd)),
      path_(std::move(path)),
      header_(std::move(header)),
      ring_id_(std::move(ring_id)),
      position_(begin),
      end_(end) {}

Result<std::unique_ptr<ReplaySource>> ReplaySource::open(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return fail_errno(errno, "cannot open the recording " + path);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(errno, "cannot look at the recording " + path);
  if (!S_ISREG(status.st_mode)) return fail("the recording " + path + " is not a regular file");
  RawRecordingHeader raw{};
  FTAP_TRY_ASSIGN(size, read_at(fd.get(), 0, std::as_writable_bytes(std::span(&raw, 1)), path));
  if (size != sizeof raw || raw.magic != kRecordingMagic)
    return fail(path + " does not begin as a recording does", "flowtapd --record FILE makes one");
  if (raw.version != kRecordingVersion || raw.size != sizeof raw)
    return fail(path + " is a recording of version " + std::to_string(raw.version) +
                "; this build reads version " + std::to_string(kRecordingVersion));
  RecordingHeader header{raw.wall_offset, text_of(raw.boot_id), text_of(raw.ring_id)};
  std::string ring_id = "recording/" + std::to_string(status.st_dev) + "/" + std::to_string(status.st_ino) +
                        "/" + std::to_string(raw.wall_offset) + "/" + header.ring_id;
  return std::unique_ptr<ReplaySource>(new ReplaySource(std::move(fd), path, std::move(header),
                                                        std::move(ring_id), sizeof raw,
                                                        static_cast<RingPosition>(status.st_size)));
}

Result<RingPosition> ReplaySource::drain(std::size_t limit,
                                         const std::function<void(std::span<const std::byte>)>& take) {
  RingPosition at = position_;
  std::vector<std::byte> record;
  for (std::size_t given = 0; given < limit && at < end_;) {
    RawRecordLength length{};
    FTAP_TRY_ASSIGN(head, read_at(fd_.get(), at, std::as_writable_bytes(std::span(&length, 1)), path_));
    const RingPosition begin = at + sizeof length;
    bool whole = head == sizeof length && length.bytes <= kMaxRecordedBytes && begin <= end_ &&
                 length.bytes <= end_ - begin;
    if (whole) {
      record.resize(length.bytes);
      FTAP_TRY_ASSIGN(size, read_at(fd_.get(), begin, record, path_));
      whole = size == record.size();
    }
    if (!whole) {
      torn_ += end_ - at;
      end_ = at;
      break;
    }
    take(record);
    given += record.size() + sizeof length;
    at = begin + length.bytes;
  }
  return at;
}

void ReplaySource::commit(RingPosition position) {
  if (position > position_ && position <= end_) position_ = position;
}

bool ReplaySource::wait(std::chrono::milliseconds /*longest*/) {
  return position_ < end_;
}

}  // namespace flowtap::flow
