#include "tools/bench/measure/resets.hpp"

#include <bpf/bpf.h>

#include <cerrno>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "kernel/dispatch/slot_reader.hpp"

namespace flowtap::bench {
namespace {

class Exchange final : public Reset {
 public:
  Exchange(bpf_program* program, kernel::MapView<KeyBlock> blocks)
      : Reset("take_slots: mapped, atomic exchange", program), blocks_(std::move(blocks)) {}
  std::uint64_t take(std::size_t keys) override {
    sums_.assign(keys, 0);
    for (KeyBlock& block : blocks_.elements()) kernel::take_slots(std::span(block.slot).first(keys), sums_);
    return std::accumulate(sums_.begin(), sums_.end(), std::uint64_t{0});
  }

 private:
  kernel::MapView<KeyBlock> blocks_;
  std::vector<std::uint64_t> sums_;
};

class LookupThenZero final : public Reset {
 public:
  LookupThenZero(bpf_program* program, int map, unsigned cpus)
      : Reset("PERCPU_ARRAY, lookup then update 0", program), map_(map), values_(cpus), zeros_(cpus) {}
  std::uint64_t take(std::size_t keys) override {
    std::uint64_t sum = 0;
    for (std::uint32_t key = 0; key < keys; ++key) {
      bpf_map_lookup_elem(map_, &key, values_.data());
      bpf_map_update_elem(map_, &key, zeros_.data(), BPF_ANY);
      sum = std::accumulate(values_.begin(), values_.end(), sum);
    }
    return sum;
  }

 private:
  int map_;
  std::vector<std::uint64_t> values_;
  std::vector<std::uint64_t> zeros_;
};

class LookupAndDelete final : public Reset {
 public:
  LookupAndDelete(bpf_program* program, int map, unsigned cpus)
      : Reset("PERCPU_HASH, lookup_and_delete_batch", program),
        map_(map),
        keys_(kBatch),
        values_(kBatch * cpus) {}
  std::uint64_t take(std::size_t /*keys*/) override {
    const std::size_t cpus = values_.size() / kBatch;
    std::uint64_t sum = 0;
    std::uint32_t batch = 0;
    bool first = true;
    while (true) {
      std::uint32_t count = kBatch;
      LIBBPF_OPTS(bpf_map_batch_opts, options);
      const int err = bpf_map_lookup_and_delete_batch(map_, first ? nullptr : &batch, &batch, keys_.data(),
                                                      values_.data(), &count, &options);
      if (err != 0 && err != -ENOENT) return sum;
      sum = std::accumulate(values_.begin(),
                            values_.begin() + static_cast<std::ptrdiff_t>(std::size_t{count} * cpus), sum);
      if (err == -ENOENT) return sum;
      first = false;
    }
  }

 private:
  static constexpr std::size_t kBatch = 2 * kMaxKeys;  // the whole map
  int map_;
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint64_t> values_;
};

}  // namespace

std::unique_ptr<Reset> exchange(bpf_program* program, kernel::MapView<KeyBlock> blocks) {
  return std::make_unique<Exchange>(program, std::move(blocks));
}
std::unique_ptr<Reset> lookup_then_zero(bpf_program* program, int map, unsigned cpus) {
  return std::make_unique<LookupThenZero>(program, map, cpus);
}
std::unique_ptr<Reset> lookup_and_delete(bpf_program* program, int map, unsigned cpus) {
  return std::make_unique<LookupAndDelete>(program, map, cpus);
}

}  // namespace flowtap::bench
