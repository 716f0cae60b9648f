// What a person is told about a scheduler on a kernel whose sched_ext lacks what it calls.
#include <bpf/libbpf.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

#include "base/node/kernel_release.hpp"
#include "kernel/libbpf_messages.hpp"
#include "scheds/lib/struct_ops.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::scheds {
namespace {

Error refused(const std::string& path) {
  const kernel::LibbpfMessages messages;
  const std::unique_ptr<bpf_object, void (*)(bpf_object*)> object(
      bpf_object__open(path.c_str()), [](bpf_object* o) { bpf_object__close(o); });
  EXPECT_TRUE(object);
  const int err = bpf_object__load(object.get());
  EXPECT_LT(err, 0);
  Error refusal = load_refusal("domain", -err);
  EXPECT_FALSE(refusal.what.contains('\n'));
  EXPECT_EQ(refusal.hint, "our schedulers are tested on Linux 6.18 and 7.3, this is " + kernel_release() +
                              "; the rest of flowtap works without them");
  return refusal;
}

TEST(KernelThatLacksAFunction, IsToldWhich) {
  const Error refusal = refused(paths::in_build("tests/bpf/lacking.bpf.o"));
  EXPECT_TRUE(refusal.what.starts_with("the kernel refused to load the scheduler domain ("));
  EXPECT_TRUE(refusal.what.contains("'scx_bpf_of_no_kernel': not found in kernel")) << refusal.what;
}

// If the function may be missing, the complaint comes from the verifier, as with those of scheds/domain on 7.1 and 7.2.
TEST(KernelThatLacksAFunction, IsToldWhichAlsoWhereItMayBeMissing) {
  EXPECT_EQ(refused(paths::in_build("tests/bpf/lacking_weak.bpf.o")).what,
            "the kernel refused to load the scheduler domain: the verifier rejects lacking_weak: "
            "kfunc 'scx_bpf_of_no_kernel' is referenced but wasn't resolved");
}

// What has nothing to do with the kernel's version is reported as usual.
TEST(KernelThatLacksAFunction, IsNotMeantWherePrivilegesAre) {
  const kernel::LibbpfMessages messages;
  EXPECT_TRUE(load_refusal("domain", EPERM).hint.contains("CAP_BPF")) << load_refusal("domain", EPERM).hint;
}

}  // namespace
}  // namespace flowtap::scheds
