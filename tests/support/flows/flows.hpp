// Reads flows and their bytes from flowtapd.
#pragma once

#include <boost/json/object.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {

/// One member of /api/v1/flows.
struct FlowSeen {
  std::string id;
  std::string kind;
  std::map<std::string, std::string>
      text;  ///< namespace, pod, uid, container, image, runtime as far as they are known
  std::optional<std::uint64_t> restart;
  std::uint64_t bytes = 0;
  std::uint64_t missing = 0;
  std::uint64_t found = 0;
  std::uint64_t lines = 0;
  bool more_before = false;  ///< what it wrote before is not counted
  bool open = false;
  bool suspect = false;  ///< bytes of it may be missing without being counted
  std::size_t streams = 0;
  std::map<std::string, std::string> capture;  ///< how its streams are captured, by their names
};

/// Throws std::runtime_error if there is no proper answer.
[[nodiscard]] std::vector<FlowSeen> flows_of(const Daemon& daemon, const std::string& query = {});

/// The flow whose id contains `part`, once it has ended; absent if that takes too long.
[[nodiscard]] std::optional<FlowSeen> ended_flow(const Daemon& daemon, const std::string& part);

/// All bytes of a flow, beginning with the first one that is kept. `stream`: stdout, stderr, or empty for both.
[[nodiscard]] std::string raw_bytes(const Daemon& daemon, const std::string& id,
                                    const std::string& stream = {});

/// The path of a flow's log, with the lines of stdout or stderr, or of both.
[[nodiscard]] std::string log_path(const std::string& id, const std::string& stream = {},
                                   bool follow = false);

/// The lines of a flow, of stdout or stderr or both. Without parameters this is what was written, byte for byte.
[[nodiscard]] std::string log_text(const Daemon& daemon, const std::string& id,
                                   const std::string& stream = {});

/// An id as one segment of a path.
[[nodiscard]] std::string escaped(const std::string& id);

/// Lines first .. first + count - 1 of log_writer.
[[nodiscard]] std::string writer_lines(unsigned first, unsigned count);
/// Whether the text consists of such lines from the first on, and is not empty; the last line may be cut off.
[[nodiscard]] bool are_writer_lines(const std::string& text);
/// The lines of writer_lines() that `log_writer both` writes to standard output and to standard error.
struct WriterOutputs {
  std::string out;
  std::string err;
};
[[nodiscard]] WriterOutputs writer_outputs(unsigned first, unsigned count);

/// Says in a few words where two texts differ; empty if they do not.
[[nodiscard]] std::string difference(const std::string& got, const std::string& wanted);

}  // namespace flowtap::test
