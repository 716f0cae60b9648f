#include "stream/sources/files/file_sources.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>

#include "identity/flow_id.hpp"
#include "stream/sources/files/followed_before.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;

// A look finds what no event tells: directories that come, links that were bent, files that were lost sight of.
constexpr auto kLook = 1000ms;
// Files are listed anew within milliseconds; only a thread that hangs takes longer.
constexpr auto kListed = 2s;
constexpr int kOpenTries = 16;

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

constexpr const char* kUnwatched =
    "files that are rotated away between two looks may be missed, because root has no more inotify "
    "watches (raise the sysctl fs.inotify.max_user_watches)";

// The descriptors or the memory that it takes may be free again later.
bool has_run_out(const Error& error) {
  return error.code == EMFILE || error.code == ENFILE || error.code == ENOMEM;
}

}  // namespace

Result<std::unique_ptr<FileSources>> FileSources::open(const std::string& host_root,
                                                       const kernel::OpenFiles& files, StreamSlots& slots,
                                                       const flow::Journal& journal,
                                                       flow::FileStreams& streams) {
  FTAP_TRY_ASSIGN(walk, PathWalk::open(host_root));
  FTAP_TRY_ASSIGN(watches, DirectoryWatches::open());
  FTAP_TRY_ASSIGN(wake, EventFd::create());
  return std::unique_ptr<FileSources>(new FileSources({files, slots, journal, streams}, std::move(walk),
                                                      std::move(watches), std::move(wake)));
}

FileSources::~FileSources() {
  ask_to_stop();
  if (thread_.joinable()) thread_.join();
}

void FileSources::ask_to_stop() {
  {
    const std::scoped_lock lock(told_mutex_);
    stopping_ = true;
  }
  wake_.tell();
}

bool FileSources::stop(std::chrono::milliseconds limit) {
  if (!thread_.joinable()) return true;
  ask_to_stop();
  std::unique_lock lock(told_mutex_);
  return end_.wait_for(lock, limit, [this] { return ended_; });
}

void FileSources::start() {
  thread_ = std::thread([this] { run(); });
}

void FileSources::set(const std::vector<std::string>& paths) {
  if (!thread_.joinable()) return list(paths);
  std::unique_lock lock(told_mutex_);
  wanted_ = paths;
  wake_.tell();
  (void)listed_.wait_for(lock, kListed, [this] { return !wanted_; });
}

void FileSources::list(const std::vector<std::string>& paths) {
  std::erase_if(paths_, [&](Path& path) {
    if (std::ranges::find(paths, path.path) != paths.end()) return false;
    path.generations.end();
    lost_before_ += path.rotations.lost();
    return true;
  });
  for (const std::string& name : paths) {
    if (std::ranges::find(paths_, name, &Path::path) != paths_.end()) continue;
    Path& path = paths_.emplace_back(kit_, name, identity::file_flow_id(name));
    path.known = is_known(kit_.journal, path.flow);
    watch(path);
    if (first_) resume(path);
    look_at(path);
    path.known = true;
  }
  if (first_) end_unlisted();
  first_ = false;
  drop_old_watches();
  tell();
}

void FileSources::run() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-files");
  follow_all();
  const std::scoped_lock lock(told_mutex_);
  ended_ = true;
  end_.notify_all();
}

