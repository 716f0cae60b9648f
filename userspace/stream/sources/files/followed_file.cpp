#include "stream/sources/files/followed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cerrno>

#include "identity/flow_id.hpp"

namespace flowtap {
namespace {

namespace json = boost::json;

constexpr int kFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY;

std::int64_t born(const struct statx& status) {
  if ((status.stx_mask & STATX_BTIME) == 0) return 0;
  return std::int64_t{status.stx_btime.tv_sec} * 1'000'000'000 + status.stx_btime.tv_nsec;
}

std::optional<std::int64_t> number(const json::object& object, const char* name) {
  const auto* member = object.if_contains(name);
  if (member == nullptr || !member->is_number()) return std::nullopt;
  json::error_code error;
  const auto value = member->to_number<std::int64_t>(error);
  return error ? std::nullopt : std::optional(value);
}

}  // namespace

Result<OpenedFile> open_log_file(PathWalk& walk, const std::string& path) {
  FTAP_TRY_ASSIGN(reached, walk.to(path));
  const struct statx& status = reached.status;
  if (!S_ISREG(status.stx_mode)) return fail(path + " is not a regular file");
  // It is not opened before: whoever owns the directory may lead to a device, and opening some devices is an act of its own.
  Fd fd(::open(("/proc/self/fd/" + std::to_string(reached.place.get())).c_str(), kFlags));
  if (!fd.valid()) return fail_errno(errno, "cannot open " + path);
  const auto device = static_cast<std::uint64_t>(status.stx_dev_major) << 32U | status.stx_dev_minor;
  return OpenedFile{
      std::make_shared<const Fd>(std::move(fd)), {device, status.stx_ino, born(status)}, status.stx_size};
}

std::string render_notes(const FileNotes& notes) {
  json::object object{{"path", notes.path}, {"born", notes.born}, {"base", notes.place.base}};
  if (notes.place.step) object["step"] = *notes.place.step;
  return json::serialize(object);
}

std::optional<FileNotes> parse_notes(std::string_view text) {
  json::error_code error;
  const json::value value = json::parse({text.data(), text.size()}, error);
  const json::object* object = error ? nullptr : value.if_object();
  if (object == nullptr) return std::nullopt;
  const auto* path = object->if_contains("path");
  const auto born = number(*object, "born");
  const auto base = number(*object, "base");
  if (path == nullptr || !path->is_string() || !born || !base) return std::nullopt;
  return FileNotes{std::string(path->get_string()), *born, {*base, number(*object, "step")}};
}

std::optional<FileNotes> notes_of(const flow::StreamView& stream) {
  if (!stream.name || stream.name->kind != FTAP_KIND_FILE) return std::nullopt;
  auto notes = parse_notes(stream.name->identity);
  if (!notes || stream.name->flow != identity::file_flow_id(notes->path)) return std::nullopt;
  return notes;
}

std::optional<std::uint64_t> FollowedFile::size() const {
  struct stat status{};
  if (!fd_ || ::fstat(fd_->get(), &status) != 0) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

// The descriptor is nobody else's, and its own position is used for nothing else.
std::optional<flow::FileContent::Written> FollowedFile::written(std::uint64_t position) const {
  if (!fd_) return std::nullopt;
  const off_t begin = ::lseek(fd_->get(), static_cast<off_t>(position), SEEK_DATA);
  if (begin < 0) return std::nullopt;
  const off_t end = ::lseek(fd_->get(), begin, SEEK_HOLE);
  if (end <= begin) return std::nullopt;
  return Written{static_cast<std::uint64_t>(begin), static_cast<std::uint64_t>(end)};
}

std::size_t FollowedFile::read(std::uint64_t position, std::span<std::byte> into) const {
  if (!fd_) return 0;
  while (true) {
    const ssize_t n = ::pread(fd_->get(), into.data(), into.size(), static_cast<off_t>(position));
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno != EINTR) return 0;
  }
}

flow::StreamName FollowedFile::name(const flow::FilePlace& place) const {
  return {.flow = identity::file_flow_id(path_),
          .output = "both",
          .identity = render_notes({path_, born_, place}),
          .inode = inode_,
          .device = device_,
          .kind = FTAP_KIND_FILE};
}

}  // namespace flowtap
