#include "tools/bench/measure/bpftrace.hpp"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <vector>

#include "base/file.hpp"

namespace flowtap::bench {
namespace {

constexpr std::string_view kKey = "prog_id:\t";
constexpr int kStepUs = 20'000;
constexpr int kSteps = 500;  // ten seconds

// The ids of the BPF programs that a process holds, from its fdinfo files.
std::vector<unsigned> programs_of(pid_t pid) {
  std::vector<unsigned> ids;
  std::error_code gone;
  for (const auto& entry :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/fdinfo", gone)) {
    const auto text = read_file(entry.path());
    const auto at = text ? text->find(kKey) : std::string::npos;
    if (at == std::string::npos) continue;
    unsigned id = 0;
    std::from_chars(text->data() + at + kKey.size(), text->data() + text->size(), id);
    ids.push_back(id);
  }
  return ids;
}

// bpftrace first loads programs to find out what the kernel can do. The real program has the tracepoint's name.
Fd find_program(pid_t pid) {
  for (const unsigned id : programs_of(pid)) {
    Fd fd(bpf_prog_get_fd_by_id(id));
    bpf_prog_info info{};
    __u32 size = sizeof(info);
    if (fd.valid() && bpf_obj_get_info_by_fd(fd.get(), &info, &size) == 0 &&
        std::string_view(info.name) == "sched_switch")
      return fd;
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Bpftrace>> Bpftrace::start(const std::string& body) {
  const std::string script = "tracepoint:sched:sched_switch " + body;
  const pid_t pid = ::fork();
  if (pid < 0) return fail_errno(errno, "cannot fork");
  if (pid == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int null = ::open("/dev/null", O_RDWR);
    if (null < 0) ::_exit(126);
    for (const int fd : {0, 1, 2}) ::dup2(null, fd);
    ::execlp("bpftrace", "bpftrace", "-e", script.c_str(), nullptr);
    ::_exit(127);
  }
  std::unique_ptr<Bpftrace> self(new Bpftrace(pid));
  for (int i = 0; i < kSteps && !self->program_.valid(); ++i) {
    ::usleep(kStepUs);
    self->program_ = find_program(pid);
  }
  if (!self->program_.valid())
    return fail("bpftrace did not load '" + script + "'",
                "tools/setup proof installs it; does it run by itself?");
  return self;
}

Bpftrace::~Bpftrace() {
  ::kill(pid_, SIGINT);
  for (int i = 0; i < kSteps; ++i) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) return;
    ::usleep(kStepUs);
  }
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

}  // namespace flowtap::bench
