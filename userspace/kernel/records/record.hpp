// One record of the log tap, as the stream path sees it: checked, and independent of where it came from.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "bpf/abi/log.h"

namespace flowtap::flow {

/// A stream's number: never used again while the node runs, not even by a newer build.
using StreamNo = std::uint64_t;

/// A process entered a container, or is listed, and these are its outputs.
struct Enter {
  std::uint64_t cgroup = 0;
  std::uint64_t start_time = 0;  ///< ns on CLOCK_BOOTTIME
  std::uint32_t pid = 0;
  struct Output {
    StreamNo stream = 0;  ///< 0: not captured
    std::uint64_t inode = 0;
    std::uint32_t device = 0;
    ftap_log_kind kind = FTAP_KIND_NONE;
    bool operator==(const Output&) const = default;
  };
  std::array<Output, 2> outputs{};  ///< of descriptors 1 and 2
  std::string comm;
  std::string cgroup_name;  ///< last part of the cgroup's path: usually holds the container's id
  std::string parent_name;
  ftap_log_rule rule = FTAP_RULE_CONTAINER;
  bool users_names = false;  ///< somebody but root may have chosen both
  bool nested = false;       ///< it was started within a container, in a cgroup below that one's
  bool operator==(const Enter&) const = default;
};

/// Bytes that passed. They belong to the source and are valid until it is asked for the next record.
struct Bytes {
  StreamNo stream = 0;
  std::uint64_t offset = 0;    ///< in the stream, of the first byte
  std::uint64_t position = 0;  ///< in the file, where the stream is a regular file
  std::span<const std::byte> bytes;
};

/// No more bytes of this stream can come.
struct End {
  StreamNo stream = 0;
  std::uint64_t passed = 0;                          ///< bytes in all, captured or not
  std::array<std::uint64_t, FTAP_NR_LOSSES> lost{};  ///< by cause; their sum is what is missing
  bool operator==(const End&) const = default;
};

struct CgroupGone {
  std::uint64_t cgroup = 0;
  bool operator==(const CgroupGone&) const = default;
};

struct Record {
  std::uint64_t time = 0;  ///< ns on CLOCK_MONOTONIC
  std::variant<Enter, Bytes, End, CgroupGone> what;
};

/// Reads a record out of the bytes of the ring. They are hostile: an Error says what does not fit. Headers and payloads longer
/// than ours come from a newer build, and what they add is left out. Shorter payloads are errors.
[[nodiscard]] Result<Record> parse_record(std::span<const std::byte> raw);

/// Puts the bytes of a record behind `out`, as this build's programs write them: for what makes records without a kernel. Strings
/// longer than their field are cut off.
void render_record(const Record& record, std::vector<std::byte>& out);

}  // namespace flowtap::flow
