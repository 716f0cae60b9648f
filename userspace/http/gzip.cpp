#include "http/gzip.hpp"

#include <zlib.h>

#include <cstdint>

namespace flowtap::http {
namespace {

// zlib: the largest window, and gzip's header in place of its own.
constexpr int kWindow = 15 + 16;
constexpr int kMemory = 8;

}  // namespace

std::optional<std::string> gzip(std::string_view body) {
  z_stream z{};
  // One thread makes all answers, so this is the fastest level: it already shrinks JSON to a fifth.
  if (::deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, kWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    return std::nullopt;
  std::string out(::deflateBound(&z, static_cast<uLong>(body.size())), '\0');
  // zlib does not write to its input, although the type allows it.
  z.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(body.data()));
  z.avail_in = static_cast<uInt>(body.size());
  z.next_out = reinterpret_cast<Bytef*>(out.data());
  z.avail_out = static_cast<uInt>(out.size());
  const bool done =
      body.size() <= UINT32_MAX && out.size() <= UINT32_MAX && ::deflate(&z, Z_FINISH) == Z_STREAM_END;
  out.resize(out.size() - z.avail_out);
  out.shrink_to_fit();  // a slow client may keep it for a while
  ::deflateEnd(&z);
  return done ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace flowtap::http
