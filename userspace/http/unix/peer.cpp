#include "http/unix/peer.hpp"

#include <grp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace flowtap::http {
namespace {

/// The supplementary groups, from the kernel and not from the user database: a process may have dropped or
/// never had what the database says.
Result<std::vector<gid_t>> groups_of(int socket) {
  std::vector<gid_t> groups(32);
  while (true) {
    auto bytes = static_cast<socklen_t>(groups.size() * sizeof(gid_t));
    const bool fits = ::getsockopt(socket, SOL_SOCKET, SO_PEERGROUPS, groups.data(), &bytes) == 0;
    if (!fits && errno != ERANGE) return fail_errno(errno, "cannot read the groups of the peer");
    groups.resize(bytes / sizeof(gid_t));  // on ERANGE: the size that is needed
    if (fits) return groups;
  }
}

}  // namespace

Result<Peer> peer_of(int socket) {
  ucred credentials{};
  socklen_t size = sizeof(credentials);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0)
    return fail_errno(errno, "cannot read the credentials of the peer");
  FTAP_TRY_ASSIGN(groups, groups_of(socket));
  return Peer{credentials.uid, credentials.gid, std::move(groups)};
}

bool may_use(const Peer& peer, uid_t own, std::optional<gid_t> group) {
  if (peer.uid == 0 || peer.uid == own) return true;
  return group && (peer.gid == *group || std::ranges::find(peer.groups, *group) != peer.groups.end());
}

Result<std::optional<gid_t>> find_group(const std::string& name) {
  if (name.empty()) return std::optional<gid_t>{};
  std::vector<char> buffer(1024);
  while (true) {
    group entry{};
    group* found = nullptr;
    const int error = ::getgrnam_r(name.c_str(), &entry, buffer.data(), buffer.size(), &found);
    if (error == EINTR) continue;
    if (error == ERANGE && buffer.size() < (std::size_t{1} << 20U)) {
      buffer.resize(buffer.size() * 2);
      continue;
    }
    if (found != nullptr) return std::optional(entry.gr_gid);
    return fail("api.socket_group: there is no group \"" + name + "\" on this machine",
                "create it (groupadd --system " + name + "), or leave the key empty");
  }
}

}  // namespace flowtap::http
