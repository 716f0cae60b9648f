// Units of systemd and processes by configuration. A unit is a cgroup with its name below a slice, and a process that comes into
// it from outside. Its outputs are a connected socket, as systemd and journald wire it.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <set>
#include <stdexcept>
#include <thread>

#include "base/fd.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {

// What journald has: a connected stream socket, which is read at its other end.
class Journal {
 public:
  Journal() {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      throw std::runtime_error("no socket");
    unit_ = Fd(ends[0]);
    own_ = Fd(ends[1]);
    reader_ = std::thread([this] {
      std::array<char, 65536> chunk{};
      for (ssize_t n = 0; (n = ::read(own_.get(), chunk.data(), chunk.size())) > 0;)
        text_.append(chunk.data(), static_cast<std::size_t>(n));
    });
  }
  ~Journal() { (void)end(); }
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  [[nodiscard]] int unit() const { return unit_.get(); }
  // Returns all that was written, once nobody can write any more.
  std::string end() {
    unit_.reset();
    if (reader_.joinable()) reader_.join();
    return text_;
  }

 private:
  Fd unit_;
  Fd own_;
  std::string text_;
  std::thread reader_;
};

class Listed : public testing::Test {
 protected:
  Listed() {
    std::filesystem::create_directory(root_.file("bin"));
    std::filesystem::copy_file(paths::log_writer(), root_.file("bin/sched"));
    std::filesystem::copy_file("/bin/bash", root_.file("bin/itself"));
  }

  Daemon& start(const std::string& sources, const std::string& program = {}) {
    daemon_.reset();
    DaemonOptions options = kCapturing;
    options.sources = sources;
    options.program = program;
    daemon_ = std::make_unique<Daemon>(root_, options);
    return daemon_->wait_ready();
  }
  Daemon& start_with_unit() { return start("units: [" + unit_ + "]"); }

  std::unique_ptr<Process> run(std::vector<std::string> argv, int out, const ScratchCgroup* cgroup = nullptr,
                               int namespaces = 0) {
    return std::make_unique<Process>(Command{.argv = std::move(argv),
                                             .out = "/dev/null",
                                             .err = "/dev/null",
                                             .before_exec = [out, cgroup, namespaces] {
                                               if (cgroup != nullptr) cgroup->join();
                                               if (namespaces != 0 && ::unshare(namespaces) != 0)
                                                 ::_exit(126);
                                               if (::dup2(out, 1) < 0 || ::dup2(out, 2) < 0) ::_exit(124);
                                             }});
  }
  // Lives a unit's life, and returns what journald has of it.
  std::string live(const std::string& script, const ScratchCgroup& cgroup, int namespaces = 0) {
    Journal journal;
    EXPECT_EQ(run({"/bin/sh", "-c", script}, journal.unit(), &cgroup, namespaces)->wait(), 0);
    return journal.end();
  }
  [[nodiscard]] std::string lines(unsigned first, unsigned count, const std::string& how = "write") const {
    return root_.file("bin/sched") + " " + how + " " + std::to_string(first) + " " + std::to_string(count);
  }

  [[nodiscard]] std::vector<FlowSeen> flows(const std::string& kind) const {
    return flows_of(*daemon_, "?kind=" + kind);
  }
  // There may be others: the machine may have containers of somebody else.
  [[nodiscard]] std::size_t listed() const { return flows("unit").size() + flows("proc").size(); }
  // Expects one flow of this kind, once it has all these bytes.
  void expect_flow(const std::string& kind, const std::string& text, const std::string& id = {}) {
    const auto find = [&]() -> std::optional<FlowSeen> {
      for (const FlowSeen& flow : flows(kind))
        if (flow.id.find(id) != std::string::npos) return flow;
      return std::nullopt;
    };
    EXPECT_TRUE(eventually([&] {
      const auto flow = find();
      return flow && flow->bytes >= text.size();
    }));
    const auto flow = find();
    ASSERT_TRUE(flow) << daemon_->err();
    EXPECT_EQ(difference(raw_bytes(*daemon_, flow->id), text), "");
    EXPECT_EQ(flow->missing, 0U);
  }
  // Opens it as `>> log` does.
  [[nodiscard]] Fd open_log() const {
    return Fd(::open(root_.file("log").c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, 0600));
  }
  // What each listed process has written.
  [[nodiscard]] std::multiset<std::string> texts() const {
    std::multiset<std::string> all;
    for (const FlowSeen& flow : flows("proc")) all.insert(raw_bytes(*daemon_, flow.id));
    return all;
  }
  [[nodiscard]] std::size_t open_flows() const {
    return static_cast<std::size_t>(std::ranges::count_if(flows("proc"), &FlowSeen::open));
  }
  void list(const std::string& sources) {
    root_.write("flowtap.yaml", "stream: {bpffs: " + root_.file("bpffs") + ", " + sources + "}\n");
    daemon_->signal(SIGHUP);
    EXPECT_TRUE(
        eventually([this] { return daemon_->err().find("configuration reloaded") != std::string::npos; }));
  }
  // Waits until the test's own program has made room for this one.
  [[nodiscard]] static bool becomes(const Process& process, const std::string& program) {
    return eventually([&] {
      std::error_code error;
      return std::filesystem::read_symlink("/proc/" + std::to_string(process.pid()) + "/exe", error) ==
             std::filesystem::canonical(program);
    });
  }
  // Waits long enough for what might be captured by mistake.
  void settle() const { (void)daemon_->settled_stats(); }

  ScratchRoot root_;
  std::string slice_ = "ftap" + std::to_string(::getpid()) + ".slice";
  std::string unit_ = "ftap" + std::to_string(::getpid()) + ".service";
  std::unique_ptr<Daemon> daemon_;
};

}  // namespace flowtap::test
