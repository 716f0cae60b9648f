#include "daemon/self_samples.hpp"

namespace flowtap {
namespace {

using stats::StatId;

void append_programs(std::vector<stats::Series>& out, const api::StatusReport& status) {
  for (const api::ProgramStatus& p : status.count.programs) {
    if (p.run_count) out.push_back({&stats::stat(StatId::kPROGRAM_RUNS), {p.name}, *p.run_count});
    if (p.run_time_seconds)
      out.push_back({&stats::stat(StatId::kPROGRAM_RUN_TIME), {p.name}, *p.run_time_seconds});
    if (p.recursion_misses)
      out.push_back({&stats::stat(StatId::kRECURSION_MISSES), {p.name}, *p.recursion_misses});
  }
}

void append_backends(std::vector<stats::Series>& out, const api::StatusReport& status) {
  for (const api::BackendStatus& b : status.backends) {
    out.push_back({&stats::stat(StatId::kBACKEND_UP), {b.name}, b.up ? 1.0 : 0.0});
    out.push_back({&stats::stat(StatId::kBACKEND_PENDING), {b.name}, static_cast<double>(b.pending)});
    out.push_back({&stats::stat(StatId::kBACKEND_LOST), {b.name}, b.lost});
  }
}

}  // namespace

void append_self_samples(std::vector<stats::Series>& out, const api::StatusReport& status) {
  out.push_back({&stats::stat(StatId::kBUILD_INFO), {status.version, status.kernel}, 1.0});
  for (const api::ComponentStatus& c : status.components)
    out.push_back({&stats::stat(StatId::kCOMPONENT_UP), {c.name}, c.up ? 1.0 : 0.0});
  append_programs(out, status);
  append_backends(out, status);
  for (const api::ReadErrorStatus& e : status.read_errors)
    out.push_back({&stats::stat(StatId::kREAD_ERRORS), {e.what}, e.count});
}

}  // namespace flowtap
