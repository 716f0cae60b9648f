#include "daemon/stream/file_sources.hpp"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "identity/flow_id.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

// For what no event tells: directories that come, links that are bent, files that were lost sight of.
constexpr auto kLook = 1000ms;
// A writer goes on in a file that was moved away until it is told to open the new one.
constexpr auto kStillWritten = 60s;
// One that was removed keeps its disk space as long as it is held open.
constexpr auto kRemoved = 5s;
constexpr std::size_t kMostGenerations = 16;
constexpr int kOpenTries = 16;
constexpr std::size_t kMostNames = 65'536;
constexpr std::uint32_t kEvents = IN_CREATE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE | IN_ONLYDIR;

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

NameEvent name_event(const inotify_event& event, const char* name) {
  NameEvent out{NameEvent::What::kRemoved, name, event.cookie};
  if ((event.mask & IN_CREATE) != 0) out.what = NameEvent::What::kMade;
  if ((event.mask & IN_MOVED_FROM) != 0) out.what = NameEvent::What::kMovedFrom;
  if ((event.mask & IN_MOVED_TO) != 0) out.what = NameEvent::What::kMovedTo;
  return out;
}

/// What the journal knows of a file that was followed before.
struct Before {
  flow::StreamNo stream = 0;
  std::uint64_t passed = 0;
  FileNotes notes;
  [[nodiscard]] std::uint64_t position() const {
    return static_cast<std::uint64_t>(notes.place.base + static_cast<std::int64_t>(passed));
  }
};

// The latest stream of this file, of `only` alone where that is given.
std::optional<Before> before(const flow::Journal& journal, const std::string& flow,
                             const kernel::OpenFile& file, std::int64_t born) {
  std::optional<Before> found;
  for (const flow::StreamView& stream : journal.streams()) {
    if (!stream.name || stream.name->flow != flow || stream.name->inode != file.inode ||
        stream.name->device != file.device || (found && found->stream > stream.number))
      continue;
    const auto notes = notes_of(stream);
    if (notes && notes->born == born) found = Before{stream.number, stream.sums.passed, *notes};
  }
  return found;
}

bool is_known(const flow::Journal& journal, const std::string& flow) {
  return std::ranges::any_of(journal.streams(), [&flow](const flow::StreamView& stream) {
    return stream.name && stream.name->flow == flow;
  });
}

}  // namespace

Result<std::unique_ptr<FileSources>> FileSources::open(const std::string& host_root,
                                                       const kernel::OpenFiles& files, StreamSlots& slots,
                                                       const flow::Journal& journal,
                                                       flow::FileStreams& streams) {
  FTAP_TRY_ASSIGN(root, identity::RootDir::open(host_root));
  Fd inotify(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
  Fd stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!inotify.valid() || !stop.valid()) return fail_errno(errno, "cannot watch directories");
  return std::unique_ptr<FileSources>(
      new FileSources(std::move(root), files, slots, journal, streams, std::move(inotify), std::move(stop)));
}

FileSources::~FileSources() {
  const std::uint64_t once = 1;
  static_cast<void>(!::write(stop_.get(), &once, sizeof(once)));
  if (thread_.joinable()) thread_.join();
}

void FileSources::start() {
  thread_ = std::thread([this] { run(); });
}

void FileSources::set(const std::vector<std::string>& paths) {
  const std::scoped_lock lock(mutex_);
  std::erase_if(paths_, [&](const Path& path) {
    if (std::ranges::find(paths, path.path) != paths.end()) return false;
    stop_following(path);
    lost_before_ += path.rotations.lost();
    return true;
  });
  for (const std::string& name : paths) {
    if (std::ranges::find(paths_, name, &Path::path) != paths_.end()) continue;
    Path& path = paths_.emplace_back(name, identity::file_flow_id(name));
    path.known = is_known(journal_, path.flow);
    watch_directory(path);
    if (first_) resume(path);
    look_at(path);
    path.known = true;
  }
  if (first_) end_unlisted();
  first_ = false;
}