void FileSources::follow_all() {
  auto next = Clock::now() + kLook;
  while (true) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(next - Clock::now());
    std::array<pollfd, 2> fds{{{watches_.fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    (void)::poll(fds.data(), fds.size(), static_cast<int>(std::max(left, 0ms).count()));
    try {
      if (!take_wanted()) return;
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

// False: the thread is to end.
bool FileSources::take_wanted() {
  wake_.take();
  std::unique_lock lock(told_mutex_);
  if (stopping_) return false;
  if (!wanted_) return true;
  const std::vector<std::string> paths = *wanted_;
  lock.unlock();
  list(paths);
  lock.lock();
  if (wanted_ == paths) wanted_.reset();
  listed_.notify_all();
  return true;
}

void FileSources::tell() {
  Told told;
  told.lost_files = lost_before_;
  for (const Path& path : paths_) {
    told.lost_files += path.rotations.lost();
    if (!path.missing && path.has_no_watch_left) told.refused.push_back({path.path, kUnwatched});
    if (!path.missing) continue;
    if (is_nothing_there(*path.missing))
      told.not_found.push_back(path.path);
    else
      told.refused.push_back({path.path, path.missing->what});
  }
  const std::scoped_lock lock(told_mutex_);
  told_ = std::move(told);
}

FileSources::Told FileSources::told() const {
  const std::scoped_lock lock(told_mutex_);
  return told_;
}

void FileSources::look() {
  const auto slots = kit_.slots.sweep();
  for (Path& path : paths_) {
    path.generations.retire(slots);
    watch(path);
    open_fresh(path);
    look_at(path);
  }
  drop_old_watches();
  tell();
}

void FileSources::watch(Path& path) {
  const auto watch = watches_.watch(walk_, directory_of(path.path));
  path.watch = watch.value_or(DirectoryWatches::kNone);
  path.has_no_watch_left = !watch && watch.error().code == ENOSPC;
}

void FileSources::drop_old_watches() {
  std::set<int> used;
  for (const Path& path : paths_) used.insert(path.watch);
  watches_.keep_only(used);
}

bool FileSources::read_events() {
  return watches_.read({.event =
                            [this](int watch, const NameEvent& event) {
                              for (Path& path : paths_)
                                if (path.watch == watch) path.rotations.see(event);
                            },
                        .lost =
                            [this] {
                              for (Path& path : paths_) path.rotations.forget_all();
                            }});
}

// The name that is opened may have been given to another file since the last event. There is another event by now if it was.
void FileSources::open_fresh(Path& path) {
  for (int tries = kOpenTries; tries > 0 && path.generations.has_room(); --tries) {
    const auto fresh = path.rotations.fresh();
    if (fresh.empty()) return;
    const auto file = open_log_file(walk_, directory_of(path.path) + "/" + fresh.front().name);
    if (read_events()) {
      const auto now = path.rotations.fresh();
      if (now.empty() || now.front().number != fresh.front().number || now.front().name != fresh.front().name)
        continue;
    }
    // What is needed to follow it may be there at the next look.
    if (file ? !path.generations.follow(*file, false) : has_run_out(file.error())) return;
    path.rotations.take(fresh.front().number);
  }
}

void FileSources::look_at(Path& path) {
  const auto file = open_log_file(walk_, path.path);
  path.missing = file ? std::nullopt : std::optional(file.error());
  // Other files may have stood there since open_fresh(). They come first.
  read_events();
  if (!file || !path.rotations.fresh().empty() || path.generations.is_latest(file->identity)) return;
  if (const Status followed = path.generations.follow(*file, !path.known); !followed)
    path.missing = followed.error();
}

// Follows the files of this path that an earlier service followed and that were moved away since.
void FileSources::resume(Path& path) {
  const auto before = still_tapped(kit_.journal, path.flow, kit_.slots.sweep());
  if (before.empty()) return;
  const auto current = open_log_file(walk_, path.path);
  const std::string directory = directory_of(path.path);
  const auto names = names_by_inode(walk_, directory);
  for (const FollowedBefore& known : before) {
    if (current && current->identity.inode == known.inode && current->identity.born == known.notes.born)
      continue;  // look_at() follows it
    const auto name = names.find(known.inode);
    if (name == names.end()) continue;
    const auto moved = open_log_file(walk_, directory + "/" + name->second);
    if (moved && moved->identity.inode == known.inode && moved->identity.born == known.notes.born)
      (void)path.generations.follow(*moved, false);
  }
}

// Ends the files that an earlier service followed and this one cannot. What the tap still has of them is all there is.
void FileSources::end_unlisted() {
  for (const flow::StreamSlot& slot : kit_.slots.sweep()) {
    const auto stream = kit_.journal.stream(slot.stream);
    const auto known = stream && !stream->sums.ended ? followed_before(*stream) : std::nullopt;
    if (!known) continue;
    const bool followed = std::ranges::any_of(
        paths_, [&slot](const Path& path) { return path.generations.follows(slot.stream); });
    if (followed) continue;
    kit_.streams.add({{.stream = slot.stream,
                       .offset = known->passed,
                       .position = known->position(),
                       .step = known->notes.place.step},
                      stream->name->flow,
                      std::make_unique<FollowedFile>(nullptr, known->notes.path, known->notes.born,
                                                     slot.device, slot.inode)});
    (void)kit_.slots.end(slot);
  }
}

}  // namespace flowtap
