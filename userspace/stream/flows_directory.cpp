#include "stream/flows_directory.hpp"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>

#include <cerrno>

#include "component/log_error.hpp"
#include "stream/flows_mount.hpp"
#include "stream/flows_strangers.hpp"
#include "stream/journal/journal_segments.hpp"

namespace flowtap {
namespace {

constexpr int kMostUnseen = 3;  // in a row

}  // namespace

Result<FlowsDirectory> FlowsDirectory::open(const std::string& state_dir, const LineOptions& limits,
                                            const Result<std::shared_ptr<MountKeeper>>& keeper,
                                            std::vector<std::string>& warnings) {
  FlowsDirectory directory;
  FTAP_TRY_ASSIGN(mounted,
                  mount_flows(state_dir, {.bytes = limits.flows_bytes, .flows = limits.flows.max_flows}));
  if (!mounted.warning.empty()) warnings.push_back(mounted.warning);
  directory.path_ = mounted.path;
  directory.place_ = mounted.path;
  if (mounted.capped) directory.hold(keeper);
  const FlowsSince since = flows_since(directory.place_, std::chrono::system_clock::now());
  if (since.is_new)
    spdlog::info(
        "stream: {} is new, so nothing that was captured earlier is left, as after a reboot; logs begin with "
        "what the containers' runtimes have kept",
        mounted.path);
  directory.since_ = since.time;
  FTAP_TRY_ASSIGN(journal,
                  flow::Journal::open({.dir = directory.place_ + "/" + kJournalDirectory,
                                       .max_bytes = limits.journal_bytes,
                                       .segment_bytes = journal_segment_bytes(limits.journal_bytes)}));
  directory.journal_ = std::move(journal);
  for (const std::string& said : directory.journal_->replayed().said)
    warnings.push_back(directory.shown(said));
  return directory;
}

// Paths through the descriptor lead to the tmpfs even while it is unmounted, so that nothing is lost in between.
void FlowsDirectory::hold(const Result<std::shared_ptr<MountKeeper>>& keeper) {
  struct stat there{};
  root_ = Fd(::open(path_.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!root_.valid() || ::fstat(root_.get(), &there) != 0) return root_.reset();
  device_ = there.st_dev;
  place_ = "/proc/self/fd/" + std::to_string(root_.get());
  Status held = keeper ? Status() : std::unexpected(keeper.error());
  if (held && *keeper) held = (*keeper)->hold(device_);
  if (!held)
    no_keeper_ = std::move(held).error().in(path_ + " was unmounted, and flowtapd cannot mount it again");
  else
    keeper_ = *keeper;
}

std::string FlowsDirectory::shown(std::string sentence) const {
  for (std::size_t at = 0; place_ != path_ && (at = sentence.find(place_, at)) != std::string::npos;)
    sentence.replace(at, place_.size(), path_);
  return sentence;
}

void FlowsDirectory::look_around() {
  keep_mounted();
  keep_since();
  look_for_strangers();
}

void FlowsDirectory::look_for_strangers() {
  room_ = check_strangers(place_, path_);
  if (room_log_.is_news(room_, TroubleLog::Clock::now())) log_error(Error(room_.error()).in("stream"));
}

bool FlowsDirectory::is_there() const {
  struct stat there{};
  return ::stat(path_.c_str(), &there) == 0 && (!root_.valid() || there.st_dev == device_);
}

// What is mounted and not seen may have been unmounted again at once. If it is not seen several times, it is not tried again:
// another mount would lie upon the last one each second.
Status FlowsDirectory::mount_again() {
  if (!keeper_) return std::unexpected(no_keeper_);
  Status back = keeper_->put_back(device_);
  if (back && is_there()) {
    unseen_ = 0;
    return back;
  }
  const bool is_lost = back ? ++unseen_ >= kMostUnseen : !keeper_->is_usable();
  if (back)
    back = fail(path_ + " was mounted again and is not seen there",
                is_lost ? "restart flowtapd, which mounts it anew"
                        : "find out who unmounts it; it is mounted again in the next cycle");
  if (!is_lost) return back;
  no_keeper_ = back.error();
  keeper_.reset();
  return back;
}

void FlowsDirectory::keep_mounted() {
  const bool was_there = is_there();
  if (was_there && found_) return;
  Status back = was_there ? Status() : make_flows_dir(path_);
  if (back && !was_there && root_.valid()) back = mount_again();
  if (back)
    log_warning("stream: " + path_ +
                (root_.valid() ? " was unmounted; it is mounted again, with all that is in it"
                               : " was removed; it is made again"));
  else if (found_ || found_.error().what != back.error().what)
    log_error(Error(back.error()).in("stream: the next start will not find what was captured"));
  found_ = std::move(back);
}

// Somebody has removed all that was in it. What is still open, or comes from now on, is kept.
void FlowsDirectory::keep_since() {
  struct stat there{};
  if (::lstat((place_ + "/" + kSinceFile).c_str(), &there) == 0 || errno != ENOENT) return;
  const FlowsSince since = flows_since(place_, std::chrono::system_clock::now());
  if (!since.is_new) return;
  since_ = since.time;
  log_warning("stream: " + path_ +
              " was emptied: what was captured before may be gone; logs begin with what the containers' "
              "runtimes have kept");
}

void FlowsDirectory::report(api::StreamStatusReport& report) const {
  const flow::JournalStats journal = journal_->stats();
  std::uint64_t write_errors = 0;
  for (const std::uint64_t failures : journal.failures) write_errors += failures;
  report.journal = api::JournalStatus{.bytes = journal.held_bytes,
                                      .limit = journal_->max_bytes(),
                                      .segments = journal.segments,
                                      .write_errors = write_errors,
                                      .torn = journal_->replayed().torn_bytes};
  report.flows_since = since_;
}

void FlowsDirectory::append_samples(std::vector<stats::Series>& out) const {
  using stats::StatId;
  const flow::JournalStats journal = journal_->stats();
  const auto one = [&out](StatId id, stats::Labels labels, stats::Value value) {
    out.push_back({&stats::stat(id), std::move(labels), std::move(value)});
  };
  one(StatId::kJOURNAL_BYTES, {}, static_cast<double>(journal.held_bytes));
  one(StatId::kJOURNAL_EVICTED, {}, journal.evicted_bytes);
  for (std::size_t i = 0; i < journal.failures.size(); ++i)
    one(StatId::kJOURNAL_ERRORS, {std::string(flow::to_string(static_cast<flow::JournalFailure>(i)))},
        journal.failures.at(i));
}

}  // namespace flowtap
