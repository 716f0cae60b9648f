// The executables that the configuration lists, as files: their paths may lead to others tomorrow.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "identity/root_dir.hpp"
#include "kernel/log_streams.hpp"
#include "kernel/open_files.hpp"

namespace flowtap {

class ListedExecutables {
 public:
  /// As stat() tells it, which is not always what the kernel has.
  struct Place {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    bool operator==(const Place&) const = default;
  };
  /// kernel::OpenFiles::own_file()
  using AskKernel = std::function<Result<kernel::OpenFile>(int fd)>;

  /// Paths are below `root`.
  ListedExecutables(identity::RootDir root, AskKernel ask) : root_(std::move(root)), ask_(std::move(ask)) {}

  /// These and no others from now on.
  void set(const std::vector<std::string>& paths);

  /// Looks where they lead. One that cannot be seen is not found, and hides no other. True: some are other files than
  /// before.
  [[nodiscard]] bool find();

  [[nodiscard]] bool empty() const { return executables_.empty(); }
  [[nodiscard]] bool contains(const Place& place) const;
  /// Those that were found, as the programs know them.
  [[nodiscard]] std::vector<kernel::LogExecutable> known() const;
  [[nodiscard]] std::vector<std::string> not_found() const;

 private:
  struct Executable {
    std::optional<Place> place;  // absent: nothing is there
    kernel::LogExecutable known;
  };
  [[nodiscard]] Executable look(const std::string& path, const Executable& before) const;

  identity::RootDir root_;
  AskKernel ask_;
  std::map<std::string, Executable> executables_;  // by path
};

}  // namespace flowtap
