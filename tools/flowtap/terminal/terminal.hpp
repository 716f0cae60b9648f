// The terminal as `top` uses it: another screen, single keys, no echo. Everything is restored at the end.
#pragma once

#include <termios.h>

#include <chrono>
#include <optional>
#include <span>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "screen.hpp"

namespace flowtap::cli {

/// The reason why a wait ended.
enum class Event { kTimeout, kQuit, kRedraw };

/// For as long as this lives, signals arrive through a descriptor. So Ctrl-C ends a wait, and does not run a handler in
/// the middle of something.
class Keyboard {
 public:
  /// Reads single keys from standard input if `keys` is true and it is a terminal; signals are read in any case.
  static Result<Keyboard> open(bool keys);
  Keyboard(Keyboard&& other) noexcept;
  Keyboard& operator=(Keyboard&&) = delete;
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  ~Keyboard();

  /// Waits for a key or signal with a meaning. Ctrl-Z stops the process in here, and returns kRedraw when it goes on.
  Event wait(std::chrono::milliseconds timeout);

 private:
  explicit Keyboard(Fd signals) : signals_(std::move(signals)) {}
  Event take_signal();
  Event take_key();
  void stop_here();

  Fd signals_;
  bool keys_ = false;
  std::optional<termios> before_;
};

/// The other screen of a terminal, with the cursor hidden.
class LiveScreen {
 public:
  LiveScreen();
  LiveScreen(const LiveScreen&) = delete;
  LiveScreen& operator=(const LiveScreen&) = delete;
  ~LiveScreen();

  [[nodiscard]] ScreenSize size() const;
  void draw(std::span<const std::string> lines);
};

}  // namespace flowtap::cli
