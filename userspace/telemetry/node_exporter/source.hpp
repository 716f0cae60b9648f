// The node's files, read within bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::telemetry::node_exporter {

/// A number as sysfs and procfs write it: decimal, with sign or point, or hexadecimal after "0x". Never infinite.
[[nodiscard]] std::optional<double> number_in(std::string_view text);

/// Hexadecimal digits and nothing else.
[[nodiscard]] std::optional<std::uint64_t> hexadecimal_in(std::string_view text);

/// "12" of "csrow12"; empty if no digit follows the prefix, which `name` has.
[[nodiscard]] std::string number_after(std::string_view prefix, const std::string& name);

/// Used by one thread. What is not there is absent and no failure.
class Source {
 public:
  static constexpr std::size_t kMostFiles = 32768;  ///< files and folders that one reading opens
  static constexpr std::size_t kMostText = std::size_t{4} << 20U;
  static constexpr std::size_t kMostNames = 16384;  ///< in one folder

  /// `proc` and `sys`: the node's; `root`: where its root is seen, without a slash at the end.
  Source(std::string proc, std::string sys, std::string root)
      : proc_(std::move(proc)), sys_(std::move(sys)), root_(std::move(root)) {}

  /// Begins a reading: nothing was opened and nothing has failed.
  void begin() {
    opened_ = 0;
    failed_ = false;
  }

  [[nodiscard]] std::string proc(std::string_view path) const { return proc_ + std::string(path); }
  [[nodiscard]] std::string sys(std::string_view path) const { return sys_ + std::string(path); }
  [[nodiscard]] std::string root(std::string_view path) const { return root_ + std::string(path); }

  /// The whole file. One that is there and cannot be read is a failure.
  [[nodiscard]] std::optional<std::string> text(const std::string& path);

  /// A regular file on a disk, which other people may have put there. Anything else in its place is a failure.
  struct OnDisk {
    std::string text;
    std::int64_t written = 0;  ///< seconds since the Unix epoch
  };
  [[nodiscard]] std::optional<OnDisk> on_disk(const std::string& path);

  /// An attribute of sysfs without white space around it. Drivers refuse to read what the hardware does not have, with
  /// any errno, so such a refusal is no failure.
  [[nodiscard]] std::optional<std::string> line(const std::string& path);

  /// An attribute that is a number, and absent if it is something else.
  [[nodiscard]] std::optional<double> number(const std::string& path);

  /// The names in a folder that begin with `prefix`, in order; none if there is no such folder.
  [[nodiscard]] std::vector<std::string> names(const std::string& folder, std::string_view prefix = {});

  [[nodiscard]] static bool is_there(const std::string& path);

  /// Says that something which is there was not understood.
  void fail() { failed_ = true; }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::size_t opened() const { return opened_; }

 private:
  [[nodiscard]] bool may_open();

  std::string proc_;
  std::string sys_;
  std::string root_;
  std::size_t opened_ = 0;
  bool failed_ = false;
};

}  // namespace flowtap::telemetry::node_exporter
