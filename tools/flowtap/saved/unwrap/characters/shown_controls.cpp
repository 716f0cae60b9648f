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

}  // namespace

std::string_view ShownControls::undo(std::string_view line) {
  const std::string_view shown = line.substr(0, line.find_last_not_of('\r') + 1);  // npos + 1 is 0
  const auto* const signs =
      std::ranges::find_if(kShown, [shown](const ShownSigns& one) { return shown.ends_with(one.end); });
  if (signs == kShown.end()) return line;
  line = shown.substr(0, shown.size() - signs->end.size());
  if (line.ends_with(kReturn)) line.remove_suffix(kReturn.size());
  std::size_t tab = line.find(signs->tab);
  if (tab == std::string_view::npos) return line;
  undone_.clear();
  for (; tab != std::string_view::npos; tab = line.find(signs->tab)) {
    undone_.append(line.substr(0, tab)).append(1, '\t');
    line.remove_prefix(tab + signs->tab.size());
  }
  return undone_.append(line);
}

}  // namespace flowtap::cli
