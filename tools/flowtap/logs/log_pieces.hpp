// Which saved files are pieces of one log, as kubelet keeps five of each: those of one scheduler whose times follow each other.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "stream/lines/klog_time.hpp"

namespace flowtap::cli {

/// Who speaks in one output of a file, and from when to when.
struct ReadingSpan {
  const diagnosis::Scheduler* scheduler = nullptr;  ///< the first of whom there is a fact
  flow::KlogTime first;
  flow::KlogTime last;

  /// Whether this may be the next piece of the log that ends with `before`.
  [[nodiscard]] bool follows(const ReadingSpan& before) const;
};

/// By output, "stdout" or "stderr", or "" where that is not known.
using LogSpans = std::map<std::string, ReadingSpan, std::less<>>;

/// Of a file that is read to its end, and then stands at its beginning again. `name` is what errors call it.
[[nodiscard]] LogSpans spans_of(int fd, const std::string& name);

/// By when they begin; those of which that is not known are last.
[[nodiscard]] bool begins_earlier(const LogSpans& a, const LogSpans& b);

/// What can be read twice: `fd` itself, or of a pipe all that comes out of it, in a file without a name.
[[nodiscard]] Result<Fd> rereadable(Fd fd, const std::string& name);

}  // namespace flowtap::cli
