// How much the verifier goes through for each of the tap's programs. The kernel refuses a program with a million instructions, and
// each thousand of them is time in which a service starts.
#include <cstdio>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/support/loaded_programs.hpp"

namespace flowtap {
namespace {

class LogTapVerifier : public test::TapTest {};

TEST_P(LogTapVerifier, GoesThroughLittleOfEachProgram) {
  // On Linux 6.18 it is 30,199 for the program at system calls, 7,277 for the one at unix_stream_sendmsg().
  const bool at_functions = GetParam() == kernel::LogBackend::kFunctions;
  const std::string one = at_functions ? "ftap_unix" : "ftap_calls";
  const std::uint32_t limit = at_functions ? 15'000 : 60'000;
  bool seen = false;
  for (const bpf_prog_info& program : test::loaded_programs()) {
    const std::string name = test::name_of(program);
    if (!name.starts_with("ftap_") || (at_functions && name == "ftap_calls"))
      continue;  // the other test's tap is there, too
    if (name == one) std::printf("%s: %u instructions\n", name.c_str(), program.verified_insns);
    seen = seen || name == one;
    EXPECT_LE(program.verified_insns, limit) << name;
  }
  EXPECT_TRUE(seen) << one;
}

FLOWTAP_EACH_BACKEND(LogTapVerifier);

}  // namespace
}  // namespace flowtap
