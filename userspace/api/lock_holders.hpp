// Who holds locks of whole files on this machine, as the kernel says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flowtap::api {

/// What a flowtapd calls itself.
inline constexpr std::string_view kDaemon = "flowtapd";

struct LockHolder {
  std::string pid;    ///< as the reader of `root` sees it
  std::string inode;  ///< of the file
  std::string comm;   ///< the name that the process gives itself; empty: it is gone
};

/// `root`: where the node's file system is seen, with its /proc.
[[nodiscard]] std::vector<LockHolder> lock_holders(const std::string& root);

}  // namespace flowtap::api
