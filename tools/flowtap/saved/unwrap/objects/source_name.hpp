// What a collector calls the log that a record is from, in members around the record: the pod and its container, a log stream, or
// the machine and a file. Without it, the records of two schedulers in one export look like one log.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flowtap::cli {

class SourceName {
 public:
  enum class Part : std::uint8_t { kNamespace, kPod, kContainer, kStream, kHost, kFile };
  static constexpr std::size_t kParts = 6;

  /// A member's key, which stands in the members `holders`, each by its own name: "kubernetes" and "pod" of "name". The first value
  /// of a part counts.
  void add(std::string_view holders, std::string_view key, std::string_view value);
  /// What stands further outside, or in a member, says what this one does not.
  void add(const SourceName& other);
  /// klog's own pairs name the pod that the record is about, and not the scheduler's. Only what a collector alone writes stays.
  void leave_collectors();

  [[nodiscard]] bool empty() const;
  /// The pod and its container, or else all that is known; empty: nothing is.
  [[nodiscard]] std::string text() const;

  friend bool operator==(const SourceName&, const SourceName&) = default;

 private:
  struct Said {
    std::string value;
    bool by_collector = false;

    friend bool operator==(const Said&, const Said&) = default;
  };
  [[nodiscard]] const std::string& value_of(Part part) const {
    return said_.at(static_cast<std::size_t>(part)).value;
  }

  std::array<Said, kParts> said_;
};

}  // namespace flowtap::cli
