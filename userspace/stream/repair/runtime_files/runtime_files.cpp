#include "stream/repair/runtime_files/runtime_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "base/ascii.hpp"
#include "base/directory.hpp"

namespace flowtap::flow {
namespace {

// kubelet checks every 10 s whether to rotate, and opening the files takes microseconds.
constexpr int kTries = 8;
constexpr std::string_view kGz = ".gz";
constexpr std::string_view kDate = "00000000-000000";
constexpr std::size_t kMostDigits = 6;

bool is_date(std::string_view text) {
  return text.size() == kDate.size() && std::ranges::equal(text, kDate, [](char c, char form) {
           return form == '0' ? is_digit(c) : c == form;
         });
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= kMostDigits && text.front() != '0' &&
         std::ranges::all_of(text, is_digit);
}

// The age of a file: smaller is newer. Nothing if the name is not a generation's.
std::optional<std::string> age_of(RuntimeFormat format, std::string_view suffix) {
  if (suffix.empty()) return std::string();
  if (!suffix.starts_with('.')) return std::nullopt;
  std::string age(suffix.substr(1));
  if (format == RuntimeFormat::kCri) {
    if (!is_date(age)) return std::nullopt;
    for (char& c : age)
      if (is_digit(c)) c = static_cast<char>('0' + '9' - c);  // the later, the smaller
    return age;
  }
  if (!is_number(age)) return std::nullopt;
  return std::string(kMostDigits - age.size(), '0') + age;
}

struct Opened {
  RuntimeFile file;
  dev_t device = 0;
  ino_t inode = 0;

  bool same(const Opened& other) const {
    return device == other.device && inode == other.inode && file.name == other.file.name;
  }
};

struct Round {
  std::vector<Opened> opened;  // newest first
  std::string unreadable;
};

// Files are opened newest first: a file that is renamed meanwhile becomes older, so it is met twice rather than missed.
Result<Round> open_once(RuntimeFormat format, RuntimeDir& dir, std::string_view base) {
  FTAP_TRY_ASSIGN(listed, dir.names());
  auto names = runtime_file_names(format, base, listed);
  names.resize(std::min(names.size(), kMostGenerations));
  Round round;
  for (auto& [name, gz] : names) {
    auto fd = dir.open(name);
    if (!fd) {
      if (fd.error().code != ENOENT) round.unreadable = std::move(fd).error().what;
      continue;
    }
    struct stat status{};
    if (::fstat(fd->get(), &status) != 0) continue;
    const bool met = std::ranges::any_of(round.opened, [&status](const Opened& other) {
      return other.device == status.st_dev && other.inode == status.st_ino;
    });
    if (met) continue;
    round.opened.push_back({{std::move(*fd), std::move(name), gz}, status.st_dev, status.st_ino});
  }
  return round;
}

}  // namespace

std::vector<RuntimeFileName> runtime_file_names(RuntimeFormat format, std::string_view base,
                                                const std::vector<std::string>& names) {
  std::map<std::string, RuntimeFileName> by_age;
  for (const std::string& name : names) {
    if (!name.starts_with(base)) continue;
    std::string_view suffix = std::string_view(name).substr(base.size());
    const bool gz = suffix.ends_with(kGz) && format != RuntimeFormat::kK8sFile;
    if (gz) suffix.remove_suffix(kGz.size());
    const auto age = age_of(format, suffix);
    if (!age || (gz && suffix.empty())) continue;
    const auto [at, fresh] = by_age.try_emplace(*age, RuntimeFileName{name, gz});
    if (!fresh && at->second.gz) at->second = {name, gz};
  }
  std::vector<RuntimeFileName> found;
  found.reserve(by_age.size());
  for (auto& [age, name] : by_age) found.push_back(std::move(name));
  return found;
}

Result<std::vector<std::string>> OpenedRuntimeDir::names() {
  // It is opened anew, since all who have the descriptor share its position.
  Fd fd(::openat(fd_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, "cannot open the directory of the log");
  return directory_names(std::move(fd), kMostNames, "the directory of the log");
}

Result<Fd> OpenedRuntimeDir::open(const std::string& name) {
  if (name.contains('/')) return fail(name + " is not the name of a file");
  Fd fd(::openat(fd_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!fd.valid()) return fail_errno(errno, "cannot open " + name);
  struct stat status{};
  if (::fstat(fd.get(), &status) != 0) return fail_errno(errno, "cannot stat " + name);
  if (!S_ISREG(status.st_mode)) return fail(name + " is not a regular file");
  return fd;
}

Result<RuntimeFiles> open_runtime_files(RuntimeFormat format, RuntimeDir& dir, std::string_view base) {
  FTAP_TRY_ASSIGN(round, open_once(format, dir, base));
  bool settled = false;
  for (int tries = kTries; tries > 0 && !settled; --tries) {
    FTAP_TRY_ASSIGN(again, open_once(format, dir, base));
    settled = std::ranges::equal(round.opened, again.opened, &Opened::same);
    round = std::move(again);
  }
  RuntimeFiles out;
  out.unsettled = !settled;
  out.unreadable = std::move(round.unreadable);
  for (auto at = round.opened.rbegin(); at != round.opened.rend(); ++at)
    out.files.push_back(std::move(at->file));
  return out;
}

}  // namespace flowtap::flow
