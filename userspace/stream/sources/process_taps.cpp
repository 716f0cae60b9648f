#include "stream/sources/process_taps.hpp"

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "identity/flow_id.hpp"
#include "identity/proc_identity.hpp"
#include "stream/sources/no_outputs.hpp"

namespace flowtap {
namespace {

using kernel::OpenFile;

bool is_asked_for(std::uint32_t fd, api::Outputs outputs) {
  return outputs == api::Outputs::kBoth || (outputs == api::Outputs::kStdout) == (fd == 1);
}

// Descriptors 1 and 2. The second is absent if it is the same place.
std::array<const OpenFile*, 2> outputs_of(const std::vector<OpenFile>& files, std::uint32_t pid) {
  std::array<const OpenFile*, 2> found{};
  for (const OpenFile& f : files)
    if (f.pid == pid && (f.fd == 1 || f.fd == 2)) found.at(f.fd - 1) = &f;
  const auto [out, err] = found;
  if (out != nullptr && err != nullptr && out->device == err->device && out->inode == err->inode)
    found[1] = nullptr;
  return found;
}

}  // namespace

Result<std::vector<ProcessTaps::Held>> ProcessTaps::open_streams(std::uint32_t pid, api::Outputs outputs,
                                                                 std::string& own_flow) {
  FTAP_TRY_ASSIGN(files, files_.list(static_cast<pid_t>(pid)));
  if (files.empty()) return std::unexpected(why_no_outputs(pid));
  own_flow =
      identity::process_flow_id(static_cast<pid_t>(pid), identity::start_ticks(files.front().start_time));
  const auto found = outputs_of(files, pid);
  const bool one_place = found[0] != nullptr && found[1] == nullptr &&
                         std::ranges::any_of(files, [](const OpenFile& f) { return f.fd == 2; });
  const auto slots = slots_.sweep();
  std::vector<Held> held;
  for (const OpenFile* f : found) {
    if (f == nullptr || !f->can_be_tapped() || !is_asked_for(f->fd, outputs)) continue;
    if (f->kind == FTAP_KIND_FILE) FTAP_TRY(live_.check_file(*f));
    const std::uint32_t fds =
        one_place ? FTAP_STDOUT | FTAP_STDERR : (f->fd == 1 ? FTAP_STDOUT : FTAP_STDERR);
    const kernel::LogTarget target{
        .device = f->device, .inode = f->inode, .kind = f->kind, .cgroup = 0, .pid = pid, .fds = fds};
    const bool was_there = std::ranges::any_of(slots, [f](const flow::StreamSlot& slot) {
      return !slot.ended && slot.device == f->device && slot.inode == f->inode;
    });
    FTAP_TRY_ASSIGN(stream, slots_.kernel().open(target));
    held.push_back({stream, target, was_there});
  }
  if (held.empty() && one_place && found[0]->can_be_tapped())
    return std::unexpected(Error{
        fmt::format("process {} writes both its outputs to one place, which is followed as stdout", pid),
        "ask for stdout", ENOTSUP});
  if (held.empty())
    return std::unexpected(Error{fmt::format("process {} writes to nothing that can be captured", pid),
                                 "its standard output and error are closed, or lead to /dev/null or a device",
                                 ENOTSUP});
  return held;
}

Result<ProcessTaps::Tap> ProcessTaps::open(std::uint32_t pid, api::Outputs outputs) {
  const std::scoped_lock lock(mutex_);
  if (users_.size() >= kMost)
    return std::unexpected(
        Error{fmt::format("{} processes are tapped already", kMost), "end another tap first", EMFILE});
  Fd process(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
  if (!process.valid())
    return std::unexpected(
        Error{fmt::format("there is no process {}", pid), "give the pid of one that runs", ESRCH});
  std::string own_flow;
  FTAP_TRY_ASSIGN(held, open_streams(pid, outputs, own_flow));
  Tap tap;
  tap.process = std::move(process);
  for (const Held& h : held) tap.streams.push_back(h.stream);
  // What is captured anyhow keeps its name, and goes on when nobody taps it any more.
  std::erase_if(held, [this](const Held& h) { return h.was_there && !users_.contains(h.stream); });
  for (const Held& h : held) {
    if (users_[h.stream]++ > 0) continue;  // another tap of the same place has named it
    const bool both = h.target.fds == (FTAP_STDOUT | FTAP_STDERR);
    consumer_.name(h.stream, {.flow = own_flow,
                              .output = both ? "both" : (h.target.fds == FTAP_STDERR ? "stderr" : "stdout"),
                              .identity = "{}",
                              .inode = h.target.inode,
                              .device = h.target.device,
                              .kind = h.target.kind});
  }
  tap.release = [this, held = std::move(held)] { release(held); };
  return tap;
}

void ProcessTaps::release(const std::vector<Held>& held) {
  const std::scoped_lock lock(mutex_);
  for (const Held& h : held) {
    const auto user = users_.find(h.stream);
    if (user == users_.end() || --user->second > 0) continue;
    users_.erase(user);
    for (const flow::StreamSlot& slot : slots_.sweep())
      if (slot.stream == h.stream && !slot.ended) (void)slots_.end(slot);
    released_ = true;
  }
}

std::size_t ProcessTaps::count() const {
  const std::scoped_lock lock(mutex_);
  return users_.size();
}

}  // namespace flowtap
