// Where the log tap stays while no process holds it: pins in a BPF file system, in a folder per layout.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"

namespace flowtap::kernel {

/// Changes with every layout that programs and this process share, and with FTAP_LOG_VERSION: builds with the same one
/// can take over one another's programs. 16 hexadecimal digits.
[[nodiscard]] std::string log_abi();

/// A pinned object: a map, or the link of an attached program.
struct Pin {
  std::string name;
  Fd object;
};

/// The folder BPFFS/flowtap, which belongs to the log tap.
class LogPins {
 public:
  /// @param bpffs  where a BPF file system is mounted, usually /sys/fs/bpf
  explicit LogPins(const std::string& bpffs) : root_(bpffs + "/flowtap"), bpffs_(bpffs) {}

  /// Whether a BPF file system is there; fails where that cannot be told.
  [[nodiscard]] Result<bool> mounted() const;

  /// Fails where no BPF file system is mounted, or this process may not pin there.
  [[nodiscard]] Status check() const;

  /// All that this layout's builds have pinned; nothing pinned: empty.
  [[nodiscard]] Result<std::vector<Pin>> find() const;

  /// All or nothing: a process that dies at this leaves nothing that find() would see, a failure nothing at all.
  [[nodiscard]] Status pin(const std::vector<std::pair<std::string, int>>& objects) const;

  /// Removes what builds of other layouts have pinned, which detaches their programs: two taps would take every byte
  /// twice, and nobody drains the other's ring. Fails after all that can be removed is.
  [[nodiscard]] Status remove_others() const;

  /// Removes what builds of any layout have pinned. Programs that nobody holds otherwise are detached by that.
  [[nodiscard]] Status remove_all() const;

 private:
  [[nodiscard]] std::string folder() const { return root_ + "/" + log_abi(); }

  std::string root_;
  std::string bpffs_;
};

}  // namespace flowtap::kernel
