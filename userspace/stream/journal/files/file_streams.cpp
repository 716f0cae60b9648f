#include "stream/journal/files/file_streams.hpp"

#include <algorithm>
#include <utility>

namespace flowtap::flow {
namespace {

// A batch of the ring is as large as this, and the journal takes both at once.
constexpr std::uint64_t kReadPerBatch = std::uint64_t{1} << 20U;

}  // namespace

Status FileStreams::add(const std::function<Result<Added>()>& tap) {
  const std::scoped_lock lock(told_mutex_);
  has_added_.store(true, std::memory_order_release);  // before its first record can be in the ring
  FTAP_TRY_ASSIGN(file, tap());
  told_.push_back(std::move(file));
  return {};
}

void FileStreams::add(Added file) {
  const std::scoped_lock lock(told_mutex_);
  has_added_.store(true, std::memory_order_release);
  told_.push_back(std::move(file));
}

void FileStreams::begin_round(Batch& batch) {
  refresh();
  if (has_added()) take_added(batch);
}

void FileStreams::take_added(Batch& batch) {
  std::vector<Added> told;
  {
    const std::scoped_lock lock(told_mutex_);
    told.swap(told_);
    has_added_.store(false, std::memory_order_relaxed);
  }
  for (Added& added : told) {
    const StreamNo number = added.start.stream;
    if (files_.contains(number)) continue;
    const auto place = FilePlace{
        static_cast<std::int64_t>(added.start.position) - static_cast<std::int64_t>(added.start.offset),
        added.start.step};
    batch.add(StreamEntry{number, added.content->name(place)});
    const FileStream stream(added.start, *added.content);
    auto file = std::make_unique<File>(
        File{stream, std::move(added.content), std::move(added.flow), added.start.offset > 0});
    order_.push_back(file.get());
    files_.emplace(number, std::move(file));
  }
}

void FileStreams::refresh() {
  budget_ = kReadPerBatch;
}

// Whoever goes on without this journal reads the file from there. That may be some bytes too many, but none too few.
void FileStreams::keep_places(const KeepName& keep) {
  for (File* file : order_) {
    const std::uint64_t passed = file->stream.passed();
    if (std::exchange(file->kept, passed + 1) == passed + 1) continue;
    std::vector<std::byte> row;
    put(row, StreamEntry{file->stream.number(), file->content->name(file->stream.place())});
    put(row, StateEntry{file->stream.number(), {.passed = passed}});
    keep(file->stream.number(), row);
  }
}

bool FileStreams::make_way(File& file, FileStream::Sink& sink) {
  if (file.begun) return true;
  for (File* earlier : order_) {
    if (earlier == &file) break;
    if (earlier->flow != file.flow) continue;
    earlier->stream.settle();
    earlier->stream.read_on(sink);
    if (earlier->stream.is_behind() && sink.budget == 0) return false;
    earlier->stream.give_up();
  }
  file.begun = true;
  return true;
}

void FileStreams::take(const Bytes& record, std::uint64_t time, Batch& batch) {
  const auto at = files_.find(record.stream);
  if (at == files_.end()) return;  // its end was told already
  File& file = *at->second;
  FileStream::Sink sink{batch, time, budget_};
  if (make_way(file, sink))
    file.stream.take(record, time, sink);
  else
    file.stream.postpone(record);
  budget_ = sink.budget;
}

bool FileStreams::read_on(bool drained, std::uint64_t time, Batch& batch) {
  FileStream::Sink sink{batch, time, budget_};
  std::vector<File*> ended;
  for (File* file : order_) {
    // What was written earlier to the file before this one may still be in the ring.
    if (!file->begun && !drained) continue;
    if (file->ends || !file->begun) file->stream.settle();
    if (file->stream.is_behind() && make_way(*file, sink)) {
      file->stream.read_on(sink);
      if (sink.budget > 0) file->stream.give_up();
    }
    if (file->ends && !file->stream.is_behind()) ended.push_back(file);
  }
  budget_ = sink.budget;
  for (File* file : ended) finish(*file, time, batch);
  count();
  return std::ranges::any_of(order_, [](const File* file) { return file->stream.is_behind(); });
}

bool FileStreams::look(Clock::time_point now, bool drained) {
  bool restless = false;
  for (File* file : order_) {
    file->stream.look(now, drained);
    restless = restless || file->stream.is_restless();
  }
  return restless;
}

void FileStreams::end(StreamNo stream) {
  if (const auto at = files_.find(stream); at != files_.end()) at->second->ends = true;
}

void FileStreams::finish(File& file, std::uint64_t time, Batch& batch) {
  const StreamNo number = file.stream.number();
  EndEntry end{number, file.stream.passed(), time, {}};
  end.lost[FTAP_LOSS_UNCAPTURED] = file.stream.missing();
  batch.add(end);
  gone_.missing += file.stream.missing();
  gone_.filled += file.stream.filled();
  finished_.insert(number);
  std::erase(order_, &file);
  files_.erase(number);
}

void FileStreams::count() {
  Counts sums = gone_;
  for (const File* file : order_) {
    sums.missing += file->stream.missing();
    sums.filled += file->stream.filled();
  }
  missing_ = sums.missing;
  filled_ = sums.filled;
}

}  // namespace flowtap::flow
