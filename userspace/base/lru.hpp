// A bounded map that forgets the entry that was used least recently.
#pragma once

#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace flowtap {

template <typename Value>
class Lru {
 public:
  explicit Lru(std::size_t most) : most_(most) {}

  /// nullptr if it is not there; valid until the next put().
  [[nodiscard]] Value* get(const std::string& key) {
    const auto at = places_.find(key);
    if (at == places_.end()) return nullptr;
    entries_.splice(entries_.begin(), entries_, at->second);
    return &at->second->second;
  }

  /// The same, but the entry does not become more recent by it.
  [[nodiscard]] const Value* peek(const std::string& key) const {
    const auto at = places_.find(key);
    return at == places_.end() ? nullptr : &at->second->second;
  }

  void put(const std::string& key, Value value) {
    if (const auto at = places_.find(key); at != places_.end()) {
      at->second->second = std::move(value);
      entries_.splice(entries_.begin(), entries_, at->second);
      return;
    }
    if (most_ == 0) return;
    if (entries_.size() == most_) drop_oldest();
    entries_.emplace_front(key, std::move(value));
    places_.emplace(key, entries_.begin());
  }

  /// The entry that was used least recently; nothing if the map is empty.
  std::optional<Value> drop_oldest() {
    if (entries_.empty()) return std::nullopt;
    std::optional<Value> oldest(std::move(entries_.back().second));
    places_.erase(entries_.back().first);
    entries_.pop_back();
    return oldest;
  }

  /// Calls `take(key, value)` for each entry, the most recent first; no entry becomes more recent by it.
  template <typename Take>
  void each(Take&& take) const {
    for (const auto& [key, value] : entries_) take(key, value);
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  using Entries = std::list<std::pair<std::string, Value>>;
  std::size_t most_;
  Entries entries_;
  std::unordered_map<std::string, typename Entries::iterator> places_;
};

}  // namespace flowtap
