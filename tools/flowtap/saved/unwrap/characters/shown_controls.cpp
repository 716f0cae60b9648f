#include "shown_controls.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace flowtap::cli {
namespace {

struct ShownSigns {
  std::string_view end;
  std::string_view tab;
};
constexpr std::array kShown = {ShownSigns{"$", "^I"}, ShownSigns{"\xc2\xac", ">-------"}};
constexpr std::string_view kReturn = "^M";
constexpr std::uint8_t kFirstLines = 2;  // the first line may be the command

}  // namespace

std::string_view ShownControls::undo(std::string_view line) {
  const std::string_view shown = line.substr(0, line.find_last_not_of('\r') + 1);  // npos + 1 is 0
  if (looked_at_ < kFirstLines && !shown.empty()) {
    ++looked_at_;
    const auto* const signs =
        std::ranges::find_if(kShown, [shown](const ShownSigns& one) { return shown.ends_with(one.end); });
    if (signs != kShown.end()) {
      end_ = signs->end;
      tab_ = signs->tab;
    }
  }
  if (end_.empty() || !shown.ends_with(end_)) return line;
  line = shown.substr(0, shown.size() - end_.size());
  if (line.ends_with(kReturn)) line.remove_suffix(kReturn.size());
  std::size_t tab = line.find(tab_);
  if (tab == std::string_view::npos) return line;
  undone_.clear();
  for (; tab != std::string_view::npos; tab = line.find(tab_)) {
    undone_.append(line.substr(0, tab)).append(1, '\t');
    line.remove_prefix(tab + tab_.size());
  }
  return undone_.append(line);
}

}  // namespace flowtap::cli
