#include "kernel/requirements.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "tests/support/files/file_tree.hpp"

namespace flowtap::kernel {
namespace {

constexpr std::string_view kAll = "Name:\tx\nCapEff:\t000001ffffffffff\n";
constexpr std::string_view kNone = "Name:\tx\nCapEff:\t0000000000000000\n";
constexpr std::string_view kBpfAndPerfmon = "CapEff:\t000000c000000000\n";
constexpr std::string_view kBpfAlone = "CapEff:\t0000008000000000\n";
constexpr std::string_view kPerfmonAlone = "CapEff:\t0000004000000000\n";
constexpr std::string_view kSysAdminAlone = "CapEff:\t0000000000200000\n";

TEST(Requirements, RootWithBtfMayTry) {
  test::FileTree tree;
  tree.file("vmlinux", "btf");
  EXPECT_TRUE(check_bpf_requirements(tree.root() + "/vmlinux", kAll));
  EXPECT_TRUE(check_bpf_requirements(tree.root() + "/vmlinux", kBpfAndPerfmon));
  EXPECT_TRUE(check_bpf_requirements(tree.root() + "/vmlinux", kSysAdminAlone))
      << "as before CAP_BPF existed";
  EXPECT_TRUE(check_bpf_requirements(tree.root() + "/vmlinux", "no such line"))
      << "unknown: the kernel will say";
}

TEST(Requirements, WhatIsMissingIsNamedWithAHint) {
  test::FileTree tree;
  tree.file("vmlinux", "btf");
  for (const auto status : {kNone, kBpfAlone, kPerfmonAlone}) {
    const auto refused = check_bpf_requirements(tree.root() + "/vmlinux", status);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().what.find("CAP_BPF"), std::string::npos);
    EXPECT_FALSE(refused.error().hint.empty());
  }
  const auto no_btf = check_bpf_requirements(tree.root() + "/none", kAll);
  ASSERT_FALSE(no_btf);
  EXPECT_NE(no_btf.error().what.find("BTF"), std::string::npos);
  EXPECT_NE(no_btf.error().hint.find("CONFIG_DEBUG_INFO_BTF"), std::string::npos);
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
  EXPECT_NE(bpf_refusal("load", E2BIG, "").hint.find("report this"), std::string::npos);
}

}  // namespace
}  // namespace flowtap::kernel
