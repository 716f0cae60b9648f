#include "text.hpp"

#include <fmt/format.h>
#include <langinfo.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cmath>
#include <cstdlib>

namespace flowtap::cli {
namespace {

/// The number of decimals with which the value has three digits.
int decimals(double value) {
  if (value < 9.995) return 2;
  return value < 99.95 ? 1 : 0;
}

bool continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

}  // namespace

std::string Style::paint(std::string_view sgr, std::string_view text) const {
  return color ? fmt::format("\x1b[{}m{}\x1b[0m", sgr, text) : std::string(text);
}

Style style_of(int fd, Color color) {
  // The program has one thread, and both values come from the process that started it.
  // NOLINTBEGIN(concurrency-mt-unsafe)
  std::setlocale(LC_CTYPE, "");
  const char* term = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  const std::string_view codeset = ::nl_langinfo(CODESET);
  // NOLINTEND(concurrency-mt-unsafe)
  const bool dumb = term == nullptr || std::string_view(term) == "dumb";
  const bool refused = no_color != nullptr && *no_color != '\0';
  const bool useful = ::isatty(fd) == 1 && !dumb && !refused;
  return {color == Color::kAlways || (color == Color::kAuto && useful), codeset == "UTF-8"};
}

std::string rate_text(double per_second) {
  if (!(per_second >= 0) || per_second > 1e18) return "?";
  if (per_second < 99.95) return fmt::format("{:.1f}", per_second);
  return grouped(static_cast<std::uint64_t>(std::llround(per_second)));
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr std::array<std::string_view, 6> kUnits = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1023.5 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, decimals(value), kUnits.at(unit));
}

std::string seconds_text(double seconds, const Style& style) {
  struct Unit {
    double seconds;
    std::string_view name;
  };
  const std::array units = {Unit{1e-6, style.pick("µs", "us")}, Unit{1e-3, "ms"}, Unit{1, "s"}};
  const Unit* unit = &units[0];
  for (const Unit& u : units)
    if (seconds >= u.seconds * 0.9995) unit = &u;
  const double value = seconds / unit->seconds;
  return fmt::format("{:.{}f} {}", value, decimals(value), unit->name);
}

std::string uptime_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e15) return "?";
  struct Unit {
    std::uint64_t seconds;
    std::string_view name;
  };
  static constexpr std::array kUnits = {Unit{86'400, "d"}, Unit{3'600, "h"}, Unit{60, "min"}, Unit{1, "s"}};
  auto rest = static_cast<std::uint64_t>(seconds);
  std::string text;
  int shown = 0;
  for (const Unit& unit : kUnits) {
    if (shown == 2 || (shown == 0 && rest < unit.seconds && unit.seconds > 1)) continue;
    if (shown == 1 && rest < unit.seconds) break;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", rest / unit.seconds, unit.name);
    rest %= unit.seconds;
    ++shown;
  }
  return text;
}

std::string bar(double share, std::size_t width, const Style& style) {
  static constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double filled = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  std::string out;
  if (!style.utf8) {
    auto marks = static_cast<std::size_t>(std::llround(filled));
    if (marks == 0 && share > 0 && width > 0) marks = 1;
    out.assign(marks, '#');
    return out + std::string(width - marks, ' ');
  }
  auto eighths = static_cast<std::size_t>(std::llround(filled * 8));
  if (eighths == 0 && share > 0 && width > 0) eighths = 1;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += kParts.at(eighths % 8);
  return out + std::string(width - (eighths + 7) / 8, ' ');
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continuation(c); }));
}

std::string fit(std::string_view text, std::size_t width, bool right) {
  const std::size_t taken = columns(text);
  if (taken <= width) {
    const std::string space(width - taken, ' ');
    return right ? space + std::string(text) : std::string(text) + space;
  }
  std::size_t end = 0;
  for (std::size_t shown = 0; end < text.size(); ++end)
    if (!continuation(text[end]) && shown++ == width) break;
  return std::string(text.substr(0, end));
}

}  // namespace flowtap::cli
