#include "tests/support/containers/containers.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "tests/support/containers/runtime_programs.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

// kubelet does this before it asks for the container.
void make_pod_log(const ScratchRoot& root, const Containerd::Container& container) {
  const auto value = [&container](const char* key) {
    const auto at = container.annotations.find(std::string("io.kubernetes.cri.") + key);
    return at == container.annotations.end() ? std::string() : at->second;
  };
  if (value("container-name").empty()) return;
  const fs::path dir = fs::path(root.file(pod_log_directory(value("sandbox-namespace"), value("sandbox-name"),
                                                            value("sandbox-uid")))) /
                       value("container-name");
  fs::create_directories(dir);
  const std::string log = std::to_string(container.restart) + ".log";
  std::ofstream(dir / log) << "";
  const fs::path links = root.file("var/log/containers");
  fs::create_directories(links);
  const std::string name =
      value("sandbox-name") + "_" + value("sandbox-namespace") + "_" + value("container-name");
  fs::create_symlink("/" + fs::relative(dir / log, root.path()).string(),
                     links / (name + "-" + container.id + ".log"));
}

// ctr needs a terminal of its own for a container that has one. That terminal must not change the output once more.
std::vector<std::string> on_terminal(const std::vector<std::string>& argv) {
  std::string command = "stty -onlcr; ";
  for (const std::string& word : argv) command += "'" + word + "' ";
  return {"/usr/bin/script", "--quiet", "--return", "--command", command, "/dev/null"};
}

// Standard input gives nothing and does not end, as its end would be typed into the terminal.
void silent_input() {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0 || ::dup2(pipe[0], STDIN_FILENO) < 0) ::_exit(126);
}

std::string content_of(const std::string& file) {
  std::ostringstream text;
  if (const std::ifstream in(file); in) text << in.rdbuf();
  return text.str();
}

}  // namespace

Podman::Podman(const ScratchRoot& root) : root_(root), busybox_(root) {}

Podman::~Podman() {
  try {
    podman({"rm", "--all", "--force", "--time", "0"});
  } catch (const std::exception&) {
    return;  // the test has already reported the error
  }
}

std::string Podman::podman(const std::vector<std::string>& words) {
  std::vector<std::string> argv = {"/usr/bin/podman",
                                   "--root=" + root_.file("var/lib/containers/storage"),
                                   "--runroot=" + root_.file("run/containers/storage"),
                                   "--storage-driver=vfs",
                                   "--cgroup-manager=cgroupfs",
                                   "--runtime=" + fetched("runc", "runc"),
                                   "--events-backend=none",
                                   "--tmpdir=" + root_.file("run/libpod")};
  argv.insert(argv.end(), words.begin(), words.end());
  return run_words(root_, argv);
}

std::string Podman::start(const Container& container) {
  // podman's default limits need rights or controllers that a test machine may not have.
  std::vector<std::string> words = {"run",
                                    "--detach",
                                    "--network=none",
                                    "--pids-limit=-1",
                                    "--ulimit=nofile=1024:1024",
                                    "--ulimit=nproc=4096:4096",
                                    "--log-driver=k8s-file",
                                    "--name=" + container.name};
  words.insert(words.end(), container.flags.begin(), container.flags.end());
  words.insert(words.end(), {"--rootfs", busybox_.path()});
  words.insert(words.end(), container.command.begin(), container.command.end());
  std::string id = podman(words);
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}

int Podman::wait(const std::string& name) {
  return std::stoi(podman({"wait", name}));
}

int Podman::run(const Container& container) {
  start(container);
  return wait(container.name);
}

void Podman::kill(const std::string& name, const std::string& signal) {
  podman({"kill", "--signal=" + signal, name});
}

pid_t Podman::pid(const std::string& name) {
  return std::stoi(podman({"inspect", "--format={{.State.Pid}}", name}));
}

std::string Podman::userdata(const std::string& id, const std::string& name) const {
  return root_.file("var/lib/containers/storage/vfs-containers/" + id + "/userdata/" + name);
}

std::string Podman::log(const std::string& id) const {
  return content_of(log_file(id));
}

void Podman::reopen_log(const std::string& id) const {
  std::ofstream(userdata(id, "ctl")) << "2 0 0\n"
                                     << std::flush;  // "reopen", and two numbers that it does not need
  if (!eventually([&] { return fs::exists(log_file(id)); }))
    throw std::runtime_error("conmon makes no new log of " + id);
}

Containerd::Containerd(const ScratchRoot& root) : root_(root), busybox_(root) {
  root.write("containerd.toml", "version = 2\nroot = '" + root.file("var/lib/containerd") + "'\nstate = '" +
                                    root.file("run/containerd") +
                                    "'\ndisabled_plugins = ['io.containerd.grpc.v1.cri']\n"
                                    "[grpc]\n  address = '" +
                                    root.file("containerd.sock") + "'\n");
  serve();
}

