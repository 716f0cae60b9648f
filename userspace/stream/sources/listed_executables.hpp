// The executables that the configuration lists, as files: their paths may lead to others tomorrow.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "component/views/flow_views.hpp"
#include "kernel/log/log_streams.hpp"
#include "kernel/log/open_files.hpp"
#include "stream/sources/files/path_walk.hpp"

namespace flowtap {

class ListedExecutables {
 public:
  /// kernel::OpenFiles::own_file()
  using AskKernel = std::function<Result<kernel::OpenFile>(int fd)>;

  /// `walk` goes the paths.
  ListedExecutables(PathWalk walk, AskKernel ask) : walk_(std::move(walk)), ask_(std::move(ask)) {}

  /// Looks for these from now on, and for no others.
  void set(const std::vector<std::string>& paths);

  /// Looks where the paths lead. One that cannot be seen is not found, and hides no other. True: some lead to other files than
  /// before.
  [[nodiscard]] bool find();

  [[nodiscard]] bool empty() const { return executables_.empty(); }
  [[nodiscard]] bool contains(const kernel::LogExecutable& executable) const;
  /// Those that were found, as the programs know them.
  [[nodiscard]] std::vector<kernel::LogExecutable> known() const;
  [[nodiscard]] std::vector<std::string> not_found() const;
  /// Those that are there and are not taken.
  [[nodiscard]] std::vector<api::RefusedSource> refused() const;

 private:
  // As statx() tells it. The kernel does not always have the same.
  struct Place {
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::uint64_t inode = 0;
    bool operator==(const Place&) const = default;
  };
  struct Executable {
    std::optional<Place> place;  // absent: it is missing
    kernel::LogExecutable known;
    std::optional<Error> missing;
  };
  [[nodiscard]] Result<Executable> look(const std::string& path, const Executable& before);

  PathWalk walk_;
  AskKernel ask_;
  std::map<std::string, Executable> executables_;  // by path
};

}  // namespace flowtap
