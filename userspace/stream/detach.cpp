#include "stream/detach.hpp"

#include "kernel/log/log_programs.hpp"
#include "stream/stream_path.hpp"

namespace flowtap {

Status detach(const StreamOptions& options, const std::string& host_root) {
  return kernel::detach_log_tap(bpffs_path(options, host_root));
}

}  // namespace flowtap
