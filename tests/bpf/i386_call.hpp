// System calls as a 32-bit program makes them. Where that is impossible (another architecture, a kernel built without
// them) there are no such tasks either, and there is nothing to test.
#pragma once

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace flowtap::test {

/// The structures of a 32-bit program: linux/uio.h, linux/socket.h.
struct I386Iovec {
  std::uint32_t memory;
  std::uint32_t length;
};
struct I386Mmsghdr {
  std::uint32_t name, name_length, vector, segments, control, control_length, flags;
  std::uint32_t sent;
};

/// What the call returned, or -errno.
inline long i386_call([[maybe_unused]] long number,
                      [[maybe_unused]] const std::array<std::uint32_t, 4>& args) {
#ifdef __x86_64__
  long answer = number;  // NOLINT(misc-const-correctness): the kernel writes it
  asm volatile("int $0x80"
               : "+a"(answer)
               : "b"(args[0]), "c"(args[1]), "d"(args[2]), "S"(args[3])
               : "memory", "r8", "r9", "r10", "r11");
  return static_cast<int>(answer);
#else
  return -1;
#endif
}

/// A kernel without 32-bit calls answers with a signal.
inline bool has_i386_calls() {
#ifdef __x86_64__
  constexpr long kGetpid = 20;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(i386_call(kGetpid, {}) == ::getpid() ? 0 : 1);
  int status = 1;
  return ::waitpid(child, &status, 0) == child && status == 0;
#else
  return false;
#endif
}

#ifdef __x86_64__
/// Memory that a 32-bit pointer leads to.
class LowMemory {
 public:
  LowMemory()
      : page_(::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1,
                     0)) {}
  ~LowMemory() { ::munmap(page_, kBytes); }
  LowMemory(const LowMemory&) = delete;
  LowMemory& operator=(const LowMemory&) = delete;

  std::uint32_t put(std::string_view text) { return put(text.data(), text.size()); }
  template <typename T>
  std::uint32_t put(const T& value) {
    return put(&value, sizeof(value));
  }

 private:
  static constexpr std::size_t kBytes = 4096;
  static constexpr std::size_t kAligned = 8;
  std::uint32_t put(const void* what, std::size_t size) {
    char* at = static_cast<char*>(page_) + used_;
    std::memcpy(at, what, size);
    used_ += (size + kAligned - 1) / kAligned * kAligned;
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(at));
  }

  void* page_;
  std::size_t used_ = 0;
};
#endif

}  // namespace flowtap::test
