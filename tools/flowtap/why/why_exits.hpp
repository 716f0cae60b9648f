// What `flowtap why` tells about how containers and services ended: how, their last lines, and what to do next.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "component/views/exit_views.hpp"
#include "last_lines.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/pod_name.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

/// Whether it ended by a signal, with a code other than 0, or before its program was started; a service also has an opinion of its
/// own.
[[nodiscard]] inline bool ended_badly(const api::ContainerExit& exit) {
  return exit.oom || !exit.started || (!exit.success && (exit.signal || exit.code.value_or(0) != 0));
}

struct Ended {
  api::ContainerExit exit;
  std::vector<QuotedLine> lines;  ///< the last ones of both outputs; empty if none are kept any more
  bool silent = false;            ///< it is known that it wrote nothing

  [[nodiscard]] bool badly() const { return ended_badly(exit); }
  /// Whether a line is not there as a whole.
  [[nodiscard]] bool cut() const { return std::ranges::any_of(lines, &QuotedLine::cut); }
};

struct Ends {
  std::vector<Ended> ended;
  std::vector<api::ContainerKills> oom_kills;
  // Of older containers with such a name, the newest first
  std::vector<api::ContainerExit> of_others = {};
  std::vector<api::ContainerKills> kills_of_others = {};

  [[nodiscard]] bool empty() const { return ended.empty() && oom_kills.empty(); }
  /// Whether something went wrong.
  [[nodiscard]] bool badly() const;
};

/// How each of the pod's containers ended the last time.
[[nodiscard]] Answer<Ends> ask_for_ends(const std::string& state_dir, const PodName& pod);
/// The same for a service or a container outside of pods. If several containers have this name, it is the one that the
/// newest event is about: its end, or a kill of one of its processes.
[[nodiscard]] Answer<Ends> ask_for_ends(const std::string& state_dir, std::string_view name);

/// "ended with code 1", "was killed by signal 9 (SIGKILL), because memory was used up (OOM)", "was never started: ...".
[[nodiscard]] std::string end_words(const api::ContainerExit& exit);
/// "3 s ago".
[[nodiscard]] std::string age_words(std::chrono::system_clock::time_point time,
                                    std::chrono::system_clock::time_point now);

/// A paragraph for each end and for what was killed in each container: with `all`, also where it ended well. Text from
/// outside is shown escaped.
[[nodiscard]] std::string ends_text(std::string_view of, const Ends& ends, bool all,
                                    std::chrono::system_clock::time_point now, const Style& style);

/// Adds the members "exits" and "oom_kills" to `body`, which is an object or empty: as in /exits, and those of older containers with
/// such a name come last. Each exit has "lines", except for theirs.
[[nodiscard]] std::string with_ends(std::string_view body, const Ends& ends);

}  // namespace flowtap::cli
