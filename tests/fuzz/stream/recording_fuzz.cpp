// Any bytes as a recorded ring: the source ends, and gives no more bytes than the file has.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/fd.hpp"
#include "kernel/records/record.hpp"
#include "kernel/records/recording.hpp"

using namespace flowtap;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Fd file(::memfd_create("recording", MFD_CLOEXEC));
  if (!file.valid() || ::write(file.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  const auto source = flow::ReplaySource::open("/proc/self/fd/" + std::to_string(file.get()));
  if (!source) return 0;
  std::size_t given = 0;
  flow::RingPosition before = 0;
  while ((*source)->wait(std::chrono::milliseconds(0))) {
    const auto end = (*source)->drain(64, [&given](std::span<const std::byte> raw) {
      given += raw.size() + 4;
      static_cast<void>(flow::parse_record(raw));
    });
    if (!end || *end < before || given > size) std::abort();
    before = *end;
    (*source)->commit(*end);
    if ((*source)->position() != *end) std::abort();
  }
  return 0;
}
