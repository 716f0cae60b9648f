// The terminal as `top` uses it: another screen, single keys, no echo; and all of it given back at the end.
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

/// What ended a wait.
enum class Event { kTimeout, kQuit, kRedraw };

/// Signals arrive through a descriptor for as long as this lives, so that a person's Ctrl-C runs no handler
/// in the middle of something but ends a wait.
class Keyboard {
 public:
  /// Reads single keys from standard input if `keys` and it is a terminal; signals in any case.
  static Result<Keyboard> open(bool keys);
  Keyboard(Keyboard&& other) noexcept;
  Keyboard& operator=(Keyboard&&) = delete;
  Keyboard(const Keyboard&) = delete;
  Keyboard& operator=(const Keyboard&) = delete;
  ~Keyboard();

  /// Waits for a key or signal that means something. Ctrl-Z stops the process inside of it and is a kRedraw
  /// when it goes on.
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
