// A running server over a scripted node, in its own directory.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "api/server.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap::api {

using namespace http;
using namespace std::chrono_literals;

class ServerTest : public testing::Test {
 protected:
  ServerTest() {
    node_.report = full_report();
    node_.totals = full_snapshot();
  }
  void start(std::chrono::milliseconds time = 10s, std::size_t connections = 64,
             const std::string& group = "", std::size_t followers = 256,
             std::chrono::milliseconds drain = 1s) {
    auto server = ApiServer::start({path(), group, connections, time, followers, drain}, node_);
    ASSERT_TRUE(server) << server.error().what;
    server_.emplace(std::move(*server));
  }
  [[nodiscard]] std::string path() const { return dir_ / "api.sock"; }

  /// The server's answer to these bytes.
  [[nodiscard]] std::string answer(std::string_view bytes) const {
    RawClient client(path());
    client.send(bytes);
    client.half_close();
    return client.read_all();
  }

  TempDir dir_;
  ScriptedNode node_;
  std::optional<ApiServer> server_;
};

}  // namespace flowtap::api
