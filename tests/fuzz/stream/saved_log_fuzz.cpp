// Any bytes as a file with a log: no output gets more than the file holds, and a reader comes to the file's end.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

#include "base/fd.hpp"
#include "stream/repair/runtime_files/saved_log.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const flowtap::Fd fd(::memfd_create("log", MFD_CLOEXEC));
  if (::write(fd.get(), data, size) != static_cast<ssize_t>(size)) std::abort();
  if (::lseek(fd.get(), 0, SEEK_SET) != 0) std::abort();
  std::uint64_t given = 0;
  const auto read = flowtap::flow::read_saved_log(
      fd.get(), "x", [&given](std::string_view output, std::string_view bytes, std::uint64_t /*time*/) {
        if (!output.empty() && output != "stdout" && output != "stderr") std::abort();
        given += bytes.size();
      });
  // A newline may be added to the last line.
  if (given > read.bytes + 1) std::abort();
  return 0;
}
