// A flow, and the followers that it has while its container runs.
#pragma once

#include <cstddef>
#include <future>
#include <string>

#include "tests/node/stream/captured.hpp"
#include "tests/support/flows/flow_follower.hpp"

namespace flowtap::test {

/// The bytes of many flows. If reads were missed, one flow lacks much or nothing, so they are judged together.
struct Crowd {
  std::size_t got = 0;
  std::size_t written = 0;
};

/// A follower of each of a flow's outputs. Both read all the time.
class FollowedFlow {
 public:
  /// Follows the flow that has `part` in its id, of those that the query gives. Returns when both follow. Throws
  /// std::runtime_error if there is no such flow.
  FollowedFlow(const Daemon& daemon, const std::string& part, const std::string& query = {});

  [[nodiscard]] const std::string& id() const { return id_; }
  /// Expects that the flow ends, that nothing of it is missing, and that these bytes were written to its outputs: as
  /// expect_stream() has it, and as its followers had it. Returns it. Throws std::runtime_error if it does not end.
  FlowSeen expect(const std::string& out, const std::string& err = {}, Crowd* crowd = nullptr);
  /// The flow has ended, and is marked since this kernel kept programs from running. Then only most of its bytes can be expected,
  /// in their order; of a crowd, most of all of theirs (expect_most()). A mark fails the test if the kernel cannot do that.
  [[nodiscard]] bool may_lack() const;
  /// What the follower of standard output has read when the flow has ended.
  [[nodiscard]] const std::string& out() const { return out_.all.get(); }

 private:
  /// The follower of one output.
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
