// Which ends of a service are successes by its own unit: SuccessExitStatus=, and commands whose failure is ignored.
#pragma once

#include <bitset>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace flowtap {

/// What a unit's files say of it (systemd.service(5)).
struct UnitRule {
  std::bitset<256> codes;
  std::bitset<65> signals;
  bool ignores_failure = false;  ///< each of its commands has the prefix "-"

  /// `status` is wait(2)'s.
  [[nodiscard]] bool is_success(int status) const;
  bool operator==(const UnitRule&) const = default;
};

/// Reads a unit's files: first its own, then its drop-ins. Each begins outside of all sections.
class UnitRuleReader {
 public:
  void read(std::string_view file);
  [[nodiscard]] const UnitRule& rule() const { return rule_; }

 private:
  UnitRule rule_;
  std::size_t commands_ = 0;
  std::size_t ignored_ = 0;
};

/// Reads the files of the node's services: links end within the node's root, and a FIFO is none. Not thread-safe.
class UnitSuccess {
 public:
  /// No more rules than these are remembered.
  static constexpr std::size_t kMost = 4096;

  /// `host_root` is where the node's file system is visible.
  explicit UnitSuccess(std::string host_root) : host_root_(std::move(host_root)) {}

  /// Remembers the rule of a service that begins: the files of one that somebody makes for a moment are gone at its end.
  void note(const std::string& unit);
  /// Whether it has succeeded though it ended with `status`, by its files as they are now, or as they were when it began.
  [[nodiscard]] bool is_success(const std::string& unit, int status) const;

 private:
  [[nodiscard]] std::optional<UnitRule> read(const std::string& unit) const;

  std::string host_root_;
  std::map<std::string, UnitRule, std::less<>> known_;  // only those that have a rule of their own
};

}  // namespace flowtap
