// What a container wrote before the first of its lines that is kept here. It comes from the runtime's own files, which are read
// through on request and never copied.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "identity/runtimes/runtime_file_finder.hpp"
#include "stream/lines/output_index.hpp"
#include "stream/lines/shown_lines.hpp"
#include "stream/repair/runtime_files/kept_form.hpp"
#include "stream/repair/runtime_files/runtime_file_reader.hpp"
#include "stream/repair/runtime_files/seam.hpp"

namespace flowtap {

/// Opens all files that the runtime has of this log. An Error with code ENOENT: it has none.
[[nodiscard]] Result<flow::RuntimeFiles> open_files(const identity::RuntimeFilePlace& log);
[[nodiscard]] flow::RuntimeFormat runtime_format(const identity::RuntimeFilePlace& log);

/// The beginnings of the captured bytes of standard output and standard error.
using SeamKeys = std::array<flow::SeamKey, 2>;

/// Gives the lines before the seam, oldest first: all of them, or fewer if one of these is called before the first read().
class History {
 public:
  History(flow::RuntimeFiles files, flow::RuntimeFormat format, SeamKeys keys);

  /// The time of the oldest line, before anything is read and before these two are called; nothing: there is none.
  [[nodiscard]] std::optional<std::uint64_t> oldest() { return reader_.oldest(); }

  /// Gives about the lines of this time (ns since 1970) and later; some older ones may come, too.
  void start_at_time(std::uint64_t time);
  /// Gives the last `lines` before the seam. There are about `behind` lines after the seam. `whole`: a line counts once, in however
  /// many parts the runtime has kept it. If it goes on behind the seam, it is one of those after it.
  void start_at_last(std::uint64_t lines, std::uint64_t behind, bool whole = false);

  /// The last lines were found: read() gives lines from now on.
  [[nodiscard]] bool is_found() const { return !counting(); }
  // When they were found:

  /// There are fewer than were asked for.
  [[nodiscard]] bool are_fewer() const { return are_fewer_; }
  /// For whole lines: which outputs' lines go on behind the seam and are not among them, stdout first.
  [[nodiscard]] const std::array<bool, 2>& left_out_at_seam() const { return left_out_at_seam_; }

  /// Looks through about `budget` bytes, and gives those lines of them that are asked for: `take(const flow::RuntimeLine&)`.
  /// False: there is no more.
  template <typename Take>
  [[nodiscard]] bool read(std::size_t budget, Take&& take) {
    if (!reader_.find_start(budget)) return true;
    if (std::exchange(finding_, false)) found_start(reader_.start());
    const auto wanted = [&](const flow::RuntimeLine& line) {
      const auto number = number_of(line);
      if (number && !counting() && *number > leave_out_) take(line);
    };
    const bool more =
        reader_.read(budget, [&](const flow::RuntimeLine& line) { seam(line).add(line, wanted); });
    if (more && !(seams_[0].passed() && seams_[1].passed())) return true;
    for (flow::Seam& seam : seams_) seam.finish(wanted);
    return counting() && count_again();
  }

  /// Which outputs' lines it has given up to the very first byte that was captured, stdout first. To be asked when there is no more.
  [[nodiscard]] std::array<bool, 2> reaches_seam() const { return {seams_[0].found(), seams_[1].found()}; }
  /// The runtime has nothing that is older than what is kept here.
  [[nodiscard]] bool is_empty() const;
  /// U+FFFD in its lines may stand for one byte that was not UTF-8.
  [[nodiscard]] bool replaces() const { return format_ == flow::RuntimeFormat::kJsonFile; }
  /// How often a line has U+FFFD.
  [[nodiscard]] static std::uint64_t replaced_in(std::string_view text);
  /// Each replaced byte makes a line longer by at most this many bytes.
  static constexpr std::uint64_t kReplacedAdds = flow::kReplacement.size() - 1;
  /// What could not be read, in a few words; empty: nothing is known to be missing.
  [[nodiscard]] std::string fault() const;

 private:
  [[nodiscard]] bool counting() const { return last_.has_value(); }
  [[nodiscard]] flow::Seam& seam(const flow::RuntimeLine& line) {
    return seams_[flow::output_index(line.output)];
  }
  /// Which of the lines that are given it is, from 1 on. Nothing: it belongs to a line that begins before them.
  [[nodiscard]] std::optional<std::uint64_t> number_of(const flow::RuntimeLine& line);
  void found_start(const flow::RuntimeFileReader::Start& start);
  void begin();
  void look_at_last(std::uint64_t lines);
  [[nodiscard]] bool count_again();

  flow::RuntimeFileReader reader_;
  flow::RuntimeFormat format_;
  SeamKeys keys_;
  std::array<flow::Seam, 2> seams_;
  flow::RuntimeFileReader::Start start_;
  std::optional<std::uint64_t> last_;  // this many are wanted, and how many there are is being found out
  std::uint64_t looked_ = 0;           // how many of the files' last lines were looked at
  bool finding_ = false;               // where those lines begin is being found
  std::uint64_t leave_out_ = 0;
  bool are_fewer_ = false;
  std::array<bool, 2> left_out_at_seam_{};
  bool whole_ = false;
  std::array<bool, 2> has_begun_{true,
                                 true};  // for whole lines: one of that output has begun within what is read
  flow::LineNumbers numbers_{false};
  std::string unreadable_;
};

}  // namespace flowtap
