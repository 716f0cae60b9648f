#include "stream/repair/kept_comparison.hpp"

#include <algorithm>
#include <utility>

#include "stream/repair/runtime_files/kept_form.hpp"

namespace flowtap::flow {
namespace {

// Docker cuts a line behind each 16 KiB, so no two characters that it cuts are nearer than this.
constexpr std::uint64_t kCutsApart = std::uint64_t{8} << 10U;
// Each cut of a long run of U+FFFD adds some.
constexpr std::size_t kMostPlaces = 64;

}  // namespace

void KeptComparison::add_written(std::string_view part) {
  forget();
  written_.bytes += part;
}

void KeptComparison::add_kept(std::string_view part) {
  kept_.bytes.erase(0, std::exchange(kept_at_, 0));
  kept_.bytes += part;
}

void KeptComparison::forget() {
  const std::size_t done = std::ranges::min(places_, {}, &Place::at).at;
  written_.bytes.erase(0, done);
  forgotten_ += done;
  for (Place& place : places_) place.at -= done;
}

KeptComparison::Result KeptComparison::go_on() {
  while (kept_at_ < kept_.bytes.size()) {
    const bool is_replaced = replaces_ && kept().starts_with(kReplacement);
    if (!has_written(is_replaced ? kReplacement.size() : 1)) return Result::kNeedsWritten;
    const bool is_end =
        std::ranges::all_of(places_, [this](const Place& place) { return written(place).empty(); });
    if (is_end) return Result::kOnlyKept;
    const bool is_same = places_.size() == 1 && !is_replaced ? take_plain() : take_one();
    note_equal();
    if (!is_same) return Result::kDiffers;
  }
  if (!kept_.ended) return Result::kNeedsKept;
  if (!written_.ended && !has_written(1)) return Result::kNeedsWritten;
  const bool is_end =
      std::ranges::any_of(places_, [this](const Place& place) { return written(place).empty(); });
  return is_end ? Result::kEqual : Result::kOnlyWritten;
}

// Whether each place shows so many bytes, or all that there will be.
bool KeptComparison::has_written(std::size_t bytes) const {
  return written_.ended || std::ranges::all_of(places_, [this, bytes](const Place& place) {
           return written(place).size() >= bytes;
         });
}

// Takes all that is the same in front of the next U+FFFD. False: the sides differ.
bool KeptComparison::take_plain() {
  Place& place = places_.front();
  const std::string_view ours = written(place);
  std::string_view theirs = kept().substr(0, ours.size() + kReplacement.size());
  if (replaces_) theirs = theirs.substr(0, theirs.find(kReplacement));
  const auto ends = std::ranges::mismatch(ours, theirs);
  const auto equal = static_cast<std::size_t>(ends.in1 - ours.begin());
  place.at += equal;
  kept_at_ += equal;
  return equal == std::min(ours.size(), theirs.size());
}

// Takes one byte, or one U+FFFD, of what was kept. False: the sides differ.
bool KeptComparison::take_one() {
  const bool is_replaced = replaces_ && kept().starts_with(kReplacement);
  std::vector<Place> next;
  for (const Place& place : places_) {
    const std::string_view rest = written(place);
    if (rest.empty()) continue;
    if (!is_replaced) {
      if (rest.front() == kept().front()) add(next, {place.at + 1, place.cut_from});
      continue;
    }
    const std::uint64_t at = forgotten_ + place.at;
    if (rest.starts_with(kReplacement)) {
      add(next, {place.at + kReplacement.size(), place.cut_from});
      if (at >= place.cut_from) add(next, {place.at + 1, at + kCutsApart});
    } else if (ascii_prefix(rest.substr(0, 1)).empty()) {
      add(next, {place.at + 1, place.cut_from});
    }
  }
  if (next.empty()) return false;
  places_ = std::move(next);
  kept_at_ += is_replaced ? kReplacement.size() : 1;
  return true;
}

void KeptComparison::add(std::vector<Place>& places, const Place& place) const {
  const auto same = std::ranges::find(places, place.at, &Place::at);
  if (same != places.end())
    same->cut_from = std::min(same->cut_from, place.cut_from);
  else if (places.size() < kMostPlaces)
    places.push_back(place);
}

void KeptComparison::note_equal() {
  equal_ = forgotten_ + std::ranges::max(places_, {}, &Place::at).at;
}

}  // namespace flowtap::flow
