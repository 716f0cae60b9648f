#include "telemetry/workloads/files/cgroup_files.hpp"

#include <sys/stat.h>

#include <array>
#include <cerrno>

#include "telemetry/workloads/files/inner_cgroups.hpp"
#include "telemetry/workloads/files/open_beneath.hpp"

namespace flowtap::telemetry {
namespace {

constexpr std::size_t kLongestFile = std::size_t{1} << 20U;
// A controller may be enabled after the cgroup was made, and settings may change; both hardly ever happen.
constexpr unsigned kLookAgain = 6;

// The values of files that are settings.
constexpr std::array kSettings{CgroupGauge::kQuota,      CgroupGauge::kPeriod, CgroupGauge::kMemoryLimit,
                               CgroupGauge::kTasksLimit, CgroupGauge::kShares, CgroupGauge::kReservation,
                               CgroupGauge::kSwapLimit};

Fd open_directory(const Fd& root, const std::string& path) {
  const auto begin = path.find_first_not_of('/');
  if (begin == std::string::npos) return Fd(::openat(root.get(), ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  return open_beneath(root, path.c_str() + begin, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

Fd open_place(const std::string& path) {
  return Fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

std::vector<const CgroupFile*> pointers(std::span<const CgroupFile> files) {
  std::vector<const CgroupFile*> all;
  for (const CgroupFile& file : files) all.push_back(&file);
  return all;
}

// From "/sys/fs/cgroup/cpu,cpuacct" it gives both.
bool is_mounted_with(const std::string& place, std::string_view controller) {
  const std::string names = ',' + place.substr(place.rfind('/') + 1) + ',';
  return names.contains(std::string(",").append(controller).append(","));
}

// The controller is not enabled here, or is switched off (psi=0).
bool is_absence(int error) {
  return error == ENOENT || error == EOPNOTSUPP;
}

class CgroupFiles final : public OpenCgroup {
 public:
  CgroupFiles(CgroupFileSource& source, Fd directory, std::string path)
      : source_(source), path_(std::move(path)), directories_(source.hierarchies().size()) {
    directories_.front() = std::move(directory);
    for (std::size_t i = 0; i < directories_.size(); ++i)
      for (const CgroupFile* file : source.hierarchies()[i].files)
        files_.push_back({.what = file, .hierarchy = i, .fd = {}});
  }
  ~CgroupFiles() override { source_.unkeep(kept_); }

  [[nodiscard]] bool read(CgroupValues& out, std::uint64_t& unread) override {
    // It looks twice at the start: runtimes make the v1 cgroups one after the other.
    const bool look = reads_ < 2 || reads_ % kLookAgain == 0;
    ++reads_;
    std::uint64_t bad = 0;
    bool there = false;
    for (File& file : files_) {
      if (file.what->setting && !look) continue;
      // The files of the first hierarchy come first. Where none of them can be read, nothing tells whether this is
      // still the same cgroup.
      if (file.hierarchy != 0 && !there) return false;
      if (!file.fd.valid() && (look || !is_absence(file.error))) open(file);
      if (!file.fd.valid()) {
        bad += is_absence(file.error) ? 0 : 1;
        // For example descriptors are short: then the cgroup is not gone.
        there = there || (file.hierarchy == 0 && !is_absence(file.error));
        continue;
      }
      std::string_view text;
      const int error = source_.read(file.fd.get(), text);
      if (!file.kept) file.fd = {};
      if (error == ENODEV && file.hierarchy == 0) return false;
      there = there || file.hierarchy == 0;
      if (error == ENODEV || is_absence(error)) continue;
      CgroupValues with = out;
      if (error == 0 && file.what->parse(text, with))
        out = std::move(with);
      else
        ++bad;
    }
    unread += bad;
    for (std::size_t i = 1; i < directories_.size(); ++i) directories_[i] = {};
    settings(out, look);
    if (there && source_.reads_inner() && has_own_cgroups())
      inner_.read(directories_.front(), look, source_, out, unread);
    out.derive();
    return there;
  }

 private:
  struct File {
    const CgroupFile* what;
    std::size_t hierarchy;
    Fd fd;
    int error = ENOENT;  // why there is no fd
    bool kept = false;   // it stays open for the next time
  };
  bool keep() {
    const bool kept = source_.keep();
    kept_ += kept ? 1 : 0;
    return kept;
  }

  // Takes the settings at a look, and gives those of the last look in between.
  void settings(CgroupValues& out, bool look) {
    for (std::size_t i = 0; i < kSettings.size(); ++i) {
      if (look)
        settings_.at(i) = out[kSettings.at(i)];
      else
        out[kSettings.at(i)] = settings_.at(i);
    }
  }

  // A directory has a link from each one that it contains, and two more (kernfs counts like others).
  [[nodiscard]] bool has_own_cgroups() const {
    struct stat now{};
    return ::fstat(directories_.front().get(), &now) == 0 && now.st_nlink > 2;
  }

  void open(File& file) {
    // As long as the first hierarchy's directory exists, those of the others at its path belong to the same cgroup.
    Fd& directory = directories_[file.hierarchy];
    if (!directory.valid()) {
      directory = open_directory(source_.hierarchies()[file.hierarchy].root, path_);
      if (!directory.valid()) {
        file.error = errno;
        return;
      }
    }
    // This never waits, even where somebody shows another file system in place of the kernel's.
    const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    file.fd = Fd(::openat(directory.get(), file.what->name, flags));
    file.error = file.fd.valid() ? 0 : errno;
    if (file.fd.valid()) file.kept = file.kept || (!file.what->setting && !file.what->anew && keep());
  }

  CgroupFileSource& source_;
  std::string path_;
  // In the order of the hierarchies. The first one's stays open; the others are open only while files are opened, which
  // then need none.
  std::vector<Fd> directories_;
  std::vector<File> files_;
  std::size_t kept_ = 0;
  InnerCgroups inner_;
  std::array<std::optional<double>, kSettings.size()> settings_;
  unsigned reads_ = 0;
};

}  // namespace

std::unique_ptr<CgroupFileSource> CgroupFileSource::open_below(const std::string& place, std::size_t most) {
  for (const char* name : {"", "/unified"}) {
    Fd root = open_place(place + name);
    if (!root.valid() || ::faccessat(root.get(), "cgroup.controllers", F_OK, 0) != 0) continue;
    auto source = std::make_unique<CgroupFileSource>();
    source->most_ = most;
    source->hierarchies_.push_back({.root = std::move(root), .files = pointers(cgroup_files())});
    // In the v2 hierarchy itself a directory with that name is a cgroup.
    if (!std::string_view(name).empty()) source->add_v1(place, {});
    return source;
  }
  return nullptr;
}

std::unique_ptr<CgroupFileSource> CgroupFileSource::open_v1(const std::string& place,
                                                            const std::string& cpuacct, std::size_t most) {
  Fd root = open_place(cpuacct);
  if (!root.valid()) return nullptr;
  auto source = std::make_unique<CgroupFileSource>();
  source->most_ = most;
  source->hierarchies_.push_back({.root = std::move(root), .files = pointers(cgroup_files_cpuacct())});
  source->add_v1(place, cpuacct);
  return source;
}

void CgroupFileSource::add_v1(const std::string& place, const std::string& first) {
  std::string_view last;
  for (const CgroupFile& file : cgroup_files_v1()) {
    if (file.controller != std::exchange(last, file.controller)) {
      Fd v1 = open_place(place + '/' + std::string(file.controller));
      if (!v1.valid() && is_mounted_with(first, file.controller)) v1 = open_place(first);
      if (!v1.valid()) {
        last = {};
        continue;
      }
      hierarchies_.push_back({.root = std::move(v1), .files = {}});
    }
    hierarchies_.back().files.push_back(&file);
  }
}

std::unique_ptr<OpenCgroup> CgroupFileSource::open(const std::string& path, std::uint64_t& unread) {
  Fd directory = open_directory(hierarchies_.front().root, path);
  if (directory.valid()) return std::make_unique<CgroupFiles>(*this, std::move(directory), path);
  if (errno != ENOENT && errno != ENODEV) ++unread;
  return nullptr;
}

int CgroupFileSource::read(int fd, std::string_view& text) {
  while (true) {
    // The kernel shows such a file in one piece: a read shorter than the buffer is all of it.
    const ssize_t n = ::pread(fd, buffer_.data(), buffer_.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno;
    text = std::string_view(buffer_).substr(0, static_cast<std::size_t>(n));
    if (text.size() < buffer_.size()) return 0;
    if (buffer_.size() >= kLongestFile) return EFBIG;
    buffer_.resize(2 * buffer_.size());
  }
}

}  // namespace flowtap::telemetry
