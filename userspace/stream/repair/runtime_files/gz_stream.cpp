#include "stream/repair/runtime_files/gz_stream.hpp"

#include <zlib.h>

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/positioned_io.hpp"

namespace flowtap::flow {
namespace {

constexpr std::size_t kInput = 16'384;
// zlib: the largest window, and a gzip header has to be there.
constexpr int kWindow = 15 + 16;

}  // namespace

struct GzStream::Inflating {
  z_stream z{};
  std::array<Bytef, kInput> input{};
  Input read;
  std::string path;
  bool within = true;  // a member has begun and its end has not come; there must be at least one
  bool ended = false;
  std::optional<Error> error;

  Inflating() {
    if (::inflateInit2(&z, kWindow) != Z_OK) error = fail("there is no memory to read gzip").error();
  }
  Inflating(const Inflating&) = delete;
  Inflating& operator=(const Inflating&) = delete;
  ~Inflating() { ::inflateEnd(&z); }
};

GzStream::GzStream(Input input, std::string path) : state_(std::make_unique<Inflating>()) {
  state_->read = std::move(input);
  state_->path = std::move(path);
}

GzStream::GzStream(int fd, const std::string& path)
    : GzStream(
          [fd, path, offset = std::uint64_t{0}](std::span<std::byte> into) mutable {
            auto n = read_at(fd, offset, into, path);
            offset += n.value_or(0);
            return n;
          },
          path) {}

GzStream::GzStream(GzStream&&) noexcept = default;
GzStream& GzStream::operator=(GzStream&&) noexcept = default;
GzStream::~GzStream() = default;

Status GzStream::fill() {
  auto& s = *state_;
  FTAP_TRY_ASSIGN(n, s.read(std::as_writable_bytes(std::span(s.input))));
  if (n == 0 && s.within) return fail(s.path + " is cut: gzip has no end there");
  s.ended = n == 0;
  s.z.next_in = s.input.data();
  s.z.avail_in = static_cast<uInt>(n);
  return {};
}

Result<std::size_t> GzStream::read(std::span<std::byte> into) {
  auto& s = *state_;
  s.z.next_out = reinterpret_cast<Bytef*>(into.data());
  s.z.avail_out = static_cast<uInt>(into.size());
  while (s.z.avail_out > 0 && !s.ended && !s.error) {
    if (s.z.avail_in == 0) {
      if (auto filled = fill(); !filled) s.error = std::move(filled).error();
      continue;
    }
    s.within = true;
    const int answer = ::inflate(&s.z, Z_NO_FLUSH);
    if (answer == Z_STREAM_END) {  // another member may follow
      s.within = false;
      ::inflateReset(&s.z);
    } else if (answer != Z_OK) {
      s.error = fail(s.path + " is broken: " + (s.z.msg != nullptr ? s.z.msg : "no gzip")).error();
    }
  }
  const std::size_t done = into.size() - s.z.avail_out;
  if (done == 0 && s.error) return std::unexpected(*s.error);
  return done;
}

}  // namespace flowtap::flow
