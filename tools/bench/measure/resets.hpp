// The ways to take the counts out of a map and begin again at 0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernel/map_view.hpp"

struct bpf_program;

namespace flowtap::bench {

inline constexpr std::size_t kMaxKeys = 1024;  // as in resets.bpf.c

struct KeyBlock {
  std::array<std::uint64_t, kMaxKeys> slot;
};

/// One way to take the counts out.
class Reset {
 public:
  Reset(const char* what, bpf_program* program) : what_(what), program_(program) {}
  Reset(const Reset&) = delete;
  Reset& operator=(const Reset&) = delete;
  virtual ~Reset() = default;
  /// Takes the counts of the first `keys` keys; returns the number of events.
  virtual std::uint64_t take(std::size_t keys) = 0;

  [[nodiscard]] const char* what() const { return what_; }
  [[nodiscard]] bpf_program* program() const { return program_; }

 private:
  const char* what_;
  bpf_program* program_;
};

/// Our way: over a mapped array with one block per possible CPU.
std::unique_ptr<Reset> exchange(bpf_program* program, kernel::MapView<KeyBlock> blocks);
/// Looks up each key and then sets it to 0, over a PERCPU_ARRAY.
std::unique_ptr<Reset> lookup_then_zero(bpf_program* program, int map, unsigned cpus);
/// Takes all keys away with one call, over a PERCPU_HASH.
std::unique_ptr<Reset> lookup_and_delete(bpf_program* program, int map, unsigned cpus);

}  // namespace flowtap::bench
