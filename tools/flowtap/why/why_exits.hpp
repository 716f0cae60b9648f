// What `flowtap why` tells about containers of a pod that crashed: how they ended, and their last lines.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "component/views/exit_views.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/pod_name.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

struct Crash {
  api::ContainerExit exit;
  std::vector<std::string> lines;  ///< the last ones of both outputs; empty if none are kept any more
};

/// The pod's containers that last ended by a crash: by a signal, or with a code other than 0.
[[nodiscard]] Answer<std::vector<Crash>> ask_for_crashes(const std::string& state_dir, const PodName& pod);

/// A paragraph for each container; text from outside is shown escaped.
[[nodiscard]] std::string crashes_text(std::string_view pod, const std::vector<Crash>& crashes,
                                       std::chrono::system_clock::time_point now, const Style& style);

/// Adds the member "exits" to `body`, which is an object or empty: the exits as in /exits, each with "lines".
[[nodiscard]] std::string with_crashes(std::string_view body, const std::vector<Crash>& crashes);

}  // namespace flowtap::cli
