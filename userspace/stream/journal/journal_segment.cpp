#include "stream/journal/journal_segment.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "base/hash/crc32c.hpp"
#include "base/positioned_io.hpp"

namespace flowtap::flow {
namespace {

constexpr std::string_view kSuffix = ".seg";
constexpr std::size_t kDigits = 8;

template <typename T>
std::span<const std::byte> raw(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

RawSegmentHead head_of(std::uint32_t number) {
  RawSegmentHead head{kSegmentMagic, kJournalVersion, sizeof(RawSegmentHead), number, 0};
  head.crc = crc32c(0, raw(head).first(offsetof(RawSegmentHead, crc)));
  return head;
}

/// What this build knows must be well formed; the kinds of a newer one are passed over.
bool is_well_formed(const EntryView& view) {
  switch (view.kind) {
    case EntryKind::kBytes:
    case EntryKind::kFileBytes:
      return bytes_entry(view).has_value();
    case EntryKind::kStream:
      return stream_entry(view).has_value();
    case EntryKind::kState:
      return state_entry(view).has_value();
    case EntryKind::kEnd:
      return end_entry(view).has_value();
    case EntryKind::kPosition:
      return position_entry(view).has_value();
    case EntryKind::kMissed:
      return missed_entry(view).has_value();
    case EntryKind::kBatch:
      return false;
  }
  return true;
}

}  // namespace

std::array<std::byte, kBatchHead> batch_head(std::uint64_t number,
                                             std::span<const std::span<const std::byte>> parts) {
  const EntryHead head{static_cast<std::uint16_t>(EntryKind::kBatch), kBatchMark, sizeof(RawBatch)};
  RawBatch batch{0, 0, number};
  for (const auto part : parts) batch.size += static_cast<std::uint32_t>(part.size());
  std::uint32_t crc = crc32c(0, raw(batch));
  for (const auto part : parts) crc = crc32c(crc, part);
  batch.crc = crc;
  std::array<std::byte, kBatchHead> out{};
  std::memcpy(out.data(), &head, sizeof head);
  std::memcpy(out.data() + sizeof head, &batch, sizeof batch);
  return out;
}

std::optional<BatchView> batch_at(std::span<const std::byte> bytes, std::size_t at) {
  if (bytes.size() < at || bytes.size() - at < kBatchHead) return std::nullopt;
  EntryHead head;
  RawBatch batch{};
  std::memcpy(&head, bytes.data() + at, sizeof head);
  std::memcpy(&batch, bytes.data() + at + sizeof head, sizeof batch);
  if (head.kind != static_cast<std::uint16_t>(EntryKind::kBatch) || head.mark != kBatchMark ||
      head.size != sizeof batch)
    return std::nullopt;
  const auto behind = bytes.subspan(at + kBatchHead);
  if (batch.size > behind.size()) return std::nullopt;
  const BatchView view{batch.number, at + kBatchHead, behind.first(batch.size)};
  const std::uint32_t crc = std::exchange(batch.crc, 0);
  if (crc32c(crc32c(0, raw(batch)), view.entries) != crc) return std::nullopt;
  EntryWalk walk(view.entries);
  while (const auto entry = walk.next())
    if (!is_well_formed(*entry)) return std::nullopt;
  if (walk.at() != view.entries.size()) return std::nullopt;
  return view;
}

SegmentHeadState look_at_head(std::span<const std::byte> bytes) {
  RawSegmentHead head{};
  if (bytes.size() < sizeof head) return SegmentHeadState::kBroken;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.magic != kSegmentMagic) return SegmentHeadState::kBroken;
  if (head.version != kJournalVersion) return SegmentHeadState::kOtherVersion;
  const bool fits =
      head.size == sizeof head && head.crc == crc32c(0, raw(head).first(offsetof(RawSegmentHead, crc)));
  return fits ? SegmentHeadState::kOurs : SegmentHeadState::kBroken;
}

std::string Segment::file_name(std::uint32_t number) {
  std::array<char, kDigits> digits{};
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number, 16);
  const auto size = static_cast<std::size_t>(end - digits.data());
  return std::string(kDigits - size, '0').append(digits.data(), size).append(kSuffix);
}

std::optional<std::uint32_t> Segment::number_of(std::string_view file_name) {
  if (file_name.size() != kDigits + kSuffix.size() || !file_name.ends_with(kSuffix)) return std::nullopt;
  std::uint32_t number = 0;
  const std::string_view digits = file_name.substr(0, kDigits);
  const char* const last = digits.data() + digits.size();
  const auto [end, error] = std::from_chars(digits.data(), last, number, 16);
  if (error != std::errc{} || end != last || number == 0) return std::nullopt;
  return number;
}

Result<Segment::Ptr> Segment::create(const std::string& dir, std::uint32_t number) {
  std::string path = dir + "/" + file_name(number);
  Fd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd.valid()) return fail_errno(errno, "cannot create " + path);
  Ptr segment(new Segment(std::move(fd), std::move(path), number, 0));
  const RawSegmentHead head = head_of(number);
  const std::array parts{raw(head)};
  if (auto written = segment->append(parts); !written) {
    segment->remove();
    return std::unexpected(std::move(written).error());
  }
  return segment;
}

Result<Segment::Ptr> Segment::open(const std::string& path, std::uint32_t number) {
  Fd fd(::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, "cannot open " + path);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(errno, "cannot look at " + path);
  if (!S_ISREG(status.st_mode)) return fail(path + " is not a regular file");
  return Ptr(new Segment(std::move(fd), path, number, static_cast<std::uint64_t>(status.st_size)));
}

Status Segment::append(std::span<const std::span<const std::byte>> parts) {
  std::vector<iovec> vectors;
  std::uint64_t bytes = 0;
  for (const auto part : parts) {
    // pwritev takes no const, and changes nothing.
    vectors.push_back({const_cast<std::byte*>(part.data()), part.size()});
    bytes += part.size();
  }
  if (auto written = write_at(fd_.get(), size(), vectors, path_); !written) {
    broken_ = !truncate(size());  // else the next start does it
    return written;
  }
  size_ += bytes;
  return {};
}

Status Segment::truncate(std::uint64_t size) {
  while (::ftruncate(fd_.get(), static_cast<off_t>(size)) != 0)
    if (errno != EINTR) return fail_errno(errno, "cannot cut " + path_);
  size_ = size;
  return {};
}

bool Segment::is_unlinked() const {
  struct stat status{};
  return ::fstat(fd_.get(), &status) != 0 || status.st_nlink == 0;
}

void Segment::remove() {
  ::unlink(path_.c_str());
}

Result<std::size_t> Segment::read(std::uint64_t at, std::span<std::byte> into) const {
  return read_at(fd_.get(), at, into, path_);
}

}  // namespace flowtap::flow
