#include "stream/sources/listed_executables.hpp"

#include <sys/stat.h>

#include <algorithm>

namespace flowtap {

void ListedExecutables::set(const std::vector<std::string>& paths) {
  std::erase_if(executables_,
                [&](const auto& entry) { return std::ranges::find(paths, entry.first) == paths.end(); });
  for (const std::string& path : paths) executables_[path];
}

Result<ListedExecutables::Executable> ListedExecutables::look(const std::string& path,
                                                              const Executable& before) {
  FTAP_TRY_ASSIGN(reached, walk_.to(path));
  const struct statx& status = reached.status;
  if (!S_ISREG(status.stx_mode)) return fail(path + " is not a regular file");
  const Place place{status.stx_dev_major, status.stx_dev_minor, status.stx_ino};
  if (before.place == place) return before;
  FTAP_TRY_ASSIGN(own, ask_(reached.place.get()));
  return Executable{place, {own.device, own.inode}, {}};
}

bool ListedExecutables::find() {
  bool changed = false;
  for (auto& [path, executable] : executables_) {
    auto found = look(path, executable);
    Executable now = found ? std::move(*found) : Executable{{}, {}, std::move(found).error()};
    changed = changed || now.place != executable.place;
    executable = std::move(now);
  }
  return changed;
}

bool ListedExecutables::contains(const kernel::LogExecutable& executable) const {
  return std::ranges::any_of(executables_, [&executable](const auto& entry) {
    return entry.second.place && entry.second.known == executable;
  });
}

std::vector<kernel::LogExecutable> ListedExecutables::known() const {
  std::vector<kernel::LogExecutable> all;
  for (const auto& [path, executable] : executables_)
    if (executable.place) all.push_back(executable.known);
  return all;
}

std::vector<std::string> ListedExecutables::not_found() const {
  std::vector<std::string> all;
  for (const auto& [path, executable] : executables_)
    if (executable.missing && is_nothing_there(*executable.missing)) all.push_back(path);
  return all;
}

std::vector<api::RefusedSource> ListedExecutables::refused() const {
  std::vector<api::RefusedSource> all;
  for (const auto& [path, executable] : executables_)
    if (executable.missing && !is_nothing_there(*executable.missing))
      all.push_back({path, executable.missing->what});
  return all;
}

}  // namespace flowtap
