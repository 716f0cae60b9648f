// What a person is told from the many lines of libbpf and the verifier.
#include "kernel/libbpf_messages.hpp"

#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <thread>

namespace flowtap::kernel {
namespace {

// libbpf calls its own print function; this takes the same path.
void say(const char* text) {
  const libbpf_print_fn_t print = libbpf_set_print(nullptr);
  libbpf_set_print(print);
  const auto call = [print](const char* format, ...) {
    va_list args;
    va_start(args, format);
    print(LIBBPF_WARN, format, args);
    va_end(args);
  };
  call("%s", text);
}

TEST(LibbpfMessages, EachThreadHasItsOwn) {
  const LibbpfMessages messages;
  say("libbpf: of the first\n");
  std::thread([] {
    say("libbpf: of nobody\n");
    const LibbpfMessages others;
    say("libbpf: of the second\n");
    EXPECT_EQ(LibbpfMessages::text(), "libbpf: of the second\n");
  }).join();
  say("libbpf: still of the first\n");
  EXPECT_EQ(LibbpfMessages::text(), "libbpf: of the first\nlibbpf: still of the first\n");
}

TEST(LibbpfMessages, TheVerifiersVerdictIsTheReason) {
  const LibbpfMessages messages;
  say("libbpf: prog 'ftap_switch': BPF program load failed: Permission denied\n");
  say("libbpf: prog 'ftap_switch': -- BEGIN PROG LOAD LOG --\n0: R1=ctx() R10=fp0\n12: (79) r1 = *(u64 *)(r1 "
      "+8)\n"
      "R1 invalid mem access 'scalar'\nverification time 5 usec\nstack depth 0\n"
      "processed 13 insns (limit 1000000)\n-- END PROG LOAD LOG --\n");
  say("libbpf: prog 'ftap_switch': failed to load: -13\n");
  say("libbpf: failed to load object 'dispatch_bpf'\n");
  EXPECT_EQ(LibbpfMessages::reason(), "R1 invalid mem access 'scalar'");
  EXPECT_EQ(LibbpfMessages::refusal().program, "ftap_switch");
}

// Kernels >= 7 explain the verdict after it.
TEST(LibbpfMessages, TheVerdictStandsBeforeItsExplanation) {
  const LibbpfMessages messages;
  say("libbpf: prog 'ftap_switch': -- BEGIN PROG LOAD LOG --\n0: R1=ctx() R10=fp0\n"
      "R0 invalid mem access 'map_value_or_null'\n\nVerification failed: Register Type Safety: Invalid "
      "dereference\n\nReason:\n  R0 may be NULL here\n\nSuggestion:\n  Add a NULL check before the access\n\n"
      "processed 7 insns (limit 1000000)\n-- END PROG LOAD LOG --\n");
  say("libbpf: prog 'ftap_switch': failed to load: -13\n");
  EXPECT_EQ(LibbpfMessages::reason(), "R0 invalid mem access 'map_value_or_null'");
  EXPECT_EQ(LibbpfMessages::refusal().program, "ftap_switch");
}

TEST(LibbpfMessages, WithoutAVerifierLogTheFirstComplaintIs) {
  const LibbpfMessages messages;
  say("libbpf: failed to find valid kernel BTF\n");
  say("libbpf: Error loading vmlinux BTF: -3\n");
  EXPECT_EQ(LibbpfMessages::reason(), "failed to find valid kernel BTF");
  say("libbpf: prog 'ftap_switch': failed to load: -1\n");
  EXPECT_EQ(LibbpfMessages::refusal().program, "") << "it was not the verifier";
}

TEST(LibbpfMessages, KeepsTheEndOfALongLogAndSurvivesOddOnes) {
  const LibbpfMessages messages;
  EXPECT_EQ(LibbpfMessages::reason(), "");
  for (int i = 0; i < 100; ++i) say(std::string(4000, 'x').c_str());
  EXPECT_LE(LibbpfMessages::text().size(), 64U << 10U);
  say("\nlibbpf: prog 'a': -- BEGIN PROG LOAD LOG --\nno end");
  EXPECT_EQ(LibbpfMessages::reason(), "");
}

}  // namespace
}  // namespace flowtap::kernel
