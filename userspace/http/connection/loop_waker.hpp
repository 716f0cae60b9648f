// Lets other threads wake the API's thread, whose loop may end at any time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace flowtap::http {

/// Any thread may use it. It does nothing after close(), which must come before the end of the loop.
class LoopWaker {
 public:
  explicit LoopWaker(boost::asio::io_context& loop) : shared_(std::make_shared<Shared>(&loop)) {}
  LoopWaker(const LoopWaker&) = delete;
  LoopWaker& operator=(const LoopWaker&) = delete;
  ~LoopWaker() { close(); }

  void close() {
    const std::scoped_lock lock(shared_->mutex);
    shared_->loop = nullptr;
  }

  /// A function that makes the loop's thread call `handler`, once per call. It may outlive this waker.
  template <typename Handler>
  [[nodiscard]] std::function<void()> wake_by(Handler handler) const {
    return [shared = shared_, handler = std::move(handler)] {
      const std::scoped_lock lock(shared->mutex);
      if (shared->loop != nullptr) boost::asio::post(*shared->loop, handler);
    };
  }

 private:
  struct Shared {
    explicit Shared(boost::asio::io_context* io) : loop(io) {}
    std::mutex mutex;
    boost::asio::io_context* loop;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace flowtap::http
