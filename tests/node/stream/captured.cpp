#include "tests/node/stream/captured.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>

#include "stream/store/file_name.hpp"
#include "tests/node/stream/read_holes.hpp"
#include "tests/support/may_miss.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

std::string content_of(const std::string& file) {
  const std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string proc_file(pid_t pid, const char* name) {
  return content_of("/proc/" + std::to_string(pid) + "/" + name);
}

// More than these are no accident: of 7,100 reads, a kernel has kept one or two from the programs.
constexpr std::size_t kMostHoles = 3;

// Whether the flow may lack what it lacks, since flowtapd could not count it: the kernel has kept events from the programs. The flow
// is suspect then, and each hole is one read at most. Kernels that do not preempt the programs give no such excuse.
bool is_excused(const Daemon& daemon, const FlowSeen& flow, const std::string& got,
                const std::string& written) {
  if (!may_miss() || got.size() >= written.size()) return false;
  // flowtapd looks at the kernel's own counters every second.
  const bool suspect = eventually([&] {
    const auto now = flow_called(daemon, flow.id);
    return now && now->suspect;
  });
  if (!suspect) return false;
  const auto holes = holes_in(got, written, kOneRead);
  if (!holes || holes->size() > kMostHoles) return false;
  fmt::print("[ EXCUSED  ] {} of {} bytes, {}: {} holes\n", got.size(), written.size(), flow.id,
             holes->size());
  return true;
}

std::string until(const std::string& go) {
  return ": 3>/" + go + ".waits; until [ -e /" + go + " ] || [ ! -e /bin ]; do sleep 0.1; done; ";
}

std::vector<std::string> with_arguments(const std::string& script, std::vector<std::string> arguments) {
  std::vector<std::string> all = shell(script);
  all.emplace_back("sh");
  std::ranges::move(arguments, std::back_inserter(all));
  return all;
}

}  // namespace

DaemonOptions capturing() {
  DaemonOptions options{.stream = true};
  if (const char* backend = std::getenv("FTAP_TAP_BACKEND"); backend != nullptr)
    options.flags = {"--tap-backend", backend};
  return options;
}

std::string container_id(const std::string& name) {
  const auto hash = std::hash<std::string>{}(name + std::to_string(::getpid()));
  std::string id = fmt::format("{:012x}", hash & 0xffff'ffff'ffffU);
  for (const char c : name) id += fmt::format("{:02x}", static_cast<unsigned char>(c));
  id.resize(56, '0');
  return id + fmt::format("{:08x}", ::getpid());
}

std::vector<std::string> shell(const std::string& script) {
  return {"sh", "-c", script};
}

std::vector<std::string> after(const std::string& go, std::vector<std::string> command) {
  return with_arguments(until(go) + "exec \"$@\"", std::move(command));
}

std::vector<std::string> shell_after(const std::string& go, const std::string& script) {
  return shell(until(go) + script);
}

std::string until_read(const std::string& script) {
  return script + "; status=$?; log_writer until-read; exit $status";
}

std::vector<std::string> after_until_read(const std::string& go, std::vector<std::string> command) {
  return with_arguments(until(go) + until_read("\"$@\""), std::move(command));
}

void wait_until_waits(const ScratchRoot& root, const std::string& go) {
  if (!eventually([&] { return std::filesystem::exists(root.file("busybox/" + go + ".waits")); }))
    throw std::runtime_error("the container that was to wait for " + go + " does not run");
}

void let_go(const ScratchRoot& root, const std::string& go) {
  std::ofstream(root.file("busybox/" + go)) << "";
}

