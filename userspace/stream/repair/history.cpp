#include "stream/repair/history.hpp"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "stream/lines/output_index.hpp"

namespace flowtap {
namespace {

// Lines of the files may be parts of lines that are kept here, and some may come meanwhile.
constexpr std::uint64_t kParts = 2;
constexpr std::uint64_t kMore = 1000;
constexpr std::uint64_t kGrows = 8;

}  // namespace

flow::RuntimeFormat runtime_format(const identity::RuntimeFilePlace& log) {
  switch (log.format) {
    case identity::LogFormat::kDockerJson:
      return flow::RuntimeFormat::kJsonFile;
    case identity::LogFormat::kK8sFile:
      return flow::RuntimeFormat::kK8sFile;
    case identity::LogFormat::kCri:
    case identity::LogFormat::kNone:
      break;
  }
  return flow::RuntimeFormat::kCri;
}

Result<flow::RuntimeFiles> open_files(const identity::RuntimeFilePlace& log) {
  FTAP_TRY_ASSIGN(fd, log.dir.open_below(".", O_RDONLY | O_DIRECTORY));
  flow::OpenedRuntimeDir dir(std::move(fd));
  FTAP_TRY_ASSIGN(files, flow::open_runtime_files(runtime_format(log), dir, log.base));
  if (files.files.empty() && files.unreadable.empty())
    return std::unexpected(Error{"there is no file " + log.base, {}, ENOENT});
  files.run = log.run;
  return files;
}

History::History(flow::RuntimeFiles files, flow::RuntimeFormat format, SeamKeys keys)
    : reader_(std::move(files.files), format, keys[0].terminal),
      format_(format),
      keys_(std::move(keys)),
      seams_{flow::Seam(keys_[0], format), flow::Seam(keys_[1], format)},
      unreadable_(std::move(files.unreadable)) {
  reader_.keep_to(files.run);
  if (files.unsettled && unreadable_.empty())
    unreadable_ = "its files were rotated again and again meanwhile";
}

void History::begin() {
  seams_ = {flow::Seam(keys_[0], format_), flow::Seam(keys_[1], format_)};
  numbers_ = flow::LineNumbers(whole_);
  has_begun_.fill(start_.is_first());
}

// A look that does not begin with the files may begin within a line.
void History::found_start(const flow::RuntimeFileReader::Start& start) {
  start_ = start;
  begin();
}

std::optional<std::uint64_t> History::number_of(const flow::RuntimeLine& line) {
  bool& has_begun = has_begun_.at(flow::output_index(line.output));
  if (!whole_ || has_begun) return numbers_.of(line.output, line.full);
  has_begun = line.full;
  return std::nullopt;
}

void History::start_at_time(std::uint64_t time) {
  reader_.start_at_time(time);
}

void History::start_at_last(std::uint64_t lines, std::uint64_t behind, bool whole) {
  whole_ = whole;
  numbers_ = flow::LineNumbers(whole);
  if (lines >= reader_.most_lines()) return;  // all of the lines are wanted, and read once
  last_ = lines;
  look_at_last(lines + kParts * behind + kMore);
}

void History::look_at_last(std::uint64_t lines) {
  looked_ = lines;
  reader_.start_at_last(lines);
  finding_ = true;
}

// If enough lines were found, or there are no more, they are given now. Otherwise the search begins further back.
bool History::count_again() {
  std::array<bool, 2> goes_on{};
  for (std::size_t output = 0; output < goes_on.size(); ++output)
    goes_on.at(output) = whole_ && numbers_.amid().at(output) && !keys_.at(output).bytes.empty();
  const std::uint64_t wanted = *last_ + (goes_on[0] ? 1 : 0) + (goes_on[1] ? 1 : 0);
  if (numbers_.last() >= wanted || start_.is_first()) {
    are_fewer_ = numbers_.last() < wanted;
    leave_out_ = numbers_.last() - std::min(numbers_.last(), wanted);
    for (std::size_t output = 0; output < goes_on.size(); ++output)
      left_out_at_seam_.at(output) = goes_on.at(output) && numbers_.last_of(output) <= leave_out_;
    last_.reset();
    reader_.go_back(start_);
  } else {
    look_at_last(looked_ * kGrows);
  }
  begin();
  return true;
}

bool History::is_empty() const {
  if (numbers_.last() > 0 || !fault().empty()) return false;
  for (std::size_t i = 0; i < seams_.size(); ++i)
    if (!keys_.at(i).bytes.empty() && !seams_.at(i).found()) return false;
  return seams_[0].found() || seams_[1].found();
}

std::string History::fault() const {
  return unreadable_.empty() ? reader_.faults().why : unreadable_;
}

std::uint64_t History::replaced_in(std::string_view text) {
  std::uint64_t count = 0;
  for (std::size_t at = 0; (at = text.find(flow::kReplacement, at)) != std::string_view::npos; ++count)
    at += flow::kReplacement.size();
  return count;
}

}  // namespace flowtap
