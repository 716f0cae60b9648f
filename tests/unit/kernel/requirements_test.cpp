#include "kernel/requirements.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::kernel {
namespace {

constexpr const char* kBtf = "\x9f\xeb\x01 and more";
constexpr std::string_view kAll = "Name:\tx\nCapEff:\t000001ffffffffff\n";
constexpr std::string_view kNone = "Name:\tx\nCapEff:\t0000000000000000\n";
constexpr std::string_view kBpfAndPerfmon = "CapEff:\t000000c000000000\n";
constexpr std::string_view kBpfAlone = "CapEff:\t0000008000000000\n";
constexpr std::string_view kPerfmonAlone = "CapEff:\t0000004000000000\n";
constexpr std::string_view kSysAdminAlone = "CapEff:\t0000000000200000\n";

TEST(Requirements, RootWithBtfMayTry) {
  test::FileTree tree;
  tree.file("vmlinux", kBtf);
  EXPECT_TRUE(check_bpf_requirements(tree.root() + "/vmlinux", kAll));
  EXPECT_TRUE(check_bpf_requirements(tree.root() + "/vmlinux", kBpfAndPerfmon));
  EXPECT_TRUE(check_bpf_requirements(tree.root() + "/vmlinux", kSysAdminAlone))
      << "as before CAP_BPF existed";
  EXPECT_TRUE(check_bpf_requirements(tree.root() + "/vmlinux", "no such line"))
      << "unknown: the kernel will say";
}

TEST(Requirements, WhatIsMissingIsNamedWithAHint) {
  test::FileTree tree;
  tree.file("vmlinux", kBtf);
  for (const auto status : {kNone, kBpfAlone, kPerfmonAlone}) {
    const auto refused = check_bpf_requirements(tree.root() + "/vmlinux", status);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().what.contains("CAP_BPF"), status != kBpfAlone) << refused.error().what;
    EXPECT_EQ(refused.error().what.contains("CAP_PERFMON"), status != kPerfmonAlone) << refused.error().what;
    EXPECT_EQ(refused.error().hint.contains("CAP_BPF"), status != kBpfAlone) << refused.error().hint;
  }
  const auto no_btf = check_bpf_requirements(tree.root() + "/none", kAll);
  ASSERT_FALSE(no_btf);
  EXPECT_NE(no_btf.error().what.find("BTF"), std::string::npos);
  EXPECT_NE(no_btf.error().hint.find("CONFIG_DEBUG_INFO_BTF"), std::string::npos);
}

// Each is another thing to do.
TEST(Requirements, ABtfThatCannotBeReadIsNoKernelWithoutBtf) {
  test::FileTree tree;
  tree.file("empty", "").file("other", "this is a text").file("folder/x", "");
  const auto says = [&](const char* name) {
    const auto refused = check_bpf_requirements(tree.root() + "/" + name, kAll);
    return refused ? std::string("accepted") : refused.error().what + " -> " + refused.error().hint;
  };
  EXPECT_NE(says("empty").find("is empty"), std::string::npos) << says("empty");
  EXPECT_NE(says("other").find("holds something else"), std::string::npos) << says("other");
  EXPECT_NE(says("folder").find("Is a directory"), std::string::npos) << says("folder");
  EXPECT_NE(says("folder").find("mount the node's sysfs"), std::string::npos) << says("folder");
  EXPECT_NE(says("none").find("there is no"), std::string::npos) << says("none");
}

// "Please report this" would send people away with what they can mend themselves.
TEST(Requirements, WhatIsUsedUpIsNoBug) {
  const auto hint = [](int error) { return bpf_refusal("load the log tap", error, "").hint; };
  EXPECT_NE(hint(ENOMEM).find("stream.ring_bytes"), std::string::npos) << hint(ENOMEM);
  EXPECT_NE(hint(ENOMEM).find("MemoryMax="), std::string::npos) << hint(ENOMEM);
  EXPECT_NE(hint(EMFILE).find("LimitNOFILE="), std::string::npos) << hint(EMFILE);
  EXPECT_NE(hint(ENFILE).find("fs.file-max"), std::string::npos) << hint(ENFILE);
  EXPECT_NE(hint(ENOSYS).find("CONFIG_BPF_SYSCALL"), std::string::npos) << hint(ENOSYS);
  for (const int mendable : {ENOMEM, EMFILE, ENFILE, ENOSYS, EOPNOTSUPP, EBUSY, EPERM, ENOENT})
    EXPECT_EQ(hint(mendable).find("report"), std::string::npos) << mendable;
}

TEST(Requirements, ARefusalTellsStepReasonAndHint) {
  const Error error = bpf_refusal("load the dispatch programs", EACCES, "invalid access to map value");
  EXPECT_EQ(
      error.what,
      "the kernel refused to load the dispatch programs (invalid access to map value): Permission denied");
  EXPECT_NE(error.hint.find("CAP_BPF"), std::string::npos) << error.hint;
  EXPECT_EQ(error.code, EACCES);
  for (const int missing : {ENOENT, ESRCH})
    EXPECT_NE(bpf_refusal("attach", missing, "").hint.find(">= 6.1"), std::string::npos) << missing;
  EXPECT_NE(bpf_refusal("load", ELOOP, "").hint.find("report this"), std::string::npos);
}

// What bpf(2) can say, at the steps where it can say it: the hint is what this person can do next.
TEST(Requirements, EachErrnoHasItsOwnHint) {
  struct Row {
    int error;
    const char* step;
    const char* hint;
  };
  for (const Row& row : {Row{EPERM, "load the log tap", "CAP_BPF"},
                         {EACCES, "attach ftap_switch", "CAP_BPF"},
                         {ENOMEM, "load the log tap", "MemoryMax="},
                         {EMFILE, "load the log tap", "LimitNOFILE="},
                         {ENFILE, "load the log tap", "fs.file-max"},
                         {ENOSPC, "load the log tap", "bpftool map"},
                         {E2BIG, "load the log tap", "telemetry.max_cgroups"},
                         {E2BIG, "attach ftap_switch", "bpftool link"},
                         {ENODEV, "attach ftap_switch", ">= 6.1"},
                         {EBUSY, "attach ftap_switch", "bpftool struct_ops"},
                         {EINVAL, "load the log tap", ">= 6.1"}}) {
    const Error error = bpf_refusal(row.step, row.error, "");
    EXPECT_NE(error.hint.find(row.hint), std::string::npos) << error.what << " -> " << error.hint;
    EXPECT_EQ(error.code, row.error);
    EXPECT_EQ(error.hint.contains("report"), row.error == EINVAL) << error.hint;
  }
}

// Its errno is that of a denial, and no right would help.
TEST(Requirements, AVerdictIsNoDenial) {
  const Error error =
      bpf_refusal("load the log tap", EACCES, Refusal{"invalid access to map value", "ftap_x"});
  EXPECT_EQ(error.hint.find("CAP_BPF"), std::string::npos) << error.hint;
  EXPECT_NE(error.hint.find("report this"), std::string::npos) << error.hint;
}

}  // namespace
}  // namespace flowtap::kernel
