// Where the files that stood at one path have gone: a directory's events in their order, followed through renames.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace flowtap {

/// One change of a directory's names, as inotify(7) tells it.
struct NameEvent {
  enum class What : std::uint8_t { kMade, kMovedFrom, kMovedTo, kRemoved };
  What what{};
  std::string name;
  std::uint32_t cookie = 0;  ///< of a move: both its ends have the same
};

/// A logger may have begun its third file when we hear of the second. Only the order of the events tells what the second is
/// called by then, whatever way of naming the logger has.
class Rotations {
 public:
  static constexpr std::size_t kMostFresh = 256;

  /// `name`, without its directory, is what files are written under; the one that stands there now is known.
  explicit Rotations(std::string name);

  void see(const NameEvent& event);

  struct Fresh {
    std::uint64_t number;  ///< ascending, as they came
    std::string name;      ///< what it is called now
  };
  /// Files that stood at the name and were not taken yet. If there are more than kMostFresh, the oldest are lost.
  [[nodiscard]] std::vector<Fresh> fresh() const;
  void take(std::uint64_t number);
  /// Events were lost: all that is known is the name, where something new may stand.
  void forget_all();

  /// Files that were removed, or moved away, before they were taken.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  void put(const std::string& name, std::uint64_t number);
  void drop(std::uint64_t number);
  void forget(std::uint64_t number);

  std::string name_;
  std::uint64_t next_ = 1;
  std::map<std::string, std::uint64_t> at_;  // name → the file of ours that stands there, until it is taken
  std::map<std::uint32_t, std::uint64_t> moving_;  // by cookie
  std::map<std::uint64_t, std::string> fresh_;
  std::uint64_t lost_ = 0;
};

}  // namespace flowtap
