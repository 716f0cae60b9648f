#include "why_next.hpp"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "base/printable.hpp"
#include "why_exits.hpp"

namespace flowtap::cli {
namespace {

struct Step {
  unsigned number = 0;  // a code or a signal
  std::string_view todo;
};

// A shell ends with these where it cannot run the command (POSIX, Shell Command Language, 2.8.2).
constexpr std::array<Step, 2> kCodes = {{
    {126,
     "a shell has found the program and could not execute it: check its rights, and that it is for this CPU"},
    {127, "a shell has not found the program: check the command, and PATH in the image"},
}};
// A shell that waited for a killed process ends with this and the signal's number.
constexpr unsigned kShellsSignal = 128;

constexpr std::string_view kBug = "this is a bug in the program, or in a library of its image";
constexpr std::array<Step, 9> kSignals = {{
    {SIGKILL,
     "somebody has killed it: a person, or whoever started it because it did not end in time or did not "
     "answer"},
    {SIGTERM, "it was asked to end: by a person, or by whoever started it"},
    {SIGINT, "it was asked to end: by a person, or by whoever started it"},
    {SIGABRT,
     "the program has ended itself because it found something wrong, and its last lines should say what"},
    {SIGSEGV, kBug},
    {SIGBUS, kBug},
    {SIGFPE, kBug},
    {SIGILL, "the program is for another kind of CPU, or has a bug"},
    {SIGSYS, "the program made a system call that its seccomp profile forbids"},
}};

template <std::size_t N>
std::string_view step_for(const std::array<Step, N>& steps, unsigned number) {
  const auto* const found = std::ranges::find(steps, number, &Step::number);
  return found == steps.end() ? std::string_view() : found->todo;
}

std::string_view step_for(const api::ContainerExit& exit) {
  if (exit.signal) return step_for(kSignals, *exit.signal);
  const unsigned code = exit.code.value_or(0);
  if (const auto todo = step_for(kCodes, code); !todo.empty()) return todo;
  return code > kShellsSignal ? step_for(kSignals, code - kShellsSignal) : std::string_view();
}

std::string describe(std::string_view ns, std::string_view pod) {
  return fmt::format("kubectl describe pod {} -n {}", pod, ns);
}

/// Where its runtime or manager says more.
std::string ask_others(const api::EndedInstance& of, std::string_view container) {
  if (!of.pod.empty()) return describe(of.ns, of.pod);
  return of.unit.empty() ? fmt::format("podman inspect {0}, or docker inspect {0},", container)
                         : "systemctl status " + of.unit;
}

}  // namespace

std::string memory_step(bool in_pod) {
  return fmt::format(
      "let it use less, or give it more: {} is too small for what it does",
      in_pod ? "resources.limits.memory, or the node's memory," : "its memory limit, or the node's memory,");
}

std::string todo_text(std::string_view todo, const Style& style) {
  return fmt::format("  {}\n",
                     style.paint("33", fmt::format("{} {}", style.pick("→", "->"), printable(todo))));
}

std::string start_step(const PodName& pod) {
  return describe(pod.ns, pod.name) +
         " says at its end what it waits for: the image, a volume, a secret or its network";
}

std::vector<std::string> next_steps(const api::ContainerExit& exit, bool has_lines) {
  std::vector<std::string> steps;
  if (!exit.started)
    return {fmt::format(
        "{} has its runtime's message: the program or its interpreter is not in the image, must not be "
        "executed or is for another CPU, or a mount of the container failed",
        ask_others(exit.of, exit.container))};
  if (exit.oom)
    steps.push_back(memory_step(!exit.of.pod.empty()));
  else if (const auto todo = step_for(exit); !todo.empty())
    steps.emplace_back(todo);
  const bool badly = ended_badly(exit);
  if (badly && exit.signal.value_or(0) == SIGKILL && !exit.oom)
    steps.push_back(ask_others(exit.of, exit.container) + " may say who");
  if (badly && has_lines) steps.push_back(fmt::format("flowtap logs {} has what it wrote", exit.flow));
  return steps;
}

}  // namespace flowtap::cli
