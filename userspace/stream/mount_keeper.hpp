// Puts the tmpfs of flows back where somebody unmounts it, which flowtapd itself has no right to do once it runs.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap {

/// A child process that has kept the right to mount, but only at one place. It holds a second mount of the file system
/// that is mounted there, so that its content survives. It obeys only two orders: hold() and put_back(). It ends with
/// this object, or with this process.
class MountKeeper {
 public:
  /// Call it before the first thread, and before anything is mapped into memory, which the child would keep as well.
  [[nodiscard]] static Result<std::unique_ptr<MountKeeper>> start(const std::string& place);
  ~MountKeeper();
  MountKeeper(const MountKeeper&) = delete;
  MountKeeper& operator=(const MountKeeper&) = delete;

  /// Holds what is mounted there now, if that is the file system with this number (stat(2)'s st_dev).
  [[nodiscard]] Status hold(dev_t device) {
    return order({Kind::kHold, device}, "cannot hold the mount at ");
  }
  /// Mounts it there again. The directory must exist.
  [[nodiscard]] Status put_back(dev_t device) {
    return order({Kind::kPutBack, device}, "cannot mount again what was at ");
  }

  /// False: let go of this object. Either the child did not answer in time, so that a later answer would be taken for another's,
  /// or another file system is seen at the place.
  [[nodiscard]] bool is_usable() const { return is_usable_; }

 private:
  enum class Kind : std::uint8_t { kHold, kPutBack };
  struct Order {
    Kind kind;
    dev_t device;
  };

  MountKeeper(Fd socket, pid_t child, std::string place)
      : socket_(std::move(socket)), child_(child), place_(std::move(place)) {}
  [[nodiscard]] Status order(const Order& order, const char* what);
  [[noreturn]] static void serve(int parent, const char* place);
  [[nodiscard]] static int hold(const char* place, dev_t device);
  [[nodiscard]] static int put_back(const char* place, dev_t device);

  Fd socket_;
  pid_t child_;
  std::string place_;
  bool answers_ = true;
  bool is_usable_ = true;
};

}  // namespace flowtap
