// Announces the end of a server to the parts that have to end before it.
#pragma once

#include <functional>
#include <list>
#include <utility>

namespace flowtap::http {

/// Used by one thread.
class Closing {
  using Calls = std::list<std::function<void()>>;

 public:
  /// Calls `hear` when the end begins, if this still lives then. `hear` may end operations, but no Listener.
  class Listener {
   public:
    Listener(Closing& of, std::function<void()> hear)
        : of_(of), place_(of.calls_.insert(of.calls_.end(), std::move(hear))) {}
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;
    ~Listener() { of_.calls_.erase(place_); }

   private:
    Closing& of_;
    Calls::iterator place_;
  };

  Closing() = default;
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;

  [[nodiscard]] bool begun() const { return begun_; }
  void begin() {
    begun_ = true;
    for (const auto& hear : calls_) hear();
  }

 private:
  bool begun_ = false;
  Calls calls_;
};

}  // namespace flowtap::http
