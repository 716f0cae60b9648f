#include "tests/support/containers.hpp"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* kBusybox = "/bin/busybox";

// On a host with cgroups v1 and v2 beside each other the runtimes look for v2 at the usual place and do not find it.
void see_cgroup2() {
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      ::mount("none", "/sys/fs/cgroup", "cgroup2", 0, nullptr) != 0)
    ::_exit(126);
}

// Fetched and not installed, where installing would disturb the machine's own containers.
std::string fetched(const std::string& package, const std::string& name) {
  return std::string(FLOWTAP_PROGRAMS_DIR) + "/" + package + "/bin/" + name;
}

std::string path_with_programs() {
  const char* path = ::getenv("PATH");
  return "PATH=" + fetched("containerd", "") + ":" + fetched("runc", "") + ":" +
         (path != nullptr ? path : "/usr/bin");
}

// As kubelet does before it asks for the container.
void make_pod_log(const ScratchRoot& root, const Containerd::Container& container) {
  const auto value = [&container](const char* key) {
    const auto at = container.annotations.find(std::string("io.kubernetes.cri.") + key);
    return at == container.annotations.end() ? std::string() : at->second;
  };
  if (value("container-name").empty()) return;
  const fs::path dir =
      fs::path(root.file("var/log/pods")) /
      (value("sandbox-namespace") + "_" + value("sandbox-name") + "_" + value("sandbox-uid")) /
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

// Those that ldd names: "NAME => PATH (address)", and the loader's own path without an arrow.
std::vector<std::string> libraries_of(const std::string& program) {
  const std::unique_ptr<FILE, int (*)(FILE*)> ldd(::popen(("ldd " + program).c_str(), "re"), ::pclose);
  std::vector<std::string> paths;
  std::array<char, 4096> line{};
  while (ldd && std::fgets(line.data(), line.size(), ldd.get()) != nullptr) {
    const std::string_view text = line.data();
    const auto begin = text.find('/');
    if (begin != std::string_view::npos)
      paths.emplace_back(text.substr(begin, text.find(' ', begin) - begin));
  }
  return paths;
}

json::object mount_of(const char* where, const char* type) {
  return {{"destination", where}, {"type", type}, {"source", type}};
}

// ctr wants a terminal of its own for a container that has one; that must not change its output once more.
std::vector<std::string> on_terminal(const std::vector<std::string>& argv) {
  std::string command = "stty -onlcr; ";
  for (const std::string& word : argv) command += "'" + word + "' ";
  return {"/usr/bin/script", "--quiet", "--return", "--command", command, "/dev/null"};
}

// Standard input that neither gives anything nor ends: its end would be typed into the terminal.
void silent_input() {
  std::array<int, 2> pipe{};
  if (::pipe(pipe.data()) != 0 || ::dup2(pipe[0], STDIN_FILENO) < 0) ::_exit(126);
}

// Runs it to its end; throws when it fails, with what it said.
std::string run_words(const ScratchRoot& root, const std::vector<std::string>& argv) {
  static int number = 0;
  const std::string name = "run" + std::to_string(++number);
  Process process({.argv = argv,
                   .env = {path_with_programs()},
                   .out = root.file(name + ".out"),
                   .err = root.file(name + ".err"),
                   .before_exec = see_cgroup2});
  const auto status = process.wait();
  if (status != 0)
    throw std::runtime_error(argv.front() + " ended with status " + std::to_string(status.value_or(-1)) +
                             ": " + root.read(name + ".err"));
  return root.read(name + ".out");
}

}  // namespace

BusyboxRoot::BusyboxRoot(const ScratchRoot& root) : path_(root.file("busybox")) {
  for (const char* dir : {"bin", "proc", "sys", "dev", "tmp", "etc"})
    fs::create_directories(fs::path(path_) / dir);
  const fs::path busybox = fs::path(path_) / "bin/busybox";
  fs::copy_file(kBusybox, busybox, fs::copy_options::skip_existing);
  fs::copy_file(FLOWTAP_LOG_WRITER, fs::path(path_) / "bin/log_writer", fs::copy_options::overwrite_existing);
  for (const char* applet : {"sh", "cat", "dd", "seq", "sleep", "printf", "head", "tail", "yes", "kill",
                             "tee", "tr", "mkfifo", "mkdir"}) {
    std::error_code exists;
    fs::create_symlink("busybox", fs::path(path_) / "bin" / applet, exists);
  }
}

