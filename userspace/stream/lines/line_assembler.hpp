// Bytes into lines. A write is not a line: a line may come in many writes, and a write may have many lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace flowtap::flow {

/// Longer lines are divided, as container runtimes do (containerd's max_container_log_line_size).
constexpr std::size_t kMaxLine = 16'384;

/// A line, or a part of one that is longer than kMaxLine, whose newline has not come, or that a gap has cut. Does not own its
/// text.
struct LineView {
  std::string_view text;  ///< without the newline; any bytes
  bool full = false;      ///< its newline has come; else what follows in this stream belongs to the same line
  std::uint64_t begin = 0;  ///< where in the stream it stands
  std::uint64_t end = 0;    ///< behind the line and its newline
  std::uint64_t time = 0;   ///< ns since 1970; when its last byte was written
};

/// Makes one stream's lines. Gives each line to a callable as soon as it is whole.
class LineAssembler {
 public:
  /// Offset of the first byte that has not been added.
  [[nodiscard]] std::uint64_t next() const { return next_; }
  /// Bytes of the line that is not whole yet.
  [[nodiscard]] std::size_t unfinished() const { return rest_.size(); }

  template <typename Take>
  void add(std::string_view bytes, std::uint64_t time, Take&& take) {
    while (!bytes.empty()) {
      // A line of exactly kMaxLine bytes is whole if its newline is what follows.
      const std::size_t room = kMaxLine - rest_.size();
      const std::size_t newline = bytes.substr(0, room + 1).find('\n');
      if (newline != std::string_view::npos)
        give(bytes.substr(0, newline), true, time, take);
      else if (bytes.size() > room)
        give(bytes.substr(0, room), false, room == 0 ? rest_time_ : time, take);
      else
        return keep(bytes, time);
      bytes.remove_prefix(newline != std::string_view::npos ? newline + 1 : room);
    }
  }

  /// Gives what is unfinished as a part: the stream has ended, or what follows is missing.
  template <typename Take>
  void finish(Take&& take) {
    if (!rest_.empty()) give({}, false, rest_time_, take);
  }

  /// The bytes before `offset` will not come. Call it only after finish().
  void skip_to(std::uint64_t offset) { next_ = offset; }

 private:
  // The memory that each stream keeps for the lines that its writes cut.
  static constexpr std::size_t kKept = 1024;

  void keep(std::string_view bytes, std::uint64_t time) {
    append(bytes);
    rest_time_ = time;
    next_ += bytes.size();
  }

  template <typename Take>
  void give(std::string_view more, bool full, std::uint64_t time, Take&& take) {
    const std::uint64_t begin = next_ - rest_.size();
    next_ += more.size() + (full ? 1 : 0);
    if (rest_.empty()) {
      take(LineView{more, full, begin, next_, time});
      return;
    }
    append(more);
    take(LineView{rest_, full, begin, next_, time});
    rest_.clear();
    if (rest_.capacity() > kKept) give_back();
  }

  // Few of thousands of streams are amid a long line at a time. They share the memory for it in turn, so none allocates for each
  // line.
  void append(std::string_view bytes) {
    if (rest_.capacity() <= kKept && rest_.size() + bytes.size() > kKept) {
      spare.assign(rest_);
      rest_.swap(spare);
      spare.clear();
    }
    rest_.append(bytes);
  }
  void give_back() {
    if (spare.capacity() < rest_.capacity()) rest_.swap(spare);
    if (rest_.capacity() > kKept) std::string().swap(rest_);
  }

  inline static thread_local std::string spare;  // empty, with that memory
  std::string rest_;
  std::uint64_t rest_time_ = 0;
  std::uint64_t next_ = 0;
};

}  // namespace flowtap::flow
