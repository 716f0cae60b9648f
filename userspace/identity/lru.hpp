// A bounded map that forgets what was asked for least recently.
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <unordered_map>
#include <utility>

namespace flowtap::identity {

template <typename Value>
class Lru {
 public:
  explicit Lru(std::size_t most) : most_(most) {}

  /// nullptr if it is not there; valid until the next put().
  [[nodiscard]] const Value* get(const std::string& key) {
    const auto at = places_.find(key);
    if (at == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, at->second);
    return &at->second->second;
  }

  void put(const std::string& key, Value value) {
    if (const auto at = places_.find(key); at != places_.end()) {
      at->second->second = std::move(value);
      entries_.splice(entries_.begin(), entries_, at->second);
      return;
    }
    if (most_ == 0) return;
    if (entries_.size() == most_) {
      places_.erase(entries_.back().first);
      entries_.pop_back();
    }
    entries_.emplace_front(key, std::move(value));
    places_.emplace(key, entries_.begin());
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;
  std::size_t most_;
  Entries entries_;
  std::unordered_map<std::string, typename Entries::iterator> places_;
};

}  // namespace flowtap::identity
