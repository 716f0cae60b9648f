// The runtimes' programs, as tests run them.
#pragma once

#include <string>
#include <vector>

#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::test {

/// Where tools/fetch-program has put it: fetched and not installed, where installing would disturb the machine's own
/// containers.
[[nodiscard]] std::string fetched(const std::string& package, const std::string& name);

/// "PATH=...", with those programs before the machine's.
[[nodiscard]] std::string path_with_programs();

/// For Command::before_exec. On a host with cgroups v1 and v2 beside each other the runtimes look for v2 at the usual place
/// and do not find it.
void see_cgroup2();

/// Runs it to its end; what it printed. Throws std::runtime_error when it fails, with what it said.
std::string run_words(const ScratchRoot& root, const std::vector<std::string>& argv);

}  // namespace flowtap::test