void FileSources::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-files");
  auto next = Clock::now() + kLook;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now());
    std::array<pollfd, 2> fds{{{inotify_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
    (void)::poll(fds.data(), fds.size(), static_cast<int>(std::max(left, 0ms).count()));
    if (fds[1].revents != 0) return;
    const std::scoped_lock lock(mutex_);
    try {
      if (read_events())
        for (Path& path : paths_) open_fresh(path);
      if (Clock::now() < next) continue;
      next = Clock::now() + kLook;
      look();
    } catch (const std::exception&) {  // no memory: the next look does it
      next = Clock::now() + kLook;
    }
  }
}

void FileSources::look() {
  const auto slots = slots_.sweep();
  for (Path& path : paths_) {
    retire(path, slots);
    watch_directory(path);
    open_fresh(path);
    look_at(path);
  }
}

void FileSources::watch_directory(Path& path) {
  const auto directory = root_.open_below(directory_of(path.path), O_PATH | O_DIRECTORY);
  path.watch = -1;
  if (!directory) return;
  // The same number again for a directory that is watched already.
  path.watch = ::inotify_add_watch(inotify_.get(),
                                   ("/proc/self/fd/" + std::to_string(directory->get())).c_str(), kEvents);
}

bool FileSources::read_events() {
  alignas(inotify_event) std::array<char, 16384> buffer{};
  bool any = false;
  while (true) {
    // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection): it does not (IN_NONBLOCK)
    const ssize_t n = ::read(inotify_.get(), buffer.data(), buffer.size());
    if (n <= 0) return any;
    any = true;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(n);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      const char* name = buffer.data() + at + sizeof(event);
      at += sizeof(event) + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0)
        for (Path& path : paths_) path.rotations.forget_all();
      else if (event.len > 0)
        see(event.wd, name_event(event, name));
    }
  }
}

void FileSources::see(int watch, const NameEvent& event) {
  for (Path& path : paths_)
    if (path.watch == watch) path.rotations.see(event);
}

// A name that is opened may have been given to another file since the last event; then there is another event by now.
void FileSources::open_fresh(Path& path) {
  for (int tries = kOpenTries; tries > 0; --tries) {
    const auto fresh = path.rotations.fresh();
    if (fresh.empty()) return;
    const auto file = open_log_file(root_, directory_of(path.path) + "/" + fresh.front().name);
    if (read_events()) {
      const auto now = path.rotations.fresh();
      if (now.empty() || now.front().number != fresh.front().number || now.front().name != fresh.front().name)
        continue;
    }
    path.rotations.take(fresh.front().number);
    if (file) (void)follow(path, *file, false);
  }
}

void FileSources::look_at(Path& path) {
  const auto file = open_log_file(root_, path.path);
  path.found = file.has_value();
  if (!file || !path.rotations.fresh().empty()) return;
  if (!path.generations.empty() && path.generations.back().identity == file->identity) return;
  path.found = follow(path, *file, !path.known).has_value();
}

Status FileSources::follow(Path& path, const OpenedFile& file, bool from_end) {
  for (const Generation& known : path.generations)
    if (known.identity == file.identity) return {};
  FTAP_TRY_ASSIGN(place, files_.own_file(file.fd->get()));
  FTAP_TRY_ASSIGN(stream, slots_.kernel().open({.device = place.device,
                                                .inode = place.inode,
                                                .kind = FTAP_KIND_FILE,
                                                .cgroup = 0,
                                                .pid = 0,
                                                .fds = FTAP_STDOUT | FTAP_STDERR}));
  flow::FileStream::Start start{.stream = stream, .tapped_from = file.size};
  if (from_end) start.position = file.size;
  if (const auto known = before(journal_, path.flow, place, file.identity.born)) {
    start.position = known->position();
    if (known->stream == stream) {
      start.offset = known->passed;
      start.step = known->notes.place.step;
    }
  } else if (const auto taken = journal_.stream(stream)) {
    start.offset = taken->sums.passed;  // somebody's output was captured there: it goes on as this file
  }
  if (!path.generations.empty()) path.generations.back().changed = Clock::now();
  path.generations.push_back({file.identity, file.fd, stream, Clock::now(), file.size});
  streams_.add(
      {start, path.flow,
       std::make_unique<FollowedFile>(file.fd, path.path, file.identity.born, place.device, place.inode)});
  return {};
}

