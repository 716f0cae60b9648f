// How much the verifier goes through for each of the tap's programs. The kernel refuses a program with a million instructions, and
// each thousand of them is time in which a service starts.
#include <cstdio>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/support/loaded_programs.hpp"

namespace flowtap {
namespace {

class LogTapVerifier : public test::TapTest {};

TEST_P(LogTapVerifier, GoesThroughLittleOfEachProgram) {
  // For the program at system calls it is 16,865 on Linux 6.1, 34,610 on 6.12, 30,199 on 6.18 and 59,014 on 7.3; for the one
  // at unix_stream_sendmsg() 2,920 to 8,248. A kernel's verifier may go through a third more than the last one's.
  const bool at_functions = GetParam() == kernel::LogBackend::kFunctions;
  const std::string one = at_functions ? "ftap_unix" : "ftap_calls";
  const std::uint32_t limit = at_functions ? 15'000 : 80'000;
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
