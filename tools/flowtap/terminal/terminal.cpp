#include "terminal.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>

#include "base/file.hpp"
#include "stop_signals.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[2J";
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";

// If the terminal is gone, SIGHUP says so.
void put(std::string_view text) {
  (void)write_all(STDOUT_FILENO, text, "the terminal");
}

}  // namespace

Result<Keyboard> Keyboard::open(bool keys) {
  FTAP_TRY_ASSIGN(signals, signals_as_fd({SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGWINCH}));
  Keyboard keyboard(std::move(signals));
  termios now{};
  if (!keys || ::tcgetattr(STDIN_FILENO, &now) != 0) return keyboard;
  keyboard.keys_ = true;
  keyboard.before_ = now;
  now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  now.c_cc[VMIN] = 0;
  now.c_cc[VTIME] = 0;
  ::tcsetattr(STDIN_FILENO, TCSADRAIN, &now);
  return keyboard;
}

Keyboard::Keyboard(Keyboard&& other) noexcept
    : signals_(std::move(other.signals_)),
      keys_(other.keys_),
      before_(std::exchange(other.before_, std::nullopt)) {}

Keyboard::~Keyboard() {
  if (before_) ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
}

Event Keyboard::wait(std::chrono::milliseconds timeout) {
  const auto end = std::chrono::steady_clock::now() + timeout;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return Event::kTimeout;
    std::array<pollfd, 2> sources = {pollfd{signals_.get(), POLLIN, 0}, pollfd{STDIN_FILENO, POLLIN, 0}};
    const int polled = ::poll(sources.data(), keys_ ? 2 : 1, static_cast<int>(left.count()));
    if (polled < 0 && errno != EINTR) return Event::kQuit;
    Event event = Event::kTimeout;
    if (polled > 0 && sources[0].revents != 0)
      event = take_signal();
    else if (polled > 0)
      event = take_key();
    if (event != Event::kTimeout) return event;
  }
}

Event Keyboard::take_signal() {
  signalfd_siginfo info{};
  if (::read(signals_.get(), &info, sizeof(info)) != sizeof(info)) return Event::kTimeout;
  if (info.ssi_signo == SIGWINCH) return Event::kRedraw;
  if (info.ssi_signo != SIGTSTP) return Event::kQuit;
  stop_here();
  return Event::kRedraw;
}

Event Keyboard::take_key() {
  std::array<char, 64> typed{};
  const ssize_t n = ::read(STDIN_FILENO, typed.data(), typed.size());
  if (n <= 0) {
    keys_ = false;  // no more keys will come; signals still do
    return Event::kTimeout;
  }
  const std::string_view keys(typed.data(), static_cast<std::size_t>(n));
  return keys.find_first_of("qQ") != std::string_view::npos ? Event::kQuit : Event::kTimeout;
}

/// While we are stopped, the shell gets its terminal back as it was.
void Keyboard::stop_here() {
  termios live{};
  if (before_) {
    ::tcgetattr(STDIN_FILENO, &live);
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &*before_);
    put(kLeave);
  }
  ::raise(SIGSTOP);
  if (before_) {
    ::tcsetattr(STDIN_FILENO, TCSADRAIN, &live);
    put(kEnter);
  }
}

LiveScreen::LiveScreen() {
  put(kEnter);
}
LiveScreen::~LiveScreen() {
  put(kLeave);
}

ScreenSize LiveScreen::size() const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {};
  return {size.ws_row, size.ws_col};
}

void LiveScreen::draw(std::span<const std::string> lines) {
  // One write draws over the old screen, so that nothing flickers.
  std::string out = "\x1b[H";
  for (std::size_t i = 0; i < lines.size(); ++i) out += (i > 0 ? "\r\n" : "") + lines[i] + "\x1b[K";
  put(out + "\x1b[J");
}

}  // namespace flowtap::cli
