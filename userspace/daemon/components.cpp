#include "daemon/components.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <chrono>

namespace flowtap {

Components::~Components() {
  while (!all_.empty()) all_.pop_back();
}

// A start that takes long shows in the log whose it is.
void Components::start(void (Component::*step)(), std::string_view done) const {
  using Clock = std::chrono::steady_clock;
  for (const auto& component : all_) {
    const auto begin = Clock::now();
    ((*component).*step)();
    spdlog::debug("{} {} in {} ms", component->name(), done,
                  std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin).count());
  }
}

ComponentStates Components::health() const {
  ComponentStates health;
  for (const auto& component : all_) health.add(component->health());
  return health;
}

std::string Components::sentence() const {
  std::string text;
  for (const auto& component : all_)
    if (const std::string part = component->sentence(); !part.empty())
      text.append(text.empty() ? "" : "; ").append(part);
  return text;
}

// Counting alone is useless: nobody could see it.
Status Components::can_be_seen() const {
  constexpr const char* kHint = "the messages above say why, each with what to do";
  if (std::ranges::any_of(all_, &Component::shows)) return {};
  if (std::ranges::none_of(health().all(), &api::ComponentStatus::up))
    return fail("nothing that flowtapd was asked for could be started", kHint);
  return fail("nobody could see what flowtapd does: neither its API nor any output could be started", kHint);
}

}  // namespace flowtap
