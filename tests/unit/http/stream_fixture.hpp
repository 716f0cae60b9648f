// A server over scripted flows, and clients that follow them in threads of their own.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "http/client/stream_client.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/api/scripted_flows.hpp"
#include "tests/unit/http/server_fixture.hpp"

namespace flowtap::api {

using test::eventually;

/// One fetch_streams() in a thread.
class Follower {
 public:
  Follower(std::string path, std::string target) {
    if (::pipe(stop_.data()) != 0) std::abort();
    thread_ = std::thread([this, path = std::move(path), target = std::move(target)] {
      const StreamRequest request{target,
                                  [this](std::string_view bytes) {
                                    const std::scoped_lock lock(mutex_);
                                    bytes_ += bytes;
                                    return true;
                                  },
                                  [this](Result<StreamEnd> end) { end_ = std::move(end); }};
      const Status run = fetch_streams(path, {&request, 1}, stop_[0]);
      if (!run) end_ = std::unexpected(run.error());
    });
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;
  ~Follower() {
    stop();
    if (thread_.joinable()) thread_.join();
    for (const int fd : stop_) ::close(fd);
  }

  void stop() { (void)!::write(stop_[1], "x", 1); }
  [[nodiscard]] std::size_t size() const {
    const std::scoped_lock lock(mutex_);
    return bytes_.size();
  }
  [[nodiscard]] bool has(std::size_t bytes) const {
    return eventually([&] { return size() >= bytes; });
  }
  /// Waits for the end; then bytes() has everything that was received.
  const Result<StreamEnd>& end() {
    thread_.join();
    return *end_;
  }
  /// The text of its Error.
  [[nodiscard]] const std::string& end_text() const { return end_->error().what; }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::array<int, 2> stop_{};
  mutable std::mutex mutex_;
  std::string bytes_;
  std::optional<Result<StreamEnd>> end_;
  std::thread thread_;
};

class StreamTest : public ServerTest {
 protected:
  StreamTest() { node_.captured = &flows_; }
  // Ended before the flows, since it has followers of these.
  ~StreamTest() override { server_.reset(); }

  static constexpr const char* kFollow = "/api/v1/flows/f/raw?follow=true";

  ScriptedFlows flows_;
  std::shared_ptr<ScriptedFlow> flow_ = flows_.add("f");
};

}  // namespace flowtap::api
