// What a person is told when the running kernel's verifier refuses a program.
#include <bpf/libbpf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <string>

#include "base/node/kernel_release.hpp"
#include "kernel/libbpf_messages.hpp"
#include "kernel/requirements.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::kernel {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Loads only this program, and returns what is said about it; the messages stay for the test to look at.
Error refusal_of(const std::string& name) {
  const std::unique_ptr<bpf_object, void (*)(bpf_object*)> object(
      bpf_object__open(paths::in_build("tests/bpf/refused.bpf.o").c_str()),
      [](bpf_object* o) { bpf_object__close(o); });
  if (!object) return {"there is no tests/bpf/refused.bpf.o", "", 0};
  bpf_program* program = nullptr;
  bpf_object__for_each_program(program, object.get())
      bpf_program__set_autoload(program, bpf_program__name(program) == name);
  const int err = bpf_object__load(object.get());
  if (err == 0) return {"it was loaded", "", 0};
  const Refusal why = LibbpfMessages::refusal();
  return bpf_refusal("load the test's programs", -err, why.reason, why.program);
}

void expect_refused(const std::string& program, const std::string& verdict, int code) {
  const LibbpfMessages messages;
  const Error error = refusal_of(program);
  EXPECT_THAT(error.what, StartsWith("the kernel refused to load the test's programs: the verifier rejects " +
                                     program + ": "))
      << LibbpfMessages::text();
  EXPECT_THAT(error.what, HasSubstr(verdict)) << LibbpfMessages::text();
  EXPECT_THAT(error.what, Not(HasSubstr("\n"))) << "more than one sentence";
  EXPECT_THAT(error.hint, EndsWith(kernel_release())) << "what a report needs";
  EXPECT_THAT(error.hint, Not(HasSubstr("CAP_BPF"))) << "it is no matter of privileges";
  EXPECT_EQ(error.code, code);
}

TEST(VerifierRefusal, NamesProgramVerdictAndHint) {
  expect_refused("unchecked_value", "R0 invalid mem access 'map_value_or_null'", EACCES);
}

TEST(VerifierRefusal, OfALoopWithoutEnd) {
  expect_refused("endless_loop", "infinite loop detected", EINVAL);
}

TEST(VerifierRefusal, IsFoundAtTheEndOfALongLog) {
  expect_refused("unchecked_value_at_length", "R0 invalid mem access 'map_value_or_null'", EACCES);
  const LibbpfMessages messages;
  static_cast<void>(refusal_of("unchecked_value_at_length"));
  EXPECT_THAT(LibbpfMessages::text(), Not(HasSubstr("BEGIN PROG LOAD LOG"))) << "so the log was not long";
}

}  // namespace
}  // namespace flowtap::kernel
