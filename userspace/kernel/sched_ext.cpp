#include "kernel/sched_ext.hpp"

#include <algorithm>

#include "base/file.hpp"

namespace flowtap::kernel {

std::string sched_ext_scheduler(const std::string& sysfs) {
  auto name = read_line(sysfs + "/kernel/sched_ext/root/ops");
  if (!name) return {};
  // SCX_OPS_NAME_LEN is 128; the name is whatever the scheduler's author wrote.
  name->resize(std::min<std::size_t>(name->size(), 128));
  for (char& c : *name)
    if (c <= ' ' || c > '~' || c == '"' || c == '\\') c = '_';
  return *name;
}

}  // namespace flowtap::kernel
