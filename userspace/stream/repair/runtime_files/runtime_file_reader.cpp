#include "stream/repair/runtime_files/runtime_file_reader.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/positioned_io.hpp"
#include "stream/repair/runtime_files/runtime_file_seek.hpp"

namespace flowtap::flow {
namespace {

// In every format a line has its time, as RFC 3339 writes it.
constexpr std::uint64_t kShortestLine = std::string_view("1970-01-01T00:00:00Z").size();
// Deflate makes at most this many bytes of one (zlib's technical details, "maximum compression factor").
constexpr std::uint64_t kMostInflated = 1032;

}  // namespace

RuntimeFileReader::RuntimeFileReader(std::vector<RuntimeFile> files, RuntimeFormat format, bool terminal)
    : files_(std::move(files)),
      format_(format),
      lines_(format),
      block_(kBlock, '\0'),
      counts_(files_.size()) {
  if (terminal) terminal_.emplace();
}

RuntimeFileFaults RuntimeFileReader::faults() const {
  RuntimeFileFaults faults = faults_;
  faults.skipped = lines_.skipped();
  return faults;
}

void RuntimeFileReader::fault(const Error& error) {
  ++faults_.broken;
  faults_.why = error.what;
}

std::string_view RuntimeFileReader::next_block() {
  if (at_ == files_.size() || ended_) return {};
  const RuntimeFile& file = files_[at_];
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

// The reader stays in the newest file, with what has been read of its last line.
bool RuntimeFileReader::next_file() {
  if (at_ + 1 >= files_.size()) return false;
  lines_.finish();
  go_to(at_ + 1, 0, 0);
  return true;
}

void RuntimeFileReader::go_to(std::size_t file, std::uint64_t offset, std::uint64_t leave_out) {
  at_ = file;
  offset_ = offset;
  leave_out_ = leave_out;
  gz_.reset();
  ended_ = false;
}

void RuntimeFileReader::go_back(const Start& start) {
  lines_ = RuntimeLines(format_);
  if (terminal_) terminal_.emplace();
  faults_ = {};
  go_to(start.file, start.offset, start.leave_out);
}

void RuntimeFileReader::start_at_last(std::uint64_t lines) {
  lines_ = RuntimeLines(format_);
  faults_ = {};
  search_ = Search{.wanted = lines, .file = files_.size()};
}

bool RuntimeFileReader::find_start(std::size_t budget) {
  while (search_ && search_->file > 0 &&
         (search_->found < search_->wanted || search_->file == files_.size())) {
    if (budget == 0 || !find_in(search_->file - 1, budget)) return false;
    --search_->file;
    budget -= std::min(budget, kBlock);
  }
  search_.reset();
  return true;
}

// True: all that is wanted of this file is found.
bool RuntimeFileReader::find_in(std::size_t file, std::size_t budget) {
  RuntimeFilePosition place;
  if (const RuntimeFile& of = files_[file]; of.gz) {
    if (!counts_[file] && !count_lines(file, budget)) return false;
    place.lines = *counts_[file];
  } else {
    if (!search_->last) search_->last.emplace(of.fd.get(), format_, search_->wanted - search_->found);
    if (!search_->last->look(budget)) return false;
    place = search_->last->place();
    search_->last.reset();
  }
  search_->found += place.lines;
  go_to(file, place.offset, search_->found - std::min(search_->found, search_->wanted));
  return true;
}

bool RuntimeFileReader::count_lines(std::size_t file, std::size_t budget) {
  if (!counting_)
    counting_.emplace(Counting{GzStream(files_[file].fd.get(), files_[file].name), RuntimeLines(format_)});
  for (; budget > 0; budget -= std::min(budget, kBlock)) {
    const auto n = counting_->stream.read(std::as_writable_bytes(std::span(block_)));
    if (!n || *n == 0) {
      counts_[file] = counting_->lines.lines();
      counting_.reset();
      return true;
    }
    counting_->lines.add(std::string_view(block_).substr(0, *n), [](const RuntimeLine&) {});
  }
  return false;
}

std::uint64_t RuntimeFileReader::most_lines() const {
  std::uint64_t bytes = 0;
  for (const RuntimeFile& file : files_) bytes += size_of(file.fd.get()) * (file.gz ? kMostInflated : 1);
  return bytes / kShortestLine;
}

std::optional<std::uint64_t> RuntimeFileReader::first_time(std::size_t file, std::uint64_t from) {
  std::optional<std::uint64_t> time;
  RuntimeLines lines(format_);
  const bool looks_on = from > 0;
  go_to(file, looks_on && !files_[file].gz ? place_before(files_[file].fd.get(), format_, from) : 0, 0);
  for (bool more = true; more;) {
    const std::string_view block = next_block();
    lines.add(block, [&](const RuntimeLine& line) {
      if (!time && line.time >= from) time = line.time;
    });
    more = looks_on && !time && !block.empty();
  }
  return time;
}

std::optional<std::uint64_t> RuntimeFileReader::oldest() {
  std::optional<std::uint64_t> time;
  std::size_t file = 0;
  // Lines before a file that begins before the run are earlier.
  for (std::size_t next = 1; run_.from > 0 && next < files_.size(); ++next)
    if (const auto first = first_time(next); first && *first < run_.from) file = next;
  for (; file < files_.size() && !time; ++file) time = first_time(file, run_.from);
  go_back({});
  if (time && *time >= run_.to) return std::nullopt;
  return time;
}

void RuntimeFileReader::start_at_time(std::uint64_t time) {
  since_ = time;
  const std::uint64_t early = time - std::min(time, kSlack);
  std::size_t file = files_.size();
  // Lines before a file that begins early enough are earlier.
  while (file > 0) {
    --file;
    const auto first = first_time(file);
    if (first && *first < early) break;
  }
  faults_ = {};  // faults in what is read will be met again
  const bool is_plain = file < files_.size() && !files_[file].gz;
  go_to(file, is_plain ? place_before(files_[file].fd.get(), format_, early) : 0, 0);
}

}  // namespace flowtap::flow
