// A flow, and those who follow it while its container runs.
#pragma once

#include <cstddef>
#include <future>
#include <string>

#include "tests/node/stream/captured.hpp"
#include "tests/support/flows/flow_follower.hpp"

namespace flowtap::test {

/// As much as a runtime takes out of a container's pipe at once, a shim of containerd's the most.
inline constexpr std::size_t kOneRead = 32'768;

/// Bytes of many flows, of which some reads may have been missed: of one flow that is much or nothing.
struct Crowd {
  std::size_t got = 0;
  std::size_t written = 0;
};

/// A follower of each of a flow's outputs, both of whom read all the time.
class FollowedFlow {
 public:
  /// The flow that has `part` in its id, of those that the query gives. Returns when they follow; throws
  /// std::runtime_error when there is no such flow.
  FollowedFlow(const Daemon& daemon, const std::string& part, const std::string& query = {});

  [[nodiscard]] const std::string& id() const { return id_; }
  /// The flow ends, nothing is missing of it, and these bytes are what was written to its outputs: as expect_stream() has
  /// it, and as those had it who followed. Returns it; throws std::runtime_error when it does not end.
  FlowSeen expect(const std::string& out, const std::string& err = {}, Crowd* crowd = nullptr);
  /// The flow has ended, and is marked since this kernel kept programs from running: then most of its bytes (of a crowd, of all of
  /// theirs), in their order, are all that can be expected (expect_most()). A mark where the kernel cannot do that fails the test.
  [[nodiscard]] bool may_lack() const;
  /// What whoever follows standard output has read when the flow has ended.
  [[nodiscard]] const std::string& out() const { return out_.all.get(); }

 private:
  /// Who follows one output.
  struct Output {
    Output(const Daemon& daemon, const std::string& id, const std::string& stream)
        : name(stream), follower(daemon, id, stream) {}
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    ~Output() { follower.leave(); }
    std::string name;
    FlowFollower follower;
    std::shared_future<std::string> all =
        std::async(std::launch::async, [this] { return follower.read_to_end(); }).share();
  };

  const Daemon& daemon_;
  std::string id_;
  Output out_;
  Output err_;
};

}  // namespace flowtap::test