void expect_stream(const Daemon& daemon, const FlowSeen& flow, const std::string& stream,
                   const std::string& wanted) {
  const std::string bytes = raw_bytes(daemon, flow.id, stream);
  // What nobody could count is no gap, so the log and the file go on behind it as the raw bytes do.
  const std::string& expected = is_excused(daemon, flow, bytes, wanted) ? bytes : wanted;
  const std::string raw = difference(bytes, expected);
  EXPECT_EQ(raw, "") << flow.id << " " << stream;
  if (flow.open) return;
  // Lines come a moment later, and files a second. But what a flow that has ended serves is final, and its log and its file are
  // made of it. If that is wrong, or one of the two is, there is nothing to wait for.
  bool hopeless = !raw.empty();
  const auto expect = [&](const std::string& name, const auto& text) {
    std::string got;
    EXPECT_TRUE(eventually([&] {
                  const std::string now = text();
                  got = difference(now, expected);
                  // If a flow lacks nothing, both only grow: a text that the wanted one does not begin with never becomes it.
                  hopeless = hopeless || (flow.missing == 0 && !expected.starts_with(now));
                  return got.empty() || hopeless;
                }) &&
                got.empty())
        << name << " " << stream << ": " << got;
    hopeless = hopeless || !got.empty();
  };
  expect("log of " + flow.id, [&] { return log_text(daemon, flow.id, stream); });
  const std::string file = daemon.state_dir() + "/flows/" + flow::flow_file_name(flow.id);
  expect(file, [&] { return logged_bytes(content_of(file), stream); });
}

std::unique_ptr<Process> start_logs(const ScratchRoot& root, const std::string& name,
                                    const std::vector<std::string>& arguments) {
  Command command{.argv = {paths::flowtap(), "logs", "--state-dir", root.file("state")},
                  .out = root.file(name),
                  .err = root.file(name + ".err")};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  return std::make_unique<Process>(command);
}

LogFollower::LogFollower(const Daemon& daemon, const ScratchRoot& root, const std::string& of,
                         const std::vector<std::string>& more)
    : root_(root) {
  static int number = 0;
  name_ = "follower" + std::to_string(++number);
  const auto is_it = [&of](const FlowSeen& flow) {
    return flow.id == of ||
           (flow.kind == "pod" && flow.text.at("namespace") + "/" + flow.text.at("pod") == of);
  };
  if (!eventually([&] { return std::ranges::any_of(flows_of(daemon), is_it); }))
    throw std::runtime_error("there is no flow of " + of);
  std::vector<std::string> arguments = {of, "-f"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  process_ = start_logs(root, name_, arguments);
}

bool LogFollower::gets(std::size_t bytes) const {
  return eventually([&] {
    std::error_code none;
    const auto size = std::filesystem::file_size(root_.file(name_), none);
    return !none && size >= bytes;
  });
}

std::optional<FlowSeen> flow_called(const Daemon& daemon, const std::string& id) {
  const auto flows = flows_of(daemon);
  const auto at = std::ranges::find(flows, id, &FlowSeen::id);
  return at == flows.end() ? std::nullopt : std::optional(*at);
}

std::set<std::string> flow_ids(const Daemon& daemon) {
  std::set<std::string> ids;
  for (const FlowSeen& flow : flows_of(daemon)) ids.insert(flow.id);
  return ids;
}

std::string logged_bytes(const std::string& cri_log, const std::string& stream) {
  std::istringstream lines(cri_log);
  std::string bytes;
  for (std::string line;
       std::getline(lines, line) && !lines.eof();) {  // what is being written has no newline yet
    const auto name = line.find(' ') + 1;
    const auto tag = line.find(' ', name) + 1;
    if (stream != "both" && line.compare(name, tag - 1 - name, stream) != 0) continue;
    bytes.append(line, tag + 2);
    if (line.at(tag) == 'F') bytes += '\n';
  }
  return bytes;
}

pid_t reader_of(pid_t container) {
  const std::string stat = proc_file(container, "stat");
  const auto comm_end = stat.rfind(") ");
  if (comm_end == std::string::npos)
    throw std::runtime_error("there is no process " + std::to_string(container));
  return std::stoi(stat.substr(comm_end + 4));  // behind the state, which is one letter
}

bool blocks_in_write(pid_t pid) {
  bool gone = false;
  const bool settled = eventually([&] {
    const std::string call = proc_file(pid, "syscall");
    gone = call.empty();
    return gone || call.starts_with("1 ");
  });
  return settled && !gone;
}

}  // namespace flowtap::test
