#include "scheds/lib/exit_report.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "base/printable.hpp"

namespace flowtap::scheds {
namespace {

struct Kind {
  long long value;
  std::string_view name;
  bool wanted;
};

constexpr std::array kKinds = {
    Kind{1, "done", true},         Kind{64, "unreg", true},        Kind{65, "unreg_bpf", false},
    Kind{66, "unreg_kern", false}, Kind{67, "sysrq", true},        Kind{68, "parent", false},
    Kind{1024, "error", false},    Kind{1025, "error_bpf", false}, Kind{1026, "error_stall", false},
};
constexpr std::string_view kOther = "other";

// SCX_ECODE_ACT_RESTART of enum scx_exit_code.
constexpr std::uint64_t kActRestart = std::uint64_t{1} << 48U;

template <std::size_t N>
std::string text(const char (&bytes)[N]) {  // NOLINT(modernize-avoid-c-arrays): the kernel side's struct
  return printable({bytes, ::strnlen(bytes, N)});
}

}  // namespace

std::span<const std::string_view> exit_kinds() {
  static constexpr auto kNames = [] {
    std::array<std::string_view, kKinds.size() + 1> names;
    for (std::size_t i = 0; i < kKinds.size(); ++i) names.at(i) = kKinds.at(i).name;
    names.back() = kOther;
    return names;
  }();
  return kNames;
}

Exit read_exit(const ftap_exit& exit) {
  const auto* const found = std::ranges::find(kKinds, exit.kind, &Kind::value);
  Exit said;
  said.kind = found != kKinds.end() ? found->name : kOther;
  said.wanted = found != kKinds.end() && found->wanted;
  said.restart = (static_cast<std::uint64_t>(exit.code) & kActRestart) != 0;
  const std::string reason = text(exit.reason);
  const std::string message = text(exit.message);
  said.sentence = reason.empty() ? std::string(said.kind) : reason;
  if (!message.empty() && message != reason) said.sentence += ": " + message;
  return said;
}

}  // namespace flowtap::scheds
