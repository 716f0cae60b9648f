// What one build of the log tap has in the kernel: its maps, and a handler for each hook.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "kernel/log/log_pins.hpp"

namespace flowtap::kernel {

/// The maps of the log tap. Whoever holds them keeps them alive.
struct LogMaps {
  Fd ring;
  Fd streams;
  Fd control;
  Fd targets;
  Fd filter;
  Fd marks;
  Fd units;  ///< may be invalid for an older build, like all that follow
  Fd exes;
  Fd members;
  Fd notes;
  Fd names;  ///< a NameMap, which no program knows
};

/// The maps' names, and where each is kept. The programs have all but the last one.
inline constexpr std::array<std::pair<std::string_view, Fd LogMaps::*>, 11> kLogMaps{
    {{"ring", &LogMaps::ring},
     {"streams", &LogMaps::streams},
     {"control", &LogMaps::control},
     {"targets", &LogMaps::targets},
     {"filter", &LogMaps::filter},
     {"marks", &LogMaps::marks},
     {"units", &LogMaps::units},
     {"exes", &LogMaps::exes},
     {"members", &LogMaps::members},
     {"notes", &LogMaps::notes},
     {"names", &LogMaps::names}}};
inline constexpr std::size_t kProgramMaps = kLogMaps.size() - 1;
/// Every build has had this many of them.
inline constexpr std::size_t kFirstLogMaps = 6;

/// Handles the events of one hook.
struct LogHandler {
  std::string hook;
  Fd program;
  Fd older;  ///< the array that says to which program it passes on what it does not know
};

struct LogGeneration {
  LogMaps maps;
  std::vector<LogHandler> handlers;

  /// nullptr: none.
  [[nodiscard]] const LogHandler* handler(std::string_view hook) const;

  /// Makes the map of names if there is none. False: there is one already, or there is no memory for it.
  bool make_names();

  /// In the form that LogPins takes.
  [[nodiscard]] std::vector<std::pair<std::string, int>> pins() const;

  /// The generation that pins() has pinned. Fails where something is missing.
  [[nodiscard]] static Result<LogGeneration> open(std::vector<Pin> pins);
};

}  // namespace flowtap::kernel
