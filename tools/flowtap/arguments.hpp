// The words that flowtap knows: its commands, their flags, and what each flag accepts.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/socket_path.hpp"
#include "base/command_line/program.hpp"
#include "flows.hpp"
#include "log_words.hpp"
#include "tools/flowtap/logs/tap.hpp"
#include "tools/flowtap/top/top.hpp"
#include "tools/flowtap/why/why.hpp"

namespace flowtap::cli {

/// What was given, as it was written.
struct Arguments {
  std::string state_dir{api::kDefaultStateDir};
  std::string output = "text";
  std::chrono::milliseconds interval{1000};
  std::uint64_t count = 0;  ///< 0: not given
  FlowsOptions flows = {};
  LogWords logs = {};
  TapOptions tap = {};
  WhyOptions why = {};
  std::string why_ns;
  bool only_out = false;
  bool only_err = false;
  TopOptions top = {};
  std::string color = "auto";
};

/// What flowtap accepts. Reading a command line with it fills `arguments`.
[[nodiscard]] command_line::Command program_of(Arguments& arguments);

/// What the flag accepts, for errors; empty: it has no rule.
[[nodiscard]] std::string_view accepted_by(std::string_view flag);

}  // namespace flowtap::cli
