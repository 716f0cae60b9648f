// Any bytes as a gzip file: it gives some bytes, never more than there is room for, and then an end or an error.
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>

#include "base/fd.hpp"
#include "stream/repair/runtime_files/gz_stream.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const flowtap::Fd fd(::memfd_create("gz", MFD_CLOEXEC));
  if (::write(fd.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  flowtap::flow::GzStream stream(fd.get(), "x.gz");
  std::array<std::byte, 4096> into{};
  // DEFLATE cannot expand more than this.
  for (std::size_t most = size * 1032 + 1, done = 0; done <= most;) {
    const auto n = stream.read(into);
    if (!n || *n == 0) return 0;
    if (*n > into.size()) std::abort();
    done += *n;
  }
  std::abort();
}
