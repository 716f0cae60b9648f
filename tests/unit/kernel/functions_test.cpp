#include "kernel/functions.hpp"

#include <bpf/libbpf.h>
#include <gtest/gtest.h>

namespace flowtap::kernel {
namespace {

using Names = std::set<std::string>;

TEST(KernelFunctions, AreThoseThatLibbpfFinds) {
  const Names asked = {
      "tty_write", "pipe_write", "anon_pipe_write", "unix_stream_sendmsg", "task_struct", "no_such_function",
      ""};
  Names found;
  for (const std::string& name : asked)
    if (!name.empty() && libbpf_find_vmlinux_btf_id(name.c_str(), BPF_TRACE_FEXIT) > 0) found.insert(name);
  EXPECT_EQ(kernel_functions(asked), found);
  EXPECT_TRUE(found.contains("tty_write"));
  EXPECT_FALSE(found.contains("task_struct")) << "a type is no function";
}

TEST(KernelFunctions, NoneAreFoundWhereNoneAreAskedFor) {
  EXPECT_EQ(kernel_functions({}), Names());
}

}  // namespace
}  // namespace flowtap::kernel
