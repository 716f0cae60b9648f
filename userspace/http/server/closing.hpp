// The end of a server, as those hear of it who have to end before.
#pragma once

#include <functional>
#include <list>
#include <utility>

namespace flowtap::http {

/// Used by one thread.
class Closing {
  using Calls = std::list<std::function<void()>>;

 public:
  /// Has `hear` called when the end begins, if that is as long as this lives. It may end operations, but no Listener.
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
