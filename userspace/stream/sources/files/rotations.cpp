#include "stream/sources/files/rotations.hpp"

#include <utility>

namespace flowtap {

Rotations::Rotations(std::string name) : name_(std::move(name)) {
  at_.emplace(name_, next_++);
}

void Rotations::see(const NameEvent& event) {
  // A move out of the directory has no second half, and the two halves of one stand side by side.
  if (event.what != NameEvent::What::kMovedTo || !moving_.contains(event.cookie)) {
    for (const auto& [cookie, number] : std::exchange(moving_, {})) drop(number);
  }
  const auto at = at_.find(event.name);
  switch (event.what) {
    case NameEvent::What::kMade:
      if (event.name == name_) put(event.name, next_++);
      return;
    case NameEvent::What::kMovedFrom:
      if (at == at_.end()) return;
      moving_.emplace(event.cookie, at->second);
      at_.erase(at);
      return;
    case NameEvent::What::kMovedTo: {
      const auto moved = moving_.find(event.cookie);
      if (moved != moving_.end()) {
        const std::uint64_t number = moved->second;
        moving_.erase(moved);
        return put(event.name, number);
      }
      if (event.name == name_) return put(event.name, next_++);
      if (at == at_.end()) return;
      drop(at->second);  // something else took its place
      at_.erase(at);
      return;
    }
    case NameEvent::What::kRemoved:
      if (at == at_.end()) return;
      drop(at->second);
      at_.erase(at);
  }
}

void Rotations::put(const std::string& name, std::uint64_t number) {
  const auto [at, free] = at_.try_emplace(name, number);
  if (!free) drop(std::exchange(at->second, number));
  const bool is_new = number + 1 == next_ && name == name_;
  if (is_new || fresh_.contains(number)) fresh_[number] = name;
  if (fresh_.size() <= kMostFresh) return;
  const std::uint64_t oldest = fresh_.begin()->first;
  drop(oldest);
  forget(oldest);
}

void Rotations::drop(std::uint64_t number) {
  lost_ += fresh_.erase(number);
}

std::vector<Rotations::Fresh> Rotations::fresh() const {
  std::vector<Fresh> all;
  all.reserve(fresh_.size());
  for (const auto& [number, name] : fresh_) all.push_back({number, name});
  return all;
}

void Rotations::take(std::uint64_t number) {
  fresh_.erase(number);
  forget(number);
}

// Nobody asks any more where it goes, and a name for each file that ever stood there would be many.
void Rotations::forget(std::uint64_t number) {
  std::erase_if(at_, [number](const auto& entry) { return entry.second == number; });
}

void Rotations::forget_all() {
  lost_ += fresh_.size();
  fresh_.clear();
  at_.clear();
  moving_.clear();
  put(name_, next_++);
}

}  // namespace flowtap
