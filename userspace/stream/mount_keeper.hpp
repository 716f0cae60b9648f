// Puts the tmpfs of flows back where somebody unmounts it, which flowtapd itself has no right to do once it runs.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

/// A child process that has kept the right to mount, for one place alone. It holds a second mount of the file system that is
/// mounted there, so that all that is in it stays, and takes no other orders than these two. It ends with this object, or with
/// this process.
class MountKeeper {
 public:
  /// Call it before the first thread, and before anything is mapped into memory, which the child would keep as well.
  [[nodiscard]] static Result<std::unique_ptr<MountKeeper>> start(const std::string& place);
  ~MountKeeper();
  MountKeeper(const MountKeeper&) = delete;
  MountKeeper& operator=(const MountKeeper&) = delete;

  /// Holds what is mounted there now.
  [[nodiscard]] Status hold() { return order(Order::kHold, "cannot hold the mount at "); }
  /// Mounts it there again. The directory must exist.
  [[nodiscard]] Status put_back() { return order(Order::kPutBack, "cannot mount again what was at "); }

 private:
  enum class Order : char { kHold, kPutBack };

  MountKeeper(Fd socket, pid_t child, std::string place)
      : socket_(std::move(socket)), child_(child), place_(std::move(place)) {}
  [[nodiscard]] Status order(Order order, const char* what);
  [[noreturn]] static void serve(int parent, const char* place);
  [[nodiscard]] static int hold(const char* place);
  [[nodiscard]] static int put_back(const char* place);

  Fd socket_;
  pid_t child_;
  std::string place_;
};

}  // namespace flowtap
