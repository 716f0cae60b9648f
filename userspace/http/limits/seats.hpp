// A bounded number of places, each taken for as long as its Seat lives. Used by one thread.
#pragma once

#include <cstddef>
#include <optional>
#include <utility>

namespace flowtap::http {

class Seats {
 public:
  class Seat {
   public:
    explicit Seat(Seats& of) : of_(&of) { ++of.taken_; }
    Seat(Seat&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    Seat& operator=(Seat&&) = delete;
    Seat(const Seat&) = delete;
    Seat& operator=(const Seat&) = delete;
    ~Seat() {
      if (of_ != nullptr) --of_->taken_;
    }

   private:
    Seats* of_;
  };

  explicit Seats(std::size_t most) : most_(most) {}
  Seats(const Seats&) = delete;
  Seats& operator=(const Seats&) = delete;

  [[nodiscard]] std::size_t taken() const { return taken_; }
  [[nodiscard]] std::size_t most() const { return most_; }
  [[nodiscard]] bool full() const { return taken_ >= most_; }
  /// None when all are taken. A Seat must not outlive this.
  [[nodiscard]] std::optional<Seat> take() {
    if (full()) return std::nullopt;
    return std::optional<Seat>(std::in_place, *this);
  }

 private:
  std::size_t most_;
  std::size_t taken_ = 0;
};

}  // namespace flowtap::http
