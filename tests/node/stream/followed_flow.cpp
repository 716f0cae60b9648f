#include "tests/node/stream/followed_flow.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/support/may_miss.hpp"
#include "tests/support/net/http_client.hpp"

namespace flowtap::test {
namespace {

// Takes the shortest id, since the flow of a container in a container has the outer one's id in its own.
std::string flow_with(const Daemon& daemon, const std::string& part, const std::string& query) {
  std::string id;
  const bool found = eventually([&] {
    for (const FlowSeen& flow : flows_of(daemon, query))
      if (flow.id.find(part) != std::string::npos && (id.empty() || flow.id.size() < id.size())) id = flow.id;
    return !id.empty();
  });
  if (!found)
    throw std::runtime_error("there is no flow with " + part + "; flowtapd says of itself: " +
                             get_unix(daemon.socket(), "/api/v1/status").body);
  return id;
}

FlowSeen once_ended(const Daemon& daemon, const std::string& id) {
  std::optional<FlowSeen> flow;
  if (!eventually([&] { return (flow = flow_called(daemon, id)) && !flow->open; }))
    throw std::runtime_error(id + " has not ended");
  return *flow;
}

}  // namespace

FollowedFlow::FollowedFlow(const Daemon& daemon, const std::string& part, const std::string& query)
    : daemon_(daemon),
      id_(flow_with(daemon, part, query)),
      out_(daemon, id_, "stdout"),
      err_(daemon, id_, "stderr") {}

bool FollowedFlow::may_lack() const {
  const bool suspect = once_ended(daemon_, id_).suspect;
  EXPECT_TRUE(!suspect || may_miss()) << id_;
  return suspect;
}

FlowSeen FollowedFlow::expect(const std::string& out, const std::string& err, Crowd* crowd) {
  SCOPED_TRACE(id_);
  FlowSeen flow = once_ended(daemon_, id_);
  if (crowd != nullptr) {
    crowd->written += out.size() + err.size();
    crowd->got += flow.bytes;
  }
  // flowtapd looks at the kernel's own counters every second.
  if (flow.bytes != out.size() + err.size() && may_miss() && eventually([this] { return may_lack(); })) {
    EXPECT_LT(flow.bytes, out.size() + err.size());
    EXPECT_EQ(out_.all.get().size() + err_.all.get().size(), flow.bytes);
    for (const auto& [output, wanted] : {std::pair(&out_, &out), std::pair(&err_, &err)}) {
      const std::string& got = output->all.get();
      if (got.size() != wanted->size() && crowd == nullptr)
        expect_most(id_ + " " + output->name, got.size(), wanted->size(), kOneRead);
      EXPECT_TRUE(is_part_of(got, *wanted)) << output->name;
    }
    return flow;
  }
  EXPECT_EQ(flow.missing, 0U);
  EXPECT_EQ(flow.bytes, out.size() + err.size());
  const auto expect_output = [&](Output& output, const std::string& wanted) {
    expect_stream(daemon_, flow, output.name, wanted);
    EXPECT_EQ(difference(output.all.get(), wanted), "") << "who followed its " << output.name;
  };
  expect_output(out_, out);
  expect_output(err_, err);
  return flow;
}

}  // namespace flowtap::test
