// What `flowtap why` tells of a pod's containers that crashed: how they ended, and the last that they wrote.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "api/views/exit_views.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/pod_name.hpp"
#include "tools/flowtap/terminal/text.hpp"

namespace flowtap::cli {

struct Crash {
  api::ContainerExit exit;
  std::vector<std::string> lines;  ///< the last of both outputs; empty where there are none any more
};

/// Those of the pod's containers whose last end was none of their own will: a signal, or a code other than 0.
[[nodiscard]] Answer<std::vector<Crash>> ask_for_crashes(const std::string& state_dir, const PodName& pod);

/// A paragraph for each; what comes from outside is shown escaped.
[[nodiscard]] std::string crashes_text(std::string_view pod, const std::vector<Crash>& crashes,
                                       std::chrono::system_clock::time_point now, const Style& style);

/// `body`, an object or nothing, with the member "exits": as /exits has them, each with "lines".
[[nodiscard]] std::string with_crashes(std::string_view body, const std::vector<Crash>& crashes);

}  // namespace flowtap::cli
