// --limit-bytes: the output ends after a number of bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "line_cutter.hpp"

namespace flowtap::cli {

class Writer;

class OutputLimit {
 public:
  /// `objects`: each line is a JSON object. A part of one would not be JSON, so an object that does not fit as a whole
  /// is left out. `follow`: the output ends as soon as nothing more fits, since nobody knows whether more comes.
  OutputLimit(std::uint64_t most, bool objects, bool follow)
      : left_(most), objects_(objects), follow_(follow) {}

  /// The part of these bytes that fits. It lives until the next call.
  [[nodiscard]] std::string_view take(std::string_view bytes);
  /// No more bytes are wanted.
  [[nodiscard]] bool is_over() const { return is_cut_ || (follow_ && left_ == 0); }
  /// "the output ends after 10 bytes (--limit-bytes)"
  [[nodiscard]] std::string sentence() const;
  /// Whether the last byte was a newline, or there was none.
  [[nodiscard]] bool is_at_line_begin() const { return last_ == '\n'; }

 private:
  std::uint64_t left_;
  bool objects_;
  bool follow_;
  bool is_cut_ = false;
  std::uint64_t taken_ = 0;
  char last_ = '\n';
  LineCutter lines_{std::string::npos};  // the daemon bounds the objects that it makes
  std::string fitting_;
};

/// Writes those of `bytes` that fit into `limit` (null: there is none). False: no more is wanted.
[[nodiscard]] bool write_within(OutputLimit* limit, Writer& writer, std::string_view bytes);
/// Says that the limit was reached, after the line that it has cut. True: it was reached.
bool say_limit(const OutputLimit* limit, Writer& writer);

}  // namespace flowtap::cli
