// Where the log tap stays while no process holds it: pins in a BPF file system, in one folder for each layout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::kernel {

/// Changes with every layout that programs and this process share, and with FTAP_LOG_VERSION. Builds with the same
/// value can take over one another's programs. 16 hexadecimal digits.
[[nodiscard]] std::string log_abi();

/// The hint for a person to whom the pinned objects are of no use.
inline constexpr const char* kDetachHint =
    "flowtapd --detach removes what is pinned, so that capture begins anew";

/// A pinned object: a map, a program, or the link of an attached one.
struct Pin {
  std::string name;
  Fd object;
};

/// The folder BPFFS/flowtap, which belongs to the log tap. It contains `hooks`, which every build goes on with
/// (bpf/lib/log/hook.bpf.h), and a folder for each layout whose builds have something in the kernel, named by
/// log_abi().
class LogPins {
 public:
  static constexpr const char* kHooks = "hooks";

  /// @param bpffs  where a BPF file system is mounted, usually /sys/fs/bpf
  explicit LogPins(const std::string& bpffs) : root_(bpffs + "/flowtap"), bpffs_(bpffs) {}

  /// Whether a BPF file system is mounted; fails where that cannot be told.
  [[nodiscard]] Result<bool> mounted() const;

  /// Fails where no BPF file system is mounted, or this process may not pin there.
  [[nodiscard]] Status check() const;

  /// Everything that is pinned in a folder; empty if that is nothing, or there is no such folder.
  [[nodiscard]] Result<std::vector<Pin>> find(const std::string& folder) const;

  /// The layouts that have something pinned, without `hooks` and half-made folders.
  [[nodiscard]] Result<std::vector<std::string>> layouts() const;

  /// Makes the folder, which must not exist yet. It is made completely or not at all: a process that dies meanwhile
  /// leaves nothing that find() would see, and a failure leaves nothing at all.
  [[nodiscard]] Status pin(const std::string& folder,
                           const std::vector<std::pair<std::string, int>>& objects) const;

  /// The size of the ring that a start of this build would go on with; 0: there is none.
  [[nodiscard]] std::uint64_t ring_bytes() const;

  /// The rings of all layouts, also those of folders that are half removed, as far as they can be opened.
  [[nodiscard]] std::vector<Fd> rings() const;

  /// Pins one more object into a folder.
  [[nodiscard]] Status add(const std::string& folder, const std::string& name, int object) const;

  /// Pins again what somebody has removed of a folder's objects. False: all are there. Objects that are no descriptor are left out.
  [[nodiscard]] Result<bool> keep(const std::string& folder,
                                  std::vector<std::pair<std::string, int>> objects) const;

  /// Gives a layout's folder another, unused name.
  [[nodiscard]] Status set_aside(const std::string& layout) const;

  /// Removes one pin of a folder. If it does not exist, nothing happens.
  [[nodiscard]] Status remove(const std::string& folder, const std::string& name) const;

  /// Removes a folder as a whole: a process that dies meanwhile leaves all of it, or nothing that find() would see. If it
  /// does not exist, nothing happens.
  [[nodiscard]] Status remove_folder(const std::string& folder) const;

  /// Removes all but these two folders, half-made ones included. Fails only after it has removed all it can.
  [[nodiscard]] Status remove_all_but(const std::string& one, const std::string& other) const;

  /// Whether builds of any layout have pinned something, or were about to.
  [[nodiscard]] bool any() const;

  /// Removes what builds of any layout have pinned. That detaches the programs that nobody holds otherwise.
  [[nodiscard]] Status remove_all() const;

 private:
  [[nodiscard]] std::string path_of(const std::string& what) const { return root_ + "/" + what; }
  [[nodiscard]] Result<std::vector<std::string>> folders() const;

  std::string root_;
  std::string bpffs_;
};

}  // namespace flowtap::kernel
