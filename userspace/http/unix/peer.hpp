// Who is at the other end of a Unix socket, as the kernel says, and whether they may use the API.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace flowtap::http {

/// Credentials at the time of the peer's connect().
struct Peer {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  ///< supplementary
};

[[nodiscard]] Result<Peer> peer_of(int socket);

/// root, the user that flowtapd runs as (`own`), and members of `group` if one is configured.
[[nodiscard]] bool may_use(const Peer& peer, uid_t own, std::optional<gid_t> group);

/// The id of a group by its name; an empty name is no group.
[[nodiscard]] Result<std::optional<gid_t>> find_group(const std::string& name);

}  // namespace flowtap::http
