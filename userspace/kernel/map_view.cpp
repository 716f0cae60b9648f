#include "kernel/map_view.hpp"

#include <sys/mman.h>

#include <cerrno>

namespace flowtap::kernel {

Result<Mapping> Mapping::map(int fd, std::size_t bytes) {
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (start == MAP_FAILED)
    return fail_errno(errno, "cannot map a BPF array of " + std::to_string(bytes) + " bytes");
  Mapping mapping;
  mapping.start_ = start;
  mapping.bytes_ = bytes;
  return mapping;
}

Mapping::~Mapping() {
  if (start_ != nullptr) ::munmap(start_, bytes_);
}

}  // namespace flowtap::kernel
