#include "kernel/requirements.hpp"

#include <linux/capability.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <optional>

#include "base/file.hpp"
#include "base/kernel_release.hpp"

namespace flowtap::kernel {
namespace {

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

}  // namespace

Status check_bpf_requirements() {
  FTAP_TRY_ASSIGN(status, read_file("/proc/self/status"));
  return check_bpf_requirements("/sys/kernel/btf/vmlinux", status);
}

Status check_bpf_requirements(const std::string& btf, std::string_view proc_status) {
  const auto mask = effective_capabilities(proc_status);
  const auto has = [&mask](unsigned cap) { return mask && ((*mask >> cap) & 1U) != 0; };
  if (mask && !has(CAP_SYS_ADMIN) && !(has(CAP_BPF) && has(CAP_PERFMON)))
    return fail("loading BPF programs needs CAP_BPF and CAP_PERFMON, which this process does not have",
                "run flowtapd as root, or give it CAP_BPF and CAP_PERFMON");
  if (::access(btf.c_str(), R_OK) != 0)
    return fail("the kernel offers no BTF (" + btf + " cannot be read)",
                "use a kernel >= 6.1 built with CONFIG_DEBUG_INFO_BTF=y, as Debian's are");
  return {};
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
  switch (err) {
    case EPERM:
    case EACCES:
      error.hint =
          "run as root or with CAP_BPF and CAP_PERFMON; a container also needs them, and lockdown must not "
          "be 'confidentiality'";
      break;
    case ENOENT:
    case ESRCH:
      error.hint =
          "this kernel lacks a tracepoint or type that is needed; flowtap supports kernels >= 6.1 with BTF";
      break;
    default:
      error.hint = "please report this with the output of 'flowtap status' and the kernel's version";
  }
  return error;
}

}  // namespace flowtap::kernel
