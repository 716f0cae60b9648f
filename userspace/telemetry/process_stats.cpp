#include "telemetry/process_stats.hpp"

#include <linux/magic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <string_view>

#include "base/file.hpp"

namespace flowtap {
namespace {

using stats::StatId;

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  return ec == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Field n of /proc/PID/stat, counted from 1 as in proc_pid_stat(5). The second field, the name in parentheses, may have
// spaces and parentheses in it, so counting begins after the last one.
std::optional<std::uint64_t> stat_field(std::string_view stat, int n) {
  const auto name_end = stat.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > stat.size()) return std::nullopt;
  stat.remove_prefix(name_end + 2);
  for (int field = 3; field < n; ++field) {
    const auto space = stat.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    stat.remove_prefix(space + 1);
  }
  return number(stat.substr(0, stat.find_first_of(" \n")));
}

std::optional<double> boot_time() {
  const auto text = read_file("/proc/stat");
  if (!text) return std::nullopt;
  const auto at = text->find("\nbtime ");
  if (at == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(*text).substr(at + 7);
  const auto seconds = number(rest.substr(0, rest.find('\n')));
  return seconds ? std::optional(static_cast<double>(*seconds)) : std::nullopt;
}

// The size of the directory is the number of descriptors (since Linux 6.2). Listing thousands of them every second
// would be expensive.
std::optional<double> open_descriptors(const std::string& proc_self) {
  const std::string place = proc_self + "/fd";
  struct stat directory{};
  struct statfs system{};
  if (::statfs(place.c_str(), &system) == 0 && system.f_type == PROC_SUPER_MAGIC &&
      ::stat(place.c_str(), &directory) == 0 && directory.st_size > 0)
    return static_cast<double>(directory.st_size);
  std::error_code ec;
  double n = 0;
  for (auto it = std::filesystem::directory_iterator(place, ec); !ec && it != std::filesystem::end(it);
       it.increment(ec))
    ++n;
  return ec ? std::nullopt : std::optional(n);
}

std::optional<double> as_double(std::optional<std::uint64_t> value, double scale = 1) {
  return value ? std::optional(static_cast<double>(*value) * scale) : std::nullopt;
}

}  // namespace

void append_process_stats(std::vector<stats::Series>& out, ReadErrors& errors, const std::string& proc_self) {
  const auto add = [&out, &errors](StatId id, std::optional<double> value) {
    if (value)
      out.push_back({&stats::stat(id), {}, *value});
    else
      ++errors[kProcessErrors];
  };
  const auto stat = read_file(proc_self + "/stat");
  const auto field = [&stat](int n) { return stat ? stat_field(*stat, n) : std::nullopt; };
  const double per_second = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));

  const auto utime = as_double(field(14), per_second);
  const auto stime = as_double(field(15), per_second);
  add(StatId::kPROCESS_CPU, utime && stime ? std::optional(*utime + *stime) : std::nullopt);
  add(StatId::kPROCESS_THREADS, as_double(field(20)));
  const auto start = as_double(field(22), per_second);
  const auto boot = boot_time();
  add(StatId::kPROCESS_START, start && boot ? std::optional(*start + *boot) : std::nullopt);
  add(StatId::kPROCESS_VSIZE, as_double(field(23)));
  add(StatId::kPROCESS_RSS, as_double(field(24), static_cast<double>(::sysconf(_SC_PAGESIZE))));
  add(StatId::kPROCESS_OPEN_FDS, open_descriptors(proc_self));
  rlimit limit{};
  const bool known = ::getrlimit(RLIMIT_NOFILE, &limit) == 0;
  add(StatId::kPROCESS_MAX_FDS, known ? std::optional(static_cast<double>(limit.rlim_cur)) : std::nullopt);
}

}  // namespace flowtap
