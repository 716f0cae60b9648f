// GELF has a message twice in one line: cut, and in full. The cut one says nothing more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "unwrapper.hpp"

namespace flowtap::cli {

/// If a line has two neighbouring records of one log and one of them is only the beginning of the other, only the longer one is
/// given.
class FullestRecord {
 public:
  /// `log`: what a collector calls the log of the record that is being added.
  FullestRecord(const Unwrapper::Take& take, const std::string& log) : take_(take), log_(log) {}
  FullestRecord(const FullestRecord&) = delete;
  FullestRecord& operator=(const FullestRecord&) = delete;

  void add(const SavedLine& line) {
    if (line.kind != SavedLine::Kind::kRecord) {
      finish();
      return take_(line);
    }
    if (held_ && held_->log != log_) finish();
    if (held_ && begins(line.text, held_->text)) return;
    if (held_ && !begins(held_->text, line.text)) finish();
    held_ = Held{.log = log_,
                 .source = std::string(line.source),
                 .text = std::string(line.text),
                 .full = line.full,
                 .time = line.time};
  }
  /// No more of the line comes.
  void finish() {
    if (!held_) return;
    take_({.kind = SavedLine::Kind::kRecord,
           .source = held_->source,
           .text = held_->text,
           .full = held_->full,
           .time = held_->time});
    held_.reset();
  }

 private:
  struct Held {
    std::string log;
    std::string source;
    std::string text;
    bool full = true;
    std::uint64_t time = 0;
  };

  // A cut text may end with dots.
  static bool begins(std::string_view cut, std::string_view whole) {
    constexpr std::size_t kShortest = 40;
    for (const std::string_view dots : {std::string_view("..."), std::string_view("…")})
      if (cut.ends_with(dots)) cut.remove_suffix(dots.size());
    return cut.size() >= kShortest && cut.size() < whole.size() && whole.starts_with(cut);
  }

  const Unwrapper::Take& take_;
  const std::string& log_;
  std::optional<Held> held_;
};

}  // namespace flowtap::cli
