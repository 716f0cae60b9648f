#include "tests/support/containers/oci_bundle.hpp"

#include <stdio.h>

#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "tests/support/containers/runtime_programs.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr const char* kBusybox = "/bin/busybox";

// The files that ldd names: "NAME => PATH (address)", and the loader's path without an arrow.
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

}  // namespace

BusyboxRoot::BusyboxRoot(const ScratchRoot& root) : path_(root.file("busybox")) {
  for (const char* dir : {"bin", "proc", "sys", "dev", "tmp", "etc"})
    fs::create_directories(fs::path(path_) / dir);
  const fs::path busybox = fs::path(path_) / "bin/busybox";
  fs::copy_file(kBusybox, busybox, fs::copy_options::skip_existing);
  fs::copy_file(paths::log_writer(), fs::path(path_) / "bin/log_writer",
                fs::copy_options::overwrite_existing);
  for (const char* applet :
       {"sh", "cat", "dd", "seq", "sleep", "printf", "head", "tail", "yes", "kill", "tee", "tr", "mkfifo"}) {
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
  std::ofstream(path_ + "/inner/config.json")
      << json::serialize(oci_config({.root = "root", .command = command, .cgroup = "/" + inner_id}));
}

namespace {

json::object resources_of(const OciLimits& limits) {
  json::object resources;
  if (limits.memory_bytes != 0) resources["memory"] = json::object{{"limit", limits.memory_bytes}};
  if (limits.cpu_percent != 0)
    resources["cpu"] = json::object{{"quota", limits.cpu_percent * 1000}, {"period", 100'000}};
  if (limits.tasks != 0) resources["pids"] = json::object{{"limit", limits.tasks}};
  return resources;
}

}  // namespace

json::object oci_config(const OciContainer& c) {
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
            {"args", json::array(c.command.begin(), c.command.end())},
            {"env", json::array{"PATH=/bin"}},
            {"cwd", "/"},
            {"noNewPrivileges", true}}},
          {"root", {{"path", c.root}, {"readonly", false}}},
          {"hostname", c.hostname},
          {"mounts", std::move(mounts)},
          {"annotations", std::move(annotations)},
          {"linux",
           {{"namespaces", std::move(namespaces)},
            {"cgroupsPath", c.cgroup},
            {"resources", resources_of(c.limits)}}}};
}

}  // namespace flowtap::test
