// All that the runtime has kept of a container's output, in order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/flows/flow_run.hpp"
#include "stream/lines/carriage_returns.hpp"
#include "stream/repair/runtime_files/gz_stream.hpp"
#include "stream/repair/runtime_files/runtime_file_seek.hpp"
#include "stream/repair/runtime_files/runtime_files.hpp"
#include "stream/repair/runtime_files/runtime_lines.hpp"

namespace flowtap::flow {

/// What was in the files but could not be given.
struct RuntimeFileFaults {
  std::uint64_t skipped = 0;  ///< lines that are not of the format
  std::uint64_t broken = 0;   ///< files that could not be read to their end; what came before was given
  std::string why;            ///< why the last of them could not be
};

/// Gives what a runtime has kept of a terminal as it was written there. The line discipline puts "\r" before each newline on its way
/// to the runtime (ONLCR, termios(3)), which may have read the two apart.
using TerminalLines = CarriageReturns<RuntimeLine>;

/// Reads through open_runtime_files()'s files, oldest first. It begins at the oldest line unless start_*() is called before the
/// first read(). start_at_time() and then start_at_last() is what kubelet does with both: of the last lines, those that are not
/// older. It holds a block and a line, whatever the files hold. It has many members, since it knows what to read, where it is, and
/// where it began.
class RuntimeFileReader {
 public:
  /// With `terminal` the lines are as the container wrote them to its terminal.
  RuntimeFileReader(std::vector<RuntimeFile> files, RuntimeFormat format, bool terminal = false);

  /// Takes lines of other times for those of other runs, and leaves them out wherever it begins. Call it before anything is read.
  void keep_to(const RunSpan& run) { run_ = run; }

  /// Gives lines of `time` (ns since 1970) and later ones. Times are taken to rise along the files, give or take kSlack, so a
  /// large plain file is not read from its start.
  void start_at_time(std::uint64_t time);
  /// Gives the last `lines` lines of the files; a part that the runtime has made counts as one, as for kubelet. Plain files are
  /// read from their end. A gz that is needed is read through once to count its lines, however often this is called.
  void start_at_last(std::uint64_t lines);
  /// Reads about `budget` bytes, unzipped, to find where these lines begin; read() does this too. True: it is found.
  [[nodiscard]] bool find_start(std::size_t budget);
  /// The time of the oldest line, before anything is read; nothing: there is none, or it is too long to tell. Lines of other
  /// runs do not count.
  [[nodiscard]] std::optional<std::uint64_t> oldest();
  /// The files cannot hold more lines than this, as their sizes show.
  [[nodiscard]] std::uint64_t most_lines() const;

  /// Gives the lines (`take(const RuntimeLine&)`) of about `budget` bytes, unzipped. False: there is no more. The newest
  /// file may be read again later, when more has been written to it.
  template <typename Take>
  [[nodiscard]] bool read(std::size_t budget, Take&& take) {
    if (!find_start(budget)) return true;
    const auto give = [this, &take](const RuntimeLine& line) {
      if (terminal_)
        terminal_->add(line, take);
      else
        take(line);
    };
    while (true) {
      const std::string_view block = next_block();
      if (block.empty() && !next_file()) {
        if (terminal_) terminal_->finish(take);
        return false;
      }
      lines_.add(block, [this, &give](const RuntimeLine& line) {
        if (line.time >= since_ && run_.has(line.time) && lines_.lines() > leave_out_) give(line);
      });
      if (block.size() >= budget) return true;
      budget -= block.size();
    }
  }

  [[nodiscard]] RuntimeFileFaults faults() const;

  /// Where the reader stands before the first read(), once that is found.
  struct Start {
    std::size_t file = 0;
    std::uint64_t offset = 0;
    std::uint64_t leave_out = 0;
    /// Nothing is before this start.
    [[nodiscard]] bool is_first() const { return file == 0 && offset == 0 && leave_out == 0; }
  };
  [[nodiscard]] Start start() const { return {at_, offset_, leave_out_}; }
  /// Continues as if nothing had been read since.
  void go_back(const Start& start);

  static constexpr std::size_t kBlock = std::size_t{64} << 10U;
  /// Outputs are read and written by separate threads, and clocks are set.
  static constexpr std::uint64_t kSlack = 60'000'000'000;

 private:
  [[nodiscard]] std::string_view next_block();
  [[nodiscard]] bool next_file();
  void go_to(std::size_t file, std::uint64_t offset, std::uint64_t leave_out);
  [[nodiscard]] bool find_in(std::size_t file, std::size_t budget);
  [[nodiscard]] bool count_lines(std::size_t file, std::size_t budget);
  [[nodiscard]] std::optional<std::uint64_t> first_time(std::size_t file, std::uint64_t from = 0);
  void fault(const Error& error);

  std::vector<RuntimeFile> files_;
  RuntimeFormat format_;
  std::optional<TerminalLines> terminal_;
  RuntimeLines lines_;
  std::string block_;
  std::size_t at_ = 0;           // which file
  std::uint64_t offset_ = 0;     // in a plain file
  std::optional<GzStream> gz_;   // of the file that is being read
  bool ended_ = false;           // this file has nothing more, or is broken
  std::uint64_t leave_out_ = 0;  // lines of this file that are before the last ones wanted
  std::uint64_t since_ = 0;
  RunSpan run_;
  RuntimeFileFaults faults_;

  /// The start that is being looked for, from the newest file on.
  struct Search {
    std::uint64_t wanted = 0;
    std::uint64_t found = 0;  // lines in the files behind `file`
    std::size_t file = 0;
    std::optional<LastLines> last = {};  // of the file before it, if that is plain
  };
  struct Counting {
    GzStream stream;
    RuntimeLines lines;
  };
  std::optional<Search> search_;
  std::optional<Counting> counting_;                  // a gz's lines
  std::vector<std::optional<std::uint64_t>> counts_;  // of each gz that was needed
};

}  // namespace flowtap::flow
