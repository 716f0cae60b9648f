#include "kernel/log/open_files.hpp"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "base/fd.hpp"
#include "base/node/kernel_release.hpp"
#include "bpf/abi/open_file.h"
#include "kernel/libbpf_messages.hpp"
#include "kernel/requirements.hpp"
#include "open_files.skel.h"

namespace flowtap::kernel {
namespace {

using Link = std::unique_ptr<bpf_link, int (*)(bpf_link*)>;

OpenFile open_file(const ftap_open_file& row) {
  const bool known = row.kind <= FTAP_KIND_OTHER;
  OpenFile file{.inode = row.ino,
                .device = row.dev,
                .pid = row.pid,
                .fd = row.fd,
                .kind = known ? static_cast<ftap_log_kind>(row.kind) : FTAP_KIND_OTHER,
                .readable = (row.mode & FTAP_MAY_READ) != 0,
                .writable = (row.mode & FTAP_MAY_WRITE) != 0,
                .cgroup = row.cgroup,
                .parent_cgroup = row.parent_cgroup,
                .start_time = row.start_time,
                .enters_container = row.entered != 0,
                .mounts = row.mounts,
                .file_system = row.magic,
                .exe_device = row.exe_dev,
                .exe_inode = row.exe_ino,
                .runs_as_parent = row.as_parent != 0,
                .readers = row.readers,
                .waiting = row.waiting};
  std::ranges::copy(row.above, file.cgroups_above.begin());
  return file;
}

// A read returns as many whole rows as fit, but a reader of a stream must not rely on where it is cut.
Result<std::vector<OpenFile>> read_rows(const Fd& rows) {
  std::vector<OpenFile> all;
  std::array<std::byte, 64 * sizeof(ftap_open_file)> buffer{};
  std::size_t have = 0;
  while (true) {
    const ssize_t n = ::read(rows.get(), buffer.data() + have, buffer.size() - have);
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) return fail_errno(errno, "cannot list the open files");
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
    std::size_t used = 0;
    for (; have - used >= sizeof(ftap_open_file); used += sizeof(ftap_open_file)) {
      ftap_open_file row;
      std::memcpy(&row, buffer.data() + used, sizeof(row));
      all.push_back(open_file(row));
    }
    std::memmove(buffer.data(), buffer.data() + used, have - used);
    have -= used;
  }
  if (have != 0) return fail("the list of open files ends in the middle of a row");
  return all;
}

// Before 6.7 the kernel's walk over one process skips the second thread, which has the descriptors where the first
// thread has ended. Its walk over all processes does not.
bool passes_by_threads() {
  const std::string release = kernel_release();
  const char* const last = release.data() + release.size();
  unsigned major = 0;
  unsigned minor = 0;
  const auto [dot, error] = std::from_chars(release.data(), last, major);
  if (error != std::errc() || dot == last) return false;
  return std::from_chars(dot + 1, last, minor).ec == std::errc() &&
         std::pair(major, minor) < std::pair(6U, 7U);
}

}  // namespace

void OpenFilesDeleter::operator()(open_files_bpf* skeleton) const noexcept {
  open_files_bpf::destroy(skeleton);
}

Result<OpenFiles> OpenFiles::load() {
  FTAP_TRY(check_bpf_requirements());
  const LibbpfMessages messages;
  Skeleton skeleton(open_files_bpf::open());
  if (skeleton) skeleton->rodata->ftap_asker = static_cast<std::uint32_t>(::getpid());
  if (!skeleton || open_files_bpf::load(skeleton.get()) != 0)
    return std::unexpected(bpf_refusal("load the iterator of open files", errno, LibbpfMessages::refusal()));
  return OpenFiles(std::move(skeleton));
}

Result<std::vector<OpenFile>> OpenFiles::list(std::optional<pid_t> only) const {
  FTAP_TRY_ASSIGN(files, walk(only));
  if (!only || !files.empty() || !passes_by_threads()) return files;
  FTAP_TRY_ASSIGN(all, walk(std::nullopt));
  std::erase_if(all, [&](const OpenFile& file) { return file.pid != static_cast<std::uint32_t>(*only); });
  return all;
}

Result<std::vector<OpenFile>> OpenFiles::walk(std::optional<pid_t> only) const {
  const LibbpfMessages messages;
  bpf_iter_link_info one{};
  bpf_iter_attach_opts options{};  // by hand: LIBBPF_OPTS is no C++ for clang
  options.sz = sizeof(options);
  if (only) {
    one.task.pid = static_cast<__u32>(*only);
    options.link_info = &one;
    options.link_info_len = sizeof(one);
  }
  const Link link(bpf_program__attach_iter(skeleton_->progs.ftap_files_iter, &options), bpf_link__destroy);
  if (!link) {
    if (errno == ESRCH) return fail_errno(ESRCH, "there is no process " + std::to_string(*only));
    return std::unexpected(
        bpf_refusal("attach the iterator of open files", errno, LibbpfMessages::refusal()));
  }
  const Fd rows(bpf_iter_create(bpf_link__fd(link.get())));
  if (!rows.valid()) return std::unexpected(bpf_refusal("start the iterator of open files", errno, ""));
  return read_rows(rows);
}

Result<OpenFile> OpenFiles::own_file(int fd) const {
  FTAP_TRY_ASSIGN(files, list(::getpid()));
  for (const OpenFile& file : files)
    if (file.fd == static_cast<std::uint32_t>(fd) && file.kind == FTAP_KIND_FILE) return file;
  return fail("the kernel does not list our descriptor " + std::to_string(fd));
}

}  // namespace flowtap::kernel