void BusyboxRoot::add_runtime(const std::string& inner_id, const std::vector<std::string>& command) const {
  const std::string runc = fetched("runc", "runc");
  fs::copy_file(runc, path_ + "/bin/runc", fs::copy_options::overwrite_existing);
  for (const std::string& library : libraries_of(runc)) {
    fs::create_directories(path_ + fs::path(library).parent_path().string());
    fs::copy_file(library, path_ + library, fs::copy_options::overwrite_existing);
  }
  const std::string inner = path_ + "/inner/root";
  for (const char* dir : {"proc", "dev"}) fs::create_directories(inner + "/" + dir);
  fs::copy(path_ + "/bin", inner + "/bin", fs::copy_options::recursive | fs::copy_options::copy_symlinks);
  std::ofstream(path_ + "/inner/config.json") << json::serialize(
      json::object{{"ociVersion", "1.0.2"},
                   {"process",
                    {{"user", {{"uid", 0}, {"gid", 0}}},
                     {"args", json::array(command.begin(), command.end())},
                     {"env", json::array{"PATH=/bin"}},
                     {"cwd", "/"}}},
                   {"root", {{"path", "root"}}},
                   {"mounts", json::array{mount_of("/proc", "proc"), mount_of("/dev", "tmpfs")}},
                   {"linux",
                    {{"namespaces", json::array{{{"type", "mount"}}, {{"type", "pid"}}, {{"type", "ipc"}}}},
                     {"cgroupsPath", "/" + inner_id}}}});
}

Podman::Podman(const ScratchRoot& root) : root_(root), busybox_(root) {}

Podman::~Podman() {
  try {
    podman({"rm", "--all", "--force", "--time", "0"});
  } catch (const std::exception&) {
    return;  // the test has said what is wrong
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
  // The limits that podman sets by itself need rights or controllers that a test machine may not have.
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

std::string Podman::log(const std::string& id) const {
  return root_.read("var/lib/containers/storage/vfs-containers/" + id + "/userdata/ctr.log");
}

Containerd::Containerd(const ScratchRoot& root) : root_(root), busybox_(root) {
  const std::string socket = root.file("containerd.sock");
  const std::string config =
      root.write("containerd.toml", "version = 2\nroot = '" + root.file("var/lib/containerd") +
                                        "'\nstate = '" + root.file("run/containerd") +
                                        "'\ndisabled_plugins = ['io.containerd.grpc.v1.cri']\n"
                                        "[grpc]\n  address = '" +
                                        socket + "'\n");
  daemon_ = std::make_unique<Process>(Command{.argv = {fetched("containerd", "containerd"), "-c", config},
                                              .env = {path_with_programs()},
                                              .out = root.file("containerd.log"),
                                              .err = root.file("containerd.log"),
                                              .before_exec = see_cgroup2});
  if (!eventually([&] { return fs::exists(socket) || !daemon_->running(); }) || !daemon_->running())
    throw std::runtime_error("containerd did not start:\n" + root.read("containerd.log"));
}

Containerd::~Containerd() {
  daemon_->signal(SIGTERM);
  (void)daemon_->wait();
}

json::object Containerd::spec(const Container& c) const {
  json::array args(c.command.begin(), c.command.end());
  json::array namespaces{{{"type", "mount"}}, {{"type", "ipc"}}, {{"type", "uts"}}};
  if (c.pid_namespace_of != 0)
    namespaces.emplace_back(
        json::object{{"type", "pid"}, {"path", "/proc/" + std::to_string(c.pid_namespace_of) + "/ns/pid"}});
  else if (!c.host_pid)
    namespaces.emplace_back(json::object{{"type", "pid"}});
  json::object annotations;
  for (const auto& [key, value] : c.annotations) annotations[key] = value;
  json::array mounts{mount_of("/proc", "proc"), mount_of("/dev", "tmpfs")};
  if (c.terminal) {
    json::object pts = mount_of("/dev/pts", "devpts");
    pts["options"] = json::array{"newinstance", "ptmxmode=0666", "mode=0620"};
    mounts.push_back(std::move(pts));
  }
  return {{"ociVersion", "1.0.2"},
          {"process",
           {{"terminal", c.terminal},
            {"user", {{"uid", 0}, {"gid", 0}}},
            {"args", std::move(args)},
            {"env", json::array{"PATH=/bin"}},
            {"cwd", "/"},
            {"noNewPrivileges", true}}},
          {"root", {{"path", busybox_.path()}, {"readonly", false}}},
          {"hostname", c.id},
          {"mounts", std::move(mounts)},
          {"annotations", std::move(annotations)},
          {"linux", {{"namespaces", std::move(namespaces)}, {"cgroupsPath", c.cgroup_parent + "/" + c.id}}}};
}

std::unique_ptr<Process> Containerd::start(const Container& c) {
  make_pod_log(root_, c);
  const std::string config = root_.write(c.id + ".json", json::serialize(spec(c)));
  std::vector<std::string> argv = {fetched("containerd", "ctr"), "--address=" + root_.file("containerd.sock"),
                                   "--namespace=k8s.io", "run", "--rm"};
  if (c.terminal) argv.emplace_back("--tty");
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

std::string Containerd::ctr(const std::vector<std::string>& words) {
  std::vector<std::string> argv = {fetched("containerd", "ctr"), "--address=" + root_.file("containerd.sock"),
                                   "--namespace=k8s.io"};
  argv.insert(argv.end(), words.begin(), words.end());
  return run_words(root_, argv);
}

void Containerd::kill(const std::string& id, const std::string& signal) {
  ctr({"task", "kill", "--signal=" + signal, id});
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
