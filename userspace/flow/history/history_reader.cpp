#include "flow/history/history_reader.hpp"

#include <span>
#include <utility>

#include "flow/history/history_seek.hpp"
#include "flow/positioned_io.hpp"

namespace flowtap::flow {

HistoryReader::HistoryReader(std::vector<HistoryFile> files, HistoryFormat format)
    : files_(std::move(files)), format_(format), lines_(format), block_(kBlock, '\0') {}

HistoryFaults HistoryReader::faults() const {
  HistoryFaults faults = faults_;
  faults.skipped = lines_.skipped();
  return faults;
}

void HistoryReader::fault(const Error& error) {
  ++faults_.broken;
  faults_.why = error.what;
}

std::string_view HistoryReader::next_block() {
  if (at_ == files_.size() || ended_) return {};
  const HistoryFile& file = files_[at_];
  const auto into = std::as_writable_bytes(std::span(block_));
  if (file.gz && !gz_) gz_.emplace(file.fd.get(), file.name);
  const auto n = gz_ ? gz_->read(into) : read_at(file.fd.get(), offset_, into, file.name);
  if (!n) {
    fault(n.error());
    ended_ = true;
    return {};
  }
  offset_ += *n;
  return std::string_view(block_).substr(0, *n);
}

// The newest one stays, with what has been read of its last line.
bool HistoryReader::next_file() {
  if (at_ + 1 >= files_.size()) return false;
  lines_.finish();
  go_to(at_ + 1, 0, 0);
  return true;
}

void HistoryReader::go_to(std::size_t file, std::uint64_t offset, std::uint64_t leave_out) {
  at_ = file;
  offset_ = offset;
  leave_out_ = leave_out;
  gz_.reset();
  ended_ = false;
}

void HistoryReader::go_back(const Start& start) {
  lines_ = HistoryLines(format_);
  faults_ = {};
  go_to(start.file, start.offset, start.leave_out);
}

std::uint64_t HistoryReader::count_lines(std::size_t file) {
  GzStream stream(files_[file].fd.get(), files_[file].name);
  HistoryLines lines(format_);
  while (true) {
    const auto n = stream.read(std::as_writable_bytes(std::span(block_)));
    if (!n || *n == 0) return lines.lines();
    lines.add(std::string_view(block_).substr(0, *n), [](const HistoryLine&) {});
  }
}

void HistoryReader::start_at_last(std::uint64_t lines) {
  std::uint64_t found = 0;
  for (std::size_t file = files_.size(); file > 0 && (found < lines || file == files_.size()); --file) {
    const HistoryFile& of = files_[file - 1];
    const HistoryPlace place =
        of.gz ? HistoryPlace{0, count_lines(file - 1)} : place_of_last(of.fd.get(), format_, lines - found);
    found += place.lines;
    go_to(file - 1, place.offset, found - std::min(found, lines));
  }
}

std::optional<std::uint64_t> HistoryReader::first_time(std::size_t file) {
  std::optional<std::uint64_t> time;
  HistoryLines lines(format_);
  go_to(file, 0, 0);
  lines.add(next_block(), [&time](const HistoryLine& line) {
    if (!time) time = line.time;
  });
  return time;
}

void HistoryReader::start_at_time(std::uint64_t time) {
  since_ = time;
  const std::uint64_t early = time - std::min(time, kSlack);
  std::size_t file = files_.size();
  // What is before a file that begins early enough is earlier.
  while (file > 0) {
    --file;
    const auto first = first_time(file);
    if (first && *first < early) break;
  }
  faults_ = {};  // those that are in what is read will be met again
  const bool is_plain = file < files_.size() && !files_[file].gz;
  go_to(file, is_plain ? place_before(files_[file].fd.get(), format_, early) : 0, 0);
}

}  // namespace flowtap::flow
