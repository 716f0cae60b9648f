#include "top_loop.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "tools/flowtap/terminal/terminal.hpp"

namespace flowtap::cli {
namespace {

// How soon to ask again if the daemon's cycle has not ended since the last reading, or if it has no totals yet.
constexpr std::chrono::milliseconds kAgain{100};

class Top {
 public:
  Top(TopView& view, const TopRun& options, Keyboard& keyboard)
      : view_(view), options_(options), keyboard_(keyboard) {}

  ExitCode run(bool live);

 private:
  std::optional<ExitCode> begin();
  [[nodiscard]] bool print() const;

  TopView& view_;
  const TopRun& options_;
  Keyboard& keyboard_;
};

/// The first totals decide whether there is anything to show. A daemon that has just started gets a moment.
std::optional<ExitCode> Top::begin() {
  static constexpr int kTries = 50;
  for (int i = 1;; ++i) {
    const auto first = view_.advance();
    if (first) return std::nullopt;
    if (!first.error().not_yet || i == kTries) {
      complain(first.error().error);
      return first.error().exit;
    }
    if (keyboard_.wait(kAgain) == Event::kQuit) return kOk;
  }
}

/// False if nobody reads any more.
bool Top::print() const {
  const std::string text =
      options_.json ? view_.json() : view_.block(style_of(STDOUT_FILENO, options_.color));
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fputc('\n', stdout) != EOF &&
         std::fflush(stdout) == 0;
}

ExitCode Top::run(bool live) {
  using Clock = std::chrono::steady_clock;
  if (const auto end = begin()) return *end;
  std::optional<LiveScreen> screen;
  if (live) screen.emplace();
  const Style style = style_of(STDOUT_FILENO, options_.color);
  std::string message = "counting ...";
  std::uint64_t shown = 0;
  auto next = Clock::now() + options_.interval;
  while (true) {
    if (screen) screen->draw(view_.screen(message, screen->size(), style));
    const Event event = keyboard_.wait(std::chrono::ceil<std::chrono::milliseconds>(next - Clock::now()));
    if (event == Event::kQuit) return kOk;
    if (event == Event::kRedraw) continue;
    const auto complete = view_.advance();
    const bool same_cycle = complete && !*complete;
    next = Clock::now() + (same_cycle ? std::min(options_.interval, kAgain) : options_.interval);
    if (same_cycle) continue;
    if (!complete && !screen) {
      complain(complete.error().error);
      return complete.error().exit;
    }
    message = complete ? "" : complete.error().error.what;
    if (!complete) continue;
    if (!screen && !print()) return kFailure;
    if (++shown == options_.count) return kOk;
  }
}

}  // namespace

ExitCode run_top_view(TopView& view, const TopRun& run) {
  const bool live = !run.json && ::isatty(STDOUT_FILENO) == 1;
  auto keyboard = Keyboard::open(live);
  if (!keyboard) {
    complain(keyboard.error());
    return kFailure;
  }
  return Top(view, run, *keyboard).run(live);
}

}  // namespace flowtap::cli
