// Finds out which saved files are pieces of one log, as kubelet keeps five of each: they are from one scheduler, and
// their times follow each other.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "stream/lines/klog/klog_time.hpp"

namespace flowtap::cli {

/// The scheduler that wrote one output of a file, and its first and last time.
struct PieceSpan {
  const diagnosis::Scheduler* scheduler = nullptr;  ///< the first one that a fact belongs to
  flow::KlogTime first;
  flow::KlogTime last;

  /// Whether this may be the next piece of the log that ends with `before`.
  [[nodiscard]] bool follows(const PieceSpan& before) const;
};

/// The name of a log in a file: the output of a runtime's, "stdout" or "stderr", or "" if that is not known, and its source.
[[nodiscard]] std::string log_name(std::string_view output, std::string_view source);

/// By the logs' names.
using PieceSpans = std::map<std::string, PieceSpan, std::less<>>;

/// Reads the file to its end, and then sets it back to its beginning. `name` is what errors call it.
[[nodiscard]] PieceSpans spans_of(int fd, const std::string& name);

/// Sorted by when they begin; those for which that is not known come last.
[[nodiscard]] bool begins_earlier(const PieceSpans& a, const PieceSpans& b);

/// A descriptor that can be read twice: `fd` itself or, for a pipe, a file without a name that has everything from the
/// pipe.
[[nodiscard]] Result<Fd> rereadable(Fd fd, const std::string& name);

}  // namespace flowtap::cli
