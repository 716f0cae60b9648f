// The files of one container: the one that its runtime writes to, and those that were rotated away from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/fd.hpp"
#include "base/flows/flow_run.hpp"
#include "base/result.hpp"
#include "stream/repair/runtime_files/runtime_line_parser.hpp"

namespace flowtap::flow {

/// The name of a file of a container.
struct RuntimeFileName {
  std::string name;
  bool gz = false;

  bool operator==(const RuntimeFileName&) const = default;
};

/// Which of `names` are generations of `base`, newest first. A rotated file has this behind the base:
///   kCri       ".YYYYMMDD-HHMMSS", by kubelet; the older ones ".gz" too
///   kJsonFile  ".N", by Docker, 1 is the newest; ".gz" too
///   kK8sFile   ".N", by a conmon that is told to (--log-rotate); all others keep no older one
/// While a gz is made, its plain file is still there and is taken. kubelet writes the gz as ".tmp", Docker in place.
[[nodiscard]] std::vector<RuntimeFileName> runtime_file_names(RuntimeFormat format, std::string_view base,
                                                              const std::vector<std::string>& names);

/// The directory of these files. Whoever makes one answers for where it leads.
class RuntimeDir {
 public:
  virtual ~RuntimeDir() = default;
  [[nodiscard]] virtual Result<std::vector<std::string>> names() = 0;
  /// Opens a regular file in it, not through a link. Error code ENOENT if there is none.
  [[nodiscard]] virtual Result<Fd> open(const std::string& name) = 0;
};

/// A directory by its descriptor, which the caller opened with O_RDONLY | O_DIRECTORY.
class OpenedRuntimeDir : public RuntimeDir {
 public:
  explicit OpenedRuntimeDir(Fd fd) : fd_(std::move(fd)) {}

  /// More than kMostNames names are an error.
  [[nodiscard]] Result<std::vector<std::string>> names() override;
  [[nodiscard]] Result<Fd> open(const std::string& name) override;

  static constexpr std::size_t kMostNames = 4096;

 private:
  Fd fd_;
};

struct RuntimeFile {
  Fd fd;
  std::string name;  ///< as it was when opened; a rotation may have given it another since
  bool gz = false;
};

/// The files that could be opened, oldest first: each file once, whatever its name was when it was opened.
struct RuntimeFiles {
  std::vector<RuntimeFile> files;
  /// The files were rotated again and again meanwhile: one may be missing, or be there both plain and as gz.
  bool unsettled = false;
  std::string unreadable;  ///< why a file that is there could not be opened; empty: all could
  RunSpan run = {};        ///< whose lines are meant, for whoever reads them
};

/// Opens the newest kMostGenerations files, all before any is read. If they are rotated meanwhile, this is seen, and they are
/// opened anew. An Error: the directory cannot be read. It is not an Error if there is no file.
[[nodiscard]] Result<RuntimeFiles> open_runtime_files(RuntimeFormat format, RuntimeDir& dir,
                                                      std::string_view base);

constexpr std::size_t kMostGenerations = 64;

}  // namespace flowtap::flow
