// Why a sched_ext scheduler has ended, in the words of a metric and of a person.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "scheds/lib/exit.h"

namespace flowtap::scheds {

struct Exit {
  std::string_view kind;  ///< one of exit_kinds()
  /// The kernel asks for a new start because a CPU came or went (SCX_ECODE_ACT_RESTART): nothing is wrong.
  bool restart = false;
  /// It was ended on purpose: by its loader, or by a person with SysRq-S.
  bool wanted = false;
  std::string sentence;  ///< without the scheduler's name, without a full stop
};

/// All names of enum scx_exit_kind (kernel/sched/ext_internal.h) and "other", for kinds of future kernels.
[[nodiscard]] std::span<const std::string_view> exit_kinds();

/// `exit` as ops.exit left it: texts may be cut off and need not end in a NUL.
[[nodiscard]] Exit read_exit(const ftap_exit& exit);

}  // namespace flowtap::scheds
