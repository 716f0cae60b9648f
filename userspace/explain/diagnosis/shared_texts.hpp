// Texts that many attempts have in common, such as the names of cards. Each is kept once, and only while an attempt has it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace flowtap::diagnosis {

class SharedTexts;

/// One of these texts, or none. It must end before its SharedTexts; both are used by one thread at a time.
class SharedText {
 public:
  SharedText() = default;
  SharedText(SharedText&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  SharedText& operator=(SharedText&& other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  SharedText(const SharedText&) = delete;
  SharedText& operator=(const SharedText&) = delete;
  ~SharedText();

  [[nodiscard]] std::string_view view() const {
    return entry_ != nullptr ? entry_->first : std::string_view();
  }
  [[nodiscard]] bool empty() const { return entry_ == nullptr; }

 private:
  friend class SharedTexts;
  struct Held {
    SharedTexts* by = nullptr;
    std::size_t times = 0;
  };
  using Entry = std::pair<const std::string, Held>;

  explicit SharedText(Entry& entry) : entry_(&entry) { ++entry.second.times; }

  Entry* entry_ = nullptr;
};

class SharedTexts {
 public:
  SharedTexts() = default;
  SharedTexts(const SharedTexts&) = delete;
  SharedTexts& operator=(const SharedTexts&) = delete;

  /// "" gives no text.
  [[nodiscard]] SharedText share(std::string_view text) {
    if (text.empty()) return {};
    auto found = entries_.find(text);
    if (found == entries_.end()) {
      found = entries_.emplace(text, SharedText::Held{this, 0}).first;
      bytes_ += kEntry + text.size();
    }
    return SharedText(*found);
  }

  /// About how much they take.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  friend class SharedText;
  static constexpr std::size_t kEntry = 96;  // about what the map takes for an entry, beside the text

  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  void drop(const SharedText::Entry& entry) {
    bytes_ -= kEntry + entry.first.size();
    entries_.erase(entries_.find(entry.first));
  }

  std::unordered_map<std::string, SharedText::Held, Hash, std::equal_to<>> entries_;
  std::size_t bytes_ = 0;
};

inline SharedText::~SharedText() {
  if (entry_ != nullptr && --entry_->second.times == 0) entry_->second.by->drop(*entry_);
}

}  // namespace flowtap::diagnosis