void Containerd::serve() {
  const std::string socket = root_.file("containerd.sock");
  daemon_ = std::make_unique<Process>(
      Command{.argv = {fetched("containerd", "containerd"), "-c", root_.file("containerd.toml")},
              .env = {path_with_programs()},
              .out = root_.file("containerd.log"),
              .err = root_.file("containerd.log"),
              .before_exec = see_cgroup2});
  if (!eventually([&] { return fs::exists(socket) || !daemon_->running(); }) || !daemon_->running())
    throw std::runtime_error("containerd did not start:\n" + root_.read("containerd.log"));
}

void Containerd::restart() {
  daemon_->signal(SIGKILL);
  (void)daemon_->wait();
  fs::remove(root_.file("containerd.sock"));
  serve();
}

Containerd::~Containerd() {
  daemon_->signal(SIGTERM);
  (void)daemon_->wait();
}

std::unique_ptr<Process> Containerd::start(const Container& c) {
  make_pod_log(root_, c);
  const json::object spec = oci_config({.root = busybox_.path(),
                                        .command = c.command,
                                        .cgroup = c.cgroup_parent + "/" + c.id,
                                        .annotations = c.annotations,
                                        .hostname = c.id,
                                        .host_pid = c.host_pid,
                                        .pid_namespace_of = c.pid_namespace_of,
                                        .terminal = c.terminal,
                                        .limits = c.limits});
  const std::string config = root_.write(c.id + ".json", json::serialize(spec));
  std::vector<std::string> argv = ctr_words({"run", "--rm"});
  if (c.terminal) argv.emplace_back("--tty");
  if (c.no_output) argv.emplace_back("--null-io");
  argv.insert(argv.end(), {"--config=" + config, c.id});
  if (c.terminal) argv = on_terminal(argv);
  Command command{
      .argv = std::move(argv), .out = root_.file(c.id + ".out"), .err = root_.file(c.id + ".err")};
  if (c.terminal) command.before_exec = silent_input;
  return std::make_unique<Process>(command);
}

int Containerd::run(const Container& container) {
  return start(container)->wait().value_or(-1);
}

std::vector<std::string> Containerd::ctr_words(const std::vector<std::string>& words) const {
  std::vector<std::string> argv = {fetched("containerd", "ctr"), "--address=" + root_.file("containerd.sock"),
                                   "--namespace=k8s.io"};
  argv.insert(argv.end(), words.begin(), words.end());
  return argv;
}

std::string Containerd::ctr(const std::vector<std::string>& words) {
  return run_words(root_, ctr_words(words));
}

std::unique_ptr<Process> Containerd::attach(const std::string& id) {
  std::unique_ptr<Process> attached;
  // A containerd that has just started answers before it has found its containers again, and then ctr gives up.
  const bool stays = eventually([&] {
    attached = std::make_unique<Process>(Command{.argv = ctr_words({"task", "attach", id}),
                                                 .out = root_.file(id + ".out"),
                                                 .err = root_.file(id + ".err")});
    const auto has_fifo = [&attached] {
      std::error_code none;
      for (const auto& fd : fs::directory_iterator("/proc/" + std::to_string(attached->pid()) + "/fd", none))
        if (fs::read_symlink(fd.path(), none).string().contains("/fifo/")) return true;
      return false;
    };
    std::optional<int> left;
    while (!has_fifo() && !(left = attached->wait(std::chrono::milliseconds(50)))) continue;
    return !left && !attached->wait(std::chrono::milliseconds(100));
  });
  if (!stays) throw std::runtime_error("nobody takes the output of " + id + ": " + root_.read(id + ".err"));
  return attached;
}

void Containerd::kill(const std::string& id, const std::string& signal) {
  ctr({"task", "kill", "--signal=" + signal, id});
}

void Containerd::remove(const std::string& id) {
  ctr({"task", "delete", id});
}

std::string Containerd::exec(const std::string& id, const std::vector<std::string>& command) {
  std::vector<std::string> words = {"task", "exec", "--exec-id=probe", id};
  words.insert(words.end(), command.begin(), command.end());
  return ctr(words);
}

pid_t Containerd::pid(const std::string& id) const {
  const std::string file = "run/containerd/io.containerd.runtime.v2.task/k8s.io/" + id + "/init.pid";
  std::string pid;
  if (!eventually([&] { return !(pid = root_.read(file)).empty(); }))
    throw std::runtime_error("containerd does not tell the pid of " + id);
  return std::stoi(pid);
}

std::string pod_log_directory(const std::string& ns, const std::string& pod, const std::string& uid) {
  return "var/log/pods/" + ns + "_" + pod + "_" + uid;
}

std::map<std::string, std::string> cri_annotations(const std::string& ns, const std::string& pod,
                                                   const std::string& uid, const std::string& container) {
  const std::string cri = "io.kubernetes.cri.";
  return {{cri + "container-type", "container"},
          {cri + "container-name", container},
          {cri + "sandbox-namespace", ns},
          {cri + "sandbox-name", pod},
          {cri + "sandbox-uid", uid},
          {cri + "sandbox-id", "sandbox-" + uid},
          {cri + "image-name", "docker.io/library/busybox:1.35"}};
}

}  // namespace flowtap::test
