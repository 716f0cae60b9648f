// Compares what was written with what a runtime has kept, part by part. A part may end anywhere, also amid a character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::flow {

/// Docker keeps U+FFFD for each byte that is not UTF-8. One that was written so is kept as it is, unless Docker cut the line amid it:
/// then it is kept as three. Which one it was comes out behind it, so all places where the two may stand are followed at once.
class KeptComparison {
 public:
  enum class Result : std::uint8_t {
    kNeedsWritten,  ///< the next part of it, or its end
    kNeedsKept,     ///< the same
    kEqual,
    kDiffers,
    kOnlyWritten,  ///< it goes on, and what was kept ends
    kOnlyKept,
  };

  /// `replaces`: bytes that are not UTF-8.
  explicit KeptComparison(bool replaces) : replaces_(replaces) {}

  void add_written(std::string_view part);
  void add_kept(std::string_view part);
  void end_written() { written_.ended = true; }
  void end_kept() { kept_.ended = true; }

  /// Goes on as far as both sides do.
  [[nodiscard]] Result go_on();
  /// How many bytes of what was written are the same.
  [[nodiscard]] std::uint64_t equal() const { return equal_; }

 private:
  struct Side {
    std::string bytes;
    bool ended = false;
  };
  /// Where what was written may stand.
  struct Place {
    std::size_t at;
    std::uint64_t cut_from;  // of all that was written: from there on, a character may have been cut
  };

  [[nodiscard]] std::string_view kept() const { return std::string_view(kept_.bytes).substr(kept_at_); }
  [[nodiscard]] std::string_view written(const Place& place) const {
    return std::string_view(written_.bytes).substr(place.at);
  }
  [[nodiscard]] bool has_written(std::size_t bytes) const;
  bool take_plain();
  bool take_one();
  void add(std::vector<Place>& places, const Place& place) const;
  void note_equal();
  void forget();

  bool replaces_;
  Side written_;
  Side kept_;
  std::vector<Place> places_{{0, 0}};
  std::size_t kept_at_ = 0;
  std::uint64_t forgotten_ = 0;  // bytes that were written before written_
  std::uint64_t equal_ = 0;
};

}  // namespace flowtap::flow
