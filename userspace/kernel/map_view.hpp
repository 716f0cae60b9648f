// An mmap-able BPF array as memory of this process.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "base/result.hpp"

namespace flowtap::kernel {

/// Owns a shared mapping.
class Mapping {
 public:
  Mapping() = default;
  /// Maps the first `bytes` of the map behind `fd`, for reading and writing.
  [[nodiscard]] static Result<Mapping> map(int fd, std::size_t bytes);
  Mapping(Mapping&& other) noexcept
      : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(start_, other.start_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping();

  [[nodiscard]] void* start() const { return start_; }

 private:
  void* start_ = nullptr;
  std::size_t bytes_ = 0;
};

/// The elements of a mapped array of T. The kernel puts them sizeof(T) rounded up to 8 apart.
template <typename T>
class MapView {
  static_assert(sizeof(T) % 8 == 0, "the kernel's stride would differ from the array's");

 public:
  MapView() = default;
  [[nodiscard]] static Result<MapView> map(int fd, std::size_t elements) {
    auto mapping = Mapping::map(fd, elements * sizeof(T));
    if (!mapping) return std::unexpected(std::move(mapping).error());
    MapView view;
    view.mapping_ = std::move(*mapping);
    view.elements_ = elements;
    return view;
  }
  [[nodiscard]] std::span<T> elements() const { return {static_cast<T*>(mapping_.start()), elements_}; }

 private:
  Mapping mapping_;
  std::size_t elements_ = 0;
};

}  // namespace flowtap::kernel
