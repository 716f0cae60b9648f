#include "pods_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <utility>

#include "base/printable.hpp"
#include "pod_columns.hpp"
#include "stats/backends/json_text.hpp"

namespace flowtap::cli {
namespace {

constexpr std::size_t kLeastName = 20;
constexpr std::size_t kGap = 2;   // in front of each column
constexpr std::size_t kTail = 8;  // the end of a name that is cut: it tells the pods of one controller apart

std::string name_of(const api::WorkloadKey& key) {
  std::string name = key.pod.empty() ? key.container : key.pod;
  if (!key.ns.empty()) name = key.ns + "/" + name;
  if (!key.pod.empty() && !key.container.empty()) name += "/" + key.container;
  return name.empty() ? "?" : printable(name);
}

// A long name is cut in its middle.
std::string fit_name(const std::string& name, std::size_t width, const Style& style) {
  const std::string mark(style.pick("…", "~"));
  if (columns(name) <= width || width < 2 * kTail) return fit(name, width);
  std::size_t tail = name.size();
  for (std::size_t taken = 0; taken < kTail;)
    if ((static_cast<unsigned char>(name[--tail]) & 0xC0U) != 0x80U) ++taken;  // a character begins here
  return fit(name, width - kTail - 1) + mark + name.substr(tail);
}

std::string cell(const PodRow& row, std::size_t column) {
  const auto& value = row.values[column];
  return value ? pod_columns()[column].text(*value) : "-";
}

/// The columns that are shown, and how wide each is.
class Layout {
 public:
  Layout(const PodInterval& interval, std::size_t sorted, std::size_t width) {
    for (const PodRow& row : interval.rows) name_ = std::max(name_, columns(name_of(row.key)));
    for (std::size_t i = 0; i < pod_columns().size(); ++i)
      if (!pod_columns()[i].heading.empty() && (interval.known[i] || i == sorted)) add(i, interval);
    while (total(std::min(name_, kLeastName)) > width && drop_least(sorted)) continue;
    if (total(name_) > width) name_ = width - std::min(width, total(0));
  }

  struct Shown {
    std::size_t column;
    std::size_t width;
  };
  [[nodiscard]] const std::vector<Shown>& shown() const { return shown_; }
  [[nodiscard]] std::size_t name() const { return name_; }
  [[nodiscard]] std::size_t width() const { return total(name_); }

 private:
  void add(std::size_t column, const PodInterval& interval) {
    std::size_t width = std::max(columns(pod_columns()[column].heading), pod_columns()[column].width);
    for (const PodRow& row : interval.rows) width = std::max(width, columns(cell(row, column)));
    shown_.push_back({column, width});
  }
  [[nodiscard]] std::size_t total(std::size_t name) const {
    std::size_t sum = kGap + name;
    for (const Shown& one : shown_) sum += kGap + one.width;
    return sum;
  }
  bool drop_least(std::size_t sorted) {
    const auto worth = [sorted](const Shown& one) {
      return one.column == sorted ? std::numeric_limits<int>::max() : pod_columns()[one.column].worth;
    };
    const auto least = std::ranges::min_element(shown_, {}, worth);
    if (least == shown_.end() || least->column == sorted) return false;
    shown_.erase(least);
    return true;
  }

  std::size_t name_ = 3;
  std::vector<Shown> shown_;
};

std::string heading(const Layout& layout, const Style& style) {
  std::string line = "  " + style.paint("2", fit("pod", layout.name()));
  for (const auto& [column, width] : layout.shown())
    line += "  " + style.paint("2", fit(pod_columns()[column].heading, width, true));
  return line;
}

std::string row_text(const PodRow& row, const Layout& layout, std::size_t sorted, const Style& style) {
  std::string line = "  " + fit_name(name_of(row.key), layout.name(), style);
  for (const auto& [column, width] : layout.shown()) {
    const std::string text = fit(cell(row, column), width, true);
    line += "  " + (column == sorted ? style.paint("1", text) : text);
  }
  return line;
}

std::vector<std::string> table(const PodInterval& interval, std::size_t sorted, std::size_t width,
                               const Style& style) {
  if (interval.rows.empty()) {
    std::string none = "  no pods";
    if (interval.left_out > 0)
      none += fmt::format(" now; --ended shows {} that {} ended", interval.left_out,
                          interval.left_out == 1 ? "has" : "have");
    return {clipped(none, width)};
  }
  const Layout layout(interval, sorted, width);
  // There may be no room for a single column, and painted text cannot be cut.
  const bool cut = layout.width() > width;
  const Style how{.color = style.color && !cut, .utf8 = style.utf8};
  std::vector<std::string> lines{heading(layout, how)};
  bool among_ended = false;
  for (const PodRow& row : interval.rows) {
    if (row.ended && !std::exchange(among_ended, true)) lines.push_back("  " + how.paint("2", "ended"));
    lines.push_back(row_text(row, layout, sorted, how));
  }
  if (cut)
    for (std::string& line : lines) line = clipped(line, width);
  return lines;
}

}  // namespace

std::vector<std::string> pods_screen(const PodInterval& interval, std::size_t sorted,
                                     const std::string& message, ScreenSize size, const Style& style) {
  std::vector<std::string> lines =
      screen_title("flowtap top --pods", interval.end, interval.seconds, message, size.columns, style);
  lines.emplace_back();
  std::ranges::move(table(interval, sorted, size.columns, style), std::back_inserter(lines));
  return cut_to_screen(std::move(lines), size, style);
}

std::string pods_block(const PodInterval& interval, std::size_t sorted, const Style& style) {
  const std::chrono::system_clock::time_point end(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(
          std::chrono::duration<double>(interval.end)));
  std::string text = fmt::format("flowtap  {}  last {:.1f} s\n\n", stats::rfc3339(end), interval.seconds);
  for (const std::string& line : table(interval, sorted, std::numeric_limits<std::size_t>::max(), style))
    text += line + "\n";
  return text;
}

}  // namespace flowtap::cli
