#include "tools/bench/measure/collector.hpp"

#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <ctime>
#include <exception>
#include <fstream>
#include <string_view>
#include <thread>

#include "base/file.hpp"

namespace flowtap::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* kTracefs = "/sys/kernel/tracing";
constexpr auto kQuiet = 500ms;  // if no byte came for this long, it has written everything
constexpr auto kLook = 50ms;
constexpr auto kStart = 30s;
constexpr auto kEnd = 20s;
// See first_line().
constexpr std::string_view kLineStart = "line ";
constexpr std::string_view kLineZero = "line 0000000000 ";

// bpftrace reads its tracepoints there. Not every machine has it mounted, and a benchmark should not change that.
void mount_tracefs() {
  if (::access((std::string(kTracefs) + "/events").c_str(), F_OK) == 0) return;
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("tracefs", kTracefs, "tracefs", 0, nullptr) != 0)
    ::_exit(126);
}

test::Command command(const Collector::Program& program) {
  std::vector<std::string> argv{"/usr/bin/env"};
  argv.insert(argv.end(), program.argv.begin(), program.argv.end());
  return {.argv = argv,
          .env = program.env,
          .in = "/dev/null",
          .out = program.file + ".out",
          .err = program.file + ".err",
          .before_exec = mount_tracefs};
}

std::uint64_t size_of(const std::string& file) {
  struct stat st{};
  return ::stat(file.c_str(), &st) == 0 ? static_cast<std::uint64_t>(st.st_size) : 0;
}

}  // namespace

Collector::Collector(const Program& program) : file_(program.file), process_(command(program)) {}

Result<std::unique_ptr<Collector>> Collector::start(const Program& program, LinePipe& lines) {
  try {
    std::unique_ptr<Collector> self(new Collector(program));
    const auto end = std::chrono::steady_clock::now() + kStart;
    while (std::chrono::steady_clock::now() < end && self->process_.running()) {
      FTAP_TRY(lines.pass({.times = 1, .per_second = 0}));
      std::this_thread::sleep_for(kLook);
      if (self->has_begun()) return self;
    }
  } catch (const std::exception& e) {
    return fail("cannot run " + program.name + ": " + e.what());
  }
  const auto said = read_file(program.file + ".err");
  return fail(program.name + " shows no line: " + (said ? *said : "it says nothing"),
              "tools/setup proof installs it");
}

// It must not be killed, because strace would then leave its process stopped.
Collector::~Collector() {
  process_.signal(SIGINT);
  (void)process_.wait(kEnd);
}

bool Collector::has_begun() const {
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);)
    if (line.find(kLineZero) != std::string::npos) return true;
  return false;
}

Status Collector::settle() const {
  const auto end = std::chrono::steady_clock::now() + kEnd;
  std::uint64_t size = size_of(file_);
  for (auto since = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - since < kQuiet;) {
    if (std::chrono::steady_clock::now() > end) return fail(file_ + " does not come to an end");
    std::this_thread::sleep_for(kLook);
    if (const std::uint64_t now = size_of(file_); now != size) {
      size = now;
      since = std::chrono::steady_clock::now();
    }
  }
  return {};
}

Result<std::uint64_t> Collector::end() {
  process_.signal(SIGINT);
  if (!process_.wait(kEnd)) return fail("a collector does not end");
  std::uint64_t lines = 0;
  std::ifstream in(file_);
  for (std::string line; std::getline(in, line);)
    if (line.find(kLineStart) != std::string::npos && line.find(kLineZero) == std::string::npos) ++lines;
  return lines;
}

double Collector::cpu_ns() const {
  clockid_t clock{};
  timespec t{};
  if (::clock_getcpuclockid(process_.pid(), &clock) != 0 || ::clock_gettime(clock, &t) != 0) return 0;
  return static_cast<double>(t.tv_sec) * 1e9 + static_cast<double>(t.tv_nsec);
}

}  // namespace flowtap::bench
