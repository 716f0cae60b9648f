// A node that the program can ask.
#pragma once

#include "api/server.hpp"
#include "tests/support/must.hpp"
#include "tests/unit/api/scripted_node.hpp"

namespace flowtap {

/// Serves what the node shows, to `--state-dir DIR`. Throws std::runtime_error: without a server a test proves nothing.
[[nodiscard]] inline api::ApiServer served(const api::TempDir& dir, const api::NodeView& node) {
  return test::must(api::ApiServer::start({dir / "api.sock", ""}, node));
}

}  // namespace flowtap
