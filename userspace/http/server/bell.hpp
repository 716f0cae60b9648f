// Lets other threads wake the API's thread, whose loop may end at any time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace flowtap::http {

/// May be rung from any thread. It does nothing after close(), which must come before the end of the loop.
class Bell {
 public:
  explicit Bell(boost::asio::io_context& loop) : rope_(std::make_shared<Rope>(&loop)) {}
  Bell(const Bell&) = delete;
  Bell& operator=(const Bell&) = delete;
  ~Bell() { close(); }

  void close() {
    const std::scoped_lock lock(rope_->mutex);
    rope_->loop = nullptr;
  }

  /// A function that makes the loop's thread call `handler`, once per call. It may outlive this bell.
  template <typename Handler>
  [[nodiscard]] std::function<void()> rope(Handler handler) const {
    return [rope = rope_, handler = std::move(handler)] {
      const std::scoped_lock lock(rope->mutex);
      if (rope->loop != nullptr) boost::asio::post(*rope->loop, handler);
    };
  }

 private:
  struct Rope {
    explicit Rope(boost::asio::io_context* io) : loop(io) {}
    std::mutex mutex;
    boost::asio::io_context* loop;
  };
  std::shared_ptr<Rope> rope_;
};

}  // namespace flowtap::http
