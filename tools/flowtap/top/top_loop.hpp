// The loop of every `flowtap top`: read, show, wait.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/flowtap/client.hpp"
#include "tools/flowtap/exit_code.hpp"
#include "tools/flowtap/terminal/screen.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

/// A view that can be shown again and again: numbers for the time between two readings.
class TopView {
 public:
  TopView() = default;
  TopView(const TopView&) = delete;
  TopView& operator=(const TopView&) = delete;
  virtual ~TopView() = default;

  /// Reads from the daemon. True: this ends an interval that began with the reading before.
  [[nodiscard]] virtual Answer<bool> advance() = 0;
  /// Lines for a live screen, like those of top_screen().
  [[nodiscard]] virtual std::vector<std::string> screen(const std::string& message, ScreenSize size,
                                                        const Style& style) const = 0;
  /// One block of plain lines.
  [[nodiscard]] virtual std::string block(const Style& style) const = 0;
  /// One line.
  [[nodiscard]] virtual std::string json() const = 0;
};

struct TopRun {
  bool json = false;
  std::chrono::milliseconds interval{1000};
  std::optional<std::uint64_t> count = {};  ///< intervals to show; absent: until told to end
  Color color = Color::kAuto;
};

/// Live on a terminal, otherwise one block of lines (or one JSON object) per interval.
[[nodiscard]] ExitCode run_top_view(TopView& view, const TopRun& run);

}  // namespace flowtap::cli
