#include "tests/node/stream/followed_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace flowtap::test {
namespace {

// The shortest, since the flow of a container in a container has the outer one's id in its own.
std::string flow_with(const Daemon& daemon, const std::string& part, const std::string& query) {
  std::string id;
  const bool found = eventually([&] {
    for (const FlowSeen& flow : flows_of(daemon, query))
      if (flow.id.find(part) != std::string::npos && (id.empty() || flow.id.size() < id.size())) id = flow.id;
    return !id.empty();
  });
  if (!found) throw std::runtime_error("there is no flow with " + part);
  return id;
}

}  // namespace

FollowedFlow::FollowedFlow(const Daemon& daemon, const std::string& part, const std::string& query)
    : daemon_(daemon),
      id_(flow_with(daemon, part, query)),
      out_(daemon, id_, "stdout"),
      err_(daemon, id_, "stderr") {}

FlowSeen FollowedFlow::expect(const std::string& out, const std::string& err) {
  SCOPED_TRACE(id_);
  std::optional<FlowSeen> flow;
  if (!eventually([&] { return (flow = flow_called(daemon_, id_)) && !flow->open; }))
    throw std::runtime_error(id_ + " has not ended");
  EXPECT_EQ(flow->missing, 0U);
  EXPECT_EQ(flow->bytes, out.size() + err.size());
  const auto expect_output = [&](Output& output, const std::string& wanted) {
    expect_stream(daemon_, *flow, output.name, wanted);
    EXPECT_EQ(difference(output.all.get(), wanted), "") << "who followed its " << output.name;
  };
  expect_output(out_, out);
  expect_output(err_, err);
  return *flow;
}

}  // namespace flowtap::test