// Files of this path that an earlier service followed and that were moved away since.
void FileSources::resume(Path& path) {
  const auto slots = slots_.sweep();
  std::vector<flow::StreamView> streams = journal_.streams();
  std::ranges::sort(streams, {}, &flow::StreamView::number);
  const auto current = open_log_file(root_, path.path);
  for (const flow::StreamView& stream : streams) {
    const bool open = std::ranges::any_of(
        slots, [&](const flow::StreamSlot& slot) { return slot.stream == stream.number && !slot.ended; });
    if (!open || !stream.name || stream.name->flow != path.flow) continue;
    const auto notes = notes_of(stream);
    if (!notes) continue;
    if (current && current->identity.inode == stream.name->inode && current->identity.born == notes->born)
      continue;  // look_at() follows it
    if (const auto moved = find_moved(path, stream.name->inode, notes->born))
      (void)follow(path, *moved, false);
  }
}

std::optional<OpenedFile> FileSources::find_moved(const Path& path, std::uint64_t inode,
                                                  std::int64_t born) const {
  const std::string directory = directory_of(path.path);
  const auto names = root_.list(directory, kMostNames);
  if (!names) return std::nullopt;
  for (const std::string& name : *names) {
    struct stat status{};
    const std::string path_of = identity::joined({directory, name});
    const auto there = root_.open_below(path_of, O_PATH | O_NOFOLLOW);
    if (!there || ::fstat(there->get(), &status) != 0 || status.st_ino != inode) continue;
    auto file = open_log_file(root_, path_of);
    if (file && file->identity.born == born) return std::move(*file);
  }
  return std::nullopt;
}

// What an earlier service followed and this one cannot: what the tap still has of it is all there is.
void FileSources::end_unlisted() {
  for (const flow::StreamSlot& slot : slots_.sweep()) {
    const auto stream = journal_.stream(slot.stream);
    const auto notes = stream && !stream->sums.ended ? notes_of(*stream) : std::nullopt;
    if (!notes) continue;
    const bool followed = std::ranges::any_of(paths_, [&slot](const Path& path) {
      return std::ranges::find(path.generations, slot.stream, &Generation::stream) != path.generations.end();
    });
    if (followed) continue;
    const Before known{slot.stream, stream->sums.passed, *notes};
    streams_.add(
        {{.stream = slot.stream,
          .offset = known.passed,
          .position = known.position(),
          .step = notes->place.step},
         stream->name->flow,
         std::make_unique<FollowedFile>(nullptr, notes->path, notes->born, slot.device, slot.inode)});
    (void)slots_.end(slot);
  }
}

void FileSources::stop_following(const Path& path) {
  for (const flow::StreamSlot& slot : slots_.sweep())
    if (std::ranges::find(path.generations, slot.stream, &Generation::stream) != path.generations.end())
      (void)slots_.end(slot);
}

// Files that nobody writes to any more, and those whose streams have ended for another reason.
void FileSources::retire(Path& path, const std::vector<flow::StreamSlot>& slots) {
  const auto now = Clock::now();
  std::size_t more = path.generations.size() - std::min(path.generations.size(), kMostGenerations);
  std::erase_if(path.generations, [&](Generation& generation) {
    const auto slot = std::ranges::find(slots, generation.stream, &flow::StreamSlot::stream);
    if (slot == slots.end() || slot->ended) return true;
    struct stat status{};
    if (::fstat(generation.fd->get(), &status) != 0) return false;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size != std::exchange(generation.size, size)) generation.changed = now;
    const bool at_path = &generation == &path.generations.back() && status.st_nlink > 0;
    if (at_path) return false;
    const bool over = now - generation.changed > (status.st_nlink == 0 ? kRemoved : kStillWritten);
    if (!over && more == 0) return false;
    more -= more > 0 ? 1 : 0;
    (void)slots_.end(*slot);
    return true;
  });
}

std::vector<std::string> FileSources::not_found() const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> missing;
  for (const Path& path : paths_)
    if (!path.found) missing.push_back(path.path);
  return missing;
}

std::uint64_t FileSources::lost_files() const {
  const std::scoped_lock lock(mutex_);
  std::uint64_t lost = lost_before_;
  for (const Path& path : paths_) lost += path.rotations.lost();
  return lost;
}

}  // namespace flowtap
