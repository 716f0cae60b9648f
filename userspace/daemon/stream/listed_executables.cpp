#include "daemon/stream/listed_executables.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>

namespace flowtap {

void ListedExecutables::set(const std::vector<std::string>& paths) {
  std::erase_if(executables_,
                [&](const auto& entry) { return std::ranges::find(paths, entry.first) == paths.end(); });
  for (const std::string& path : paths) executables_[path];
}

ListedExecutables::Executable ListedExecutables::look(const std::string& path,
                                                      const Executable& before) const {
  struct stat status{};
  const auto file = root_.open_below(path, O_PATH);
  if (!file || ::fstat(file->get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  const Place place{status.st_dev, status.st_ino};
  if (before.place == place) return before;
  const auto own = ask_(file->get());
  if (!own) return {};
  return {place, {own->device, own->inode}};
}

bool ListedExecutables::find() {
  bool changed = false;
  for (auto& [path, executable] : executables_) {
    const Executable now = look(path, executable);
    changed = changed || now.place != executable.place;
    executable = now;
  }
  return changed;
}

bool ListedExecutables::contains(const Place& place) const {
  return std::ranges::any_of(executables_,
                             [&place](const auto& entry) { return entry.second.place == place; });
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
    if (!executable.place) all.push_back(path);
  return all;
}

}  // namespace flowtap
