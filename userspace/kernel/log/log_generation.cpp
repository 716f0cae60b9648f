#include "kernel/log/log_generation.hpp"

#include <algorithm>
#include <span>

#include "bpf/abi/log.h"
#include "kernel/name_map.hpp"

namespace flowtap::kernel {
namespace {

constexpr std::string_view kProgram = "prog_";
constexpr std::string_view kOlder = "old_";

LogHandler& handler_of(LogGeneration& generation, std::string_view hook) {
  const auto found = std::ranges::find(generation.handlers, hook, &LogHandler::hook);
  if (found != generation.handlers.end()) return *found;
  return generation.handlers.emplace_back(LogHandler{std::string(hook), {}, {}});
}

}  // namespace

const LogHandler* LogGeneration::handler(std::string_view hook) const {
  const auto found = std::ranges::find(handlers, hook, &LogHandler::hook);
  return found == handlers.end() ? nullptr : &*found;
}

bool LogGeneration::make_names() {
  if (maps.names.valid()) return false;
  auto made = NameMap::make(FTAP_MAX_STREAMS);
  if (!made) return false;
  maps.names = std::move(*made);
  return true;
}

std::vector<std::pair<std::string, int>> LogGeneration::pins() const {
  std::vector<std::pair<std::string, int>> all;
  all.reserve(kLogMaps.size() + 2 * handlers.size());
  for (const auto& [name, place] : kLogMaps)
    if ((maps.*place).valid()) all.emplace_back(name, (maps.*place).get());
  for (const LogHandler& handler : handlers) {
    all.emplace_back(std::string(kProgram) + handler.hook, handler.program.get());
    all.emplace_back(std::string(kOlder) + handler.hook, handler.older.get());
  }
  return all;
}

Result<LogGeneration> LogGeneration::open(std::vector<Pin> pins) {
  LogGeneration generation;
  for (Pin& pin : pins) {
    const std::string_view name = pin.name;
    if (name.starts_with(kProgram))
      handler_of(generation, name.substr(kProgram.size())).program = std::move(pin.object);
    else if (name.starts_with(kOlder))
      handler_of(generation, name.substr(kOlder.size())).older = std::move(pin.object);
    for (const auto& [map, place] : kLogMaps)
      if (name == map) generation.maps.*place = std::move(pin.object);
  }
  for (const auto& [name, place] : std::span(kLogMaps).first<kFirstLogMaps>())
    if (!(generation.maps.*place).valid())
      return fail("the pinned log tap lacks its map " + std::string(name), kDetachHint);
  const auto half = [](const LogHandler& h) { return !h.program.valid() || !h.older.valid(); };
  if (generation.handlers.empty() || std::ranges::any_of(generation.handlers, half))
    return fail("the pinned log tap lacks programs", kDetachHint);
  return generation;
}

}  // namespace flowtap::kernel
