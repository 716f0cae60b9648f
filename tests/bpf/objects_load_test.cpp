// Every BPF object of the project is accepted by the running kernel's verifier.
#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>

#include "kernel/libbpf_messages.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap {
namespace {

TEST(BpfObjects, AllLoadOnThisKernel) {
  std::istringstream objects(FLOWTAP_BPF_OBJECTS);
  int n = 0;
  for (std::string path; std::getline(objects, path, ':'); ++n) {
    const kernel::LibbpfMessages messages;
    const std::unique_ptr<bpf_object, void (*)(bpf_object*)> object(
        bpf_object__open(paths::in_build(path).c_str()), [](bpf_object* o) { bpf_object__close(o); });
    ASSERT_TRUE(object) << path;
    EXPECT_EQ(bpf_object__load(object.get()), 0) << path << "\n" << kernel::LibbpfMessages::text();
  }
  EXPECT_GE(n, 1);
}

}  // namespace
}  // namespace flowtap
