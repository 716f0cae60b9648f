// The inside of a ClientLoop.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>

#include "http/connection/closing.hpp"
#include "http/connection/loop_waker.hpp"
#include "http/outbound/client.hpp"

namespace flowtap::http {

/// What the loop destroys last is what requests that never ended still use.
class ClientLoop::Impl {
 public:
  [[nodiscard]] boost::asio::io_context& io() { return io_; }
  [[nodiscard]] Closing& closing() { return closing_; }
  [[nodiscard]] const LoopWaker& waker() const { return waker_; }

  void run();
  void stop();

 private:
  Closing closing_;
  std::atomic<bool> stopped_{false};
  boost::asio::io_context io_{1};
  LoopWaker waker_{io_};
};

}  // namespace flowtap::http
