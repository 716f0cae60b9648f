#include "stream/journal/journal_replay.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

namespace flowtap::flow {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAside = ".aside";

class Replay {
 public:
  Replay(JournalIndex& index, std::vector<SetAside>& aside) : index_(index), aside_(aside) {}

  void find(const std::string& dir);
  void read_all();
  Replayed finish();

 private:
  struct File {
    std::uint32_t number;
    std::string path;
  };

  void read(const File& file, bool is_last);
  void read_batches(const Segment::Ptr& segment, std::span<const std::byte> bytes, bool is_last);
  void set_aside(const File& file, std::uint64_t bytes);
  void say(std::string what) { found_.said.push_back(std::move(what)); }

  JournalIndex& index_;
  std::vector<SetAside>& aside_;
  std::vector<File> files_;
  std::uint64_t batch_ = 0;
  Replayed found_;
};

void Replay::find(const std::string& dir) {
  std::error_code error;
  for (fs::directory_iterator at(dir, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename();
    std::error_code ignored;
    if (const auto number = Segment::number_of(name))
      files_.push_back({*number, at->path()});
    else if (name.ends_with(kAside))
      aside_.push_back({at->path(), at->file_size(ignored)});
  }
  if (error && error.value() != ENOENT) say("cannot list " + dir + ": " + error.message());
  std::ranges::sort(files_, {}, &File::number);
}

void Replay::read_all() {
  for (const File& file : files_) read(file, &file == &files_.back());
}

void Replay::read(const File& file, bool is_last) {
  auto segment = Segment::open(file.path, file.number);
  if (!segment) return say(segment.error().what);
  const std::uint64_t size = (*segment)->size();
  if (size > kMaxSegment) {
    say(file.path + " is larger than any segment");
    return set_aside(file, size);
  }
  std::vector<std::byte> bytes(size);
  const auto got = (*segment)->read(0, bytes);
  if (!got) return say(got.error().what);
  bytes.resize(*got);
  switch (look_at_head(bytes)) {
    case SegmentHeadState::kOurs:
      return read_batches(*segment, bytes, is_last);
    case SegmentHeadState::kOtherVersion:
      ++found_.other_versions;
      say(file.path + " is of another version of the journal");
      return set_aside(file, size);
    case SegmentHeadState::kBroken:
      break;
  }
  if (is_last && size < sizeof(RawSegmentHead)) {  // it was being made
    found_.torn_bytes += size;
    say(file.path + " was not finished");
    return (*segment)->remove();
  }
  ++found_.damaged_segments;
  found_.damaged_bytes += size;
  say(file.path + " does not begin as a segment does");
  set_aside(file, size);
}

void Replay::read_batches(const Segment::Ptr& segment, std::span<const std::byte> bytes, bool is_last) {
  index_.add_segment(segment);
  std::size_t at = sizeof(RawSegmentHead);
  while (at < bytes.size()) {
    const auto batch = batch_at(bytes, at);
    if (!batch || batch->number <= batch_) break;
    batch_ = batch->number;
    index_.apply(batch_, batch->entries, batch->entries_at);
    at = batch->entries_at + batch->entries.size();
    ++found_.batches;
  }
  const std::uint64_t rest = bytes.size() - at;
  found_.appendable = is_last && rest == 0;
  if (rest == 0) return;
  if (!is_last) {
    ++found_.damaged_segments;
    found_.damaged_bytes += rest;
    return say(segment->path() + " has a bad batch at " + std::to_string(at) +
               "; the rest of it is left out");
  }
  found_.torn_bytes += rest;
  say(segment->path() + " ends in " + std::to_string(rest) + " bytes that are not a whole batch");
  const auto cut = segment->truncate(at);
  found_.appendable = cut.has_value();
  if (!cut) say(cut.error().what);
}

void Replay::set_aside(const File& file, std::uint64_t bytes) {
  const std::string path = file.path + std::string(kAside);
  if (::rename(file.path.c_str(), path.c_str()) != 0)
    return say("cannot rename " + file.path + ": " + errno_text(errno));
  aside_.push_back({path, bytes});
}

Replayed Replay::finish() {
  found_.streams = index_.streams().size();
  return std::move(found_);
}

}  // namespace

Replayed replay_journal(const std::string& dir, JournalIndex& index, std::vector<SetAside>& aside) {
  Replay replay(index, aside);
  replay.find(dir);
  replay.read_all();
  return replay.finish();
}

}  // namespace flowtap::flow
