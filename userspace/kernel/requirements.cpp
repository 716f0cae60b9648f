#include "kernel/requirements.hpp"

#include <fcntl.h>
#include <linux/capability.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/exhaustion.hpp"
#include "base/fd.hpp"
#include "base/file.hpp"
#include "base/node/kernel_release.hpp"

namespace flowtap::kernel {
namespace {

constexpr int kNotSupported = 524;  // the kernel's ENOTSUPP, which has no name in userspace

std::optional<std::uint64_t> effective_capabilities(std::string_view proc_status) {
  constexpr std::string_view kKey = "CapEff:\t";
  const auto at = proc_status.find(kKey);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view text = proc_status.substr(at + kKey.size());
  std::uint64_t mask = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), mask, 16);
  if (ec != std::errc{}) return std::nullopt;
  return mask;
}

Status check_capabilities(std::string_view proc_status) {
  const auto mask = effective_capabilities(proc_status);
  const auto has = [&mask](unsigned cap) { return ((*mask >> cap) & 1U) != 0; };
  if (!mask || has(CAP_SYS_ADMIN)) return {};
  std::string missing;
  if (!has(CAP_BPF)) missing = "CAP_BPF";
  if (!has(CAP_PERFMON)) missing += missing.empty() ? "CAP_PERFMON" : " and CAP_PERFMON";
  if (missing.empty()) return {};
  return fail("loading BPF programs needs " + missing + ", which this process does not have",
              "start flowtapd again as root, or with " + missing +
                  "; CAP_SYS_ADMIN serves as well, but only for what is switched on at the start");
}

// The head of BTF (linux/btf.h): magic and version.
constexpr std::array<unsigned char, 3> kBtf{std::endian::native == std::endian::little ? 0x9F : 0xEB,
                                            std::endian::native == std::endian::little ? 0xEB : 0x9F, 1};

Status check_btf(const std::string& path) {
  constexpr const char* kBuiltWith =
      "use a kernel >= 6.1 built with CONFIG_DEBUG_INFO_BTF=y, as Debian's are; a container needs the node's "
      "/sys";
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::array<unsigned char, kBtf.size()> head{};
  if (file.valid()) errno = 0;
  if (file.valid() && ::read(file.get(), head.data(), head.size()) == static_cast<ssize_t>(head.size()))
    return head == kBtf ? Status()
                        : fail("the kernel offers no BTF (" + path + " holds something else)", kBuiltWith);
  const int error = errno;
  if (file.valid() && error == 0) return fail("the kernel offers no BTF (" + path + " is empty)", kBuiltWith);
  if (error == ENOENT || error == ENOTDIR)
    return fail("the kernel offers no BTF (there is no " + path + ")", kBuiltWith);
  return fail_errno(error, "the kernel's BTF cannot be read (" + path + ")",
                    error == EACCES || error == EPERM
                        ? "run flowtapd as root, and let no security profile (AppArmor, SELinux, a unit's "
                          "InaccessiblePaths=) keep it from the file"
                        : "mount the node's sysfs at /sys");
}

// What may forbid a process something although it has the capabilities for it.
std::string denied_hint() {
  if (const auto status = read_file("/proc/self/status"))
    if (Status lacks = check_capabilities(*status); !lacks) return std::move(lacks.error().hint);
  return "this process has CAP_BPF and CAP_PERFMON, so something else forbids it: a container's seccomp "
         "profile or user namespace, AppArmor or SELinux (dmesg and the audit log name them), or the "
         "kernel's lockdown, which must not be 'confidentiality' (/sys/kernel/security/lockdown)";
}

}  // namespace

Status check_bpf_requirements() {
  FTAP_TRY_ASSIGN(status, read_file("/proc/self/status"));
  return check_bpf_requirements("/sys/kernel/btf/vmlinux", status);
}

Status check_bpf_requirements(const std::string& btf, std::string_view proc_status) {
  FTAP_TRY(check_capabilities(proc_status));
  return check_btf(btf);
}

Error bpf_refusal(std::string_view step, int err, const Refusal& why) {
  return bpf_refusal(step, err, why.reason, why.program);
}

Error bpf_refusal(std::string_view step, int err, std::string_view reason, std::string_view program) {
  Error error{std::string("the kernel refused to ") + std::string(step), {}, err};
  if (!program.empty()) {
    // Its errno, often EACCES, has nothing to do with our privileges.
    error.what += ": the verifier rejects " + std::string(program) + ": " + std::string(reason);
    error.hint =
        "this kernel's verifier differs from those that flowtap is tested with: please report this "
        "with the kernel's version, " +
        kernel_release();
    return error;
  }
  if (!reason.empty()) error.what += " (" + std::string(reason) + ")";
  error.what += ": " + errno_text(err);
  if (error.hint = exhaustion_hint(err); !error.hint.empty()) return error;
  switch (err) {
    case EPERM:
    case EACCES:
      error.hint = denied_hint();
      break;
    case ENOENT:
    case ESRCH:
    case ENODEV:
      error.hint =
          "this kernel lacks a tracepoint or type that is needed; flowtap supports kernels >= 6.1 with BTF";
      break;
    case ENOSYS:
    case EOPNOTSUPP:
    case kNotSupported:
      error.hint =
          "this kernel was built without what is needed: CONFIG_BPF_SYSCALL=y, CONFIG_BPF_EVENTS=y and "
          "CONFIG_DEBUG_INFO_BTF=y, as Debian's have";
      break;
    case EBUSY:
      error.hint = "another program holds that place: 'bpftool prog' and 'bpftool struct_ops' list what runs";
      break;
    case E2BIG:
      error.hint = step.starts_with("attach")
                       ? "as many programs as the kernel allows are attached there already: 'bpftool perf' "
                         "and 'bpftool "
                         "link' list whose they are"
                       : "more was asked for than the kernel gives to one map: set stream.ring_bytes and "
                         "telemetry.max_cgroups to less";
      break;
    case ENOSPC:
      error.hint =
          "the kernel has no number or place left for another one: 'bpftool prog', 'bpftool map' and "
          "'bpftool link' list who holds them";
      break;
    case EINVAL:
      error.hint = "flowtap supports kernels >= 6.1 with BTF; if this one, " + kernel_release() +
                   ", is such a kernel, please report this with the output of 'flowtap status'";
      break;
    default:
      error.hint = "please report this with the output of 'flowtap status' and the kernel's version";
  }
  return error;
}

}  // namespace flowtap::kernel
