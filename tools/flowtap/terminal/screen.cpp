#include "screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "base/printable.hpp"

namespace flowtap::cli {
namespace {

std::string clock_text(double seconds) {
  const auto time = static_cast<std::time_t>(seconds);
  std::tm local{};
  ::localtime_r(&time, &local);
  return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

}  // namespace

std::string clipped(std::string_view text, std::size_t width) {
  return fit(text, std::min(width, columns(text)));
}

std::vector<std::string> screen_title(std::string_view name, double end, double seconds,
                                      std::string_view message, std::size_t width, const Style& style) {
  std::vector<std::string> lines;
  std::string middle = "   " + clock_text(end);
  if (seconds > 0) middle += fmt::format("   last {:.1f} s", seconds);
  const std::string right = "q quits";
  const std::size_t taken = columns(name) + columns(middle) + columns(right);
  if (taken < width)
    lines.push_back(style.paint("1", name) + middle + std::string(width - taken, ' ') +
                    style.paint("2", right));
  else
    lines.push_back(style.paint("1", clipped(name, width)));
  if (!message.empty()) lines.push_back(style.paint("33", clipped(printable(message), width)));
  return lines;
}

std::vector<std::string> cut_to_screen(std::vector<std::string> lines, ScreenSize size, const Style& style) {
  if (lines.size() <= size.rows || size.rows == 0) return lines;
  const std::size_t hidden = lines.size() - size.rows + 1;
  lines.resize(size.rows - 1);
  lines.push_back(style.paint(
      "2", clipped(fmt::format("  {} more lines; a taller window shows them", hidden), size.columns)));
  return lines;
}

}  // namespace flowtap::cli
