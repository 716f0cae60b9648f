// Runs the programs of the container runtimes for tests.
#pragma once

#include <string>
#include <vector>

#include "tests/support/daemon/daemon_process.hpp"
#include "tests/support/files/scratch_root.hpp"

namespace flowtap::test {

/// The directory in which tools/fetch-program puts programs. They are not installed, as that could disturb the
/// machine's own containers.
[[nodiscard]] std::string fetched(const std::string& package, const std::string& name);

/// "PATH=...", with those programs before the machine's.
[[nodiscard]] std::string path_with_programs();

/// For Command::before_exec. On a host with both cgroups v1 and v2, the runtimes look for v2 in the usual place and do
/// not find it.
void see_cgroup2();

/// Runs it to its end; returns what it printed. If it fails, throws std::runtime_error with its message.
std::string run_words(const ScratchRoot& root, const std::vector<std::string>& argv);

}  // namespace flowtap::test
