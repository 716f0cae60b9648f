#include "tests/support/metrics/node_exporter.hpp"

#include <stdexcept>

#include "tests/support/net/http_client.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

// The defaults of upstream.
constexpr const char* kNoDisks = R"(^(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\d+n\d+p)\d+$)";
constexpr const char* kNoMountPoints =
    "^/(dev|proc|run/credentials/.+|sys|var/lib/docker/.+|var/lib/containers/storage/.+)($|/)";
constexpr const char* kNoFileSystems =
    "^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|fusectl|hugetlbfs|iso9660|mqueue|"
    "nsfs|overlay|proc"
    "|procfs|pstore|rpc_pipefs|securityfs|selinuxfs|squashfs|erofs|sysfs|tracefs)$";

Command exporter_command(const ScratchRoot& root, std::uint16_t port, const std::vector<std::string>& more) {
  const auto flag = [](const char* name, const std::string& value) {
    return "--" + std::string(name) + "=" + value;
  };
  Command command{.argv = {paths::programs() + "/prometheus-node-exporter/bin/prometheus-node-exporter",
                           flag("web.listen-address", "127.0.0.1:" + std::to_string(port)),
                           "--web.disable-exporter-metrics", "--no-collector.systemd",
                           flag("collector.diskstats.device-exclude", kNoDisks),
                           flag("collector.netdev.device-exclude", "^$"),
                           flag("collector.filesystem.mount-points-exclude", kNoMountPoints),
                           flag("collector.filesystem.fs-types-exclude", kNoFileSystems)},
                  .env = {"GOMAXPROCS=1"},
                  .out = root.file("node_exporter.out"),
                  .err = root.file("node_exporter.err")};
  command.argv.insert(command.argv.end(), more.begin(), more.end());
  return command;
}

}  // namespace

// A folder of text files that is there, as on a node with Debian's package.
NodeExporter::NodeExporter(const ScratchRoot& root)
    : NodeExporter(root, std::vector<std::string>{"--collector.textfile.directory=" + root.file(""),
                                                  "--path.udev.data=" + root.file("run/udev/data")}) {}

NodeExporter::NodeExporter(const ScratchRoot& root, const std::string& node)
    : NodeExporter(root, {"--path.procfs=" + node + "/proc", "--path.sysfs=" + node + "/sys",
                          "--path.rootfs=" + node, "--path.udev.data=" + node + "/run/udev/data",
                          "--collector.textfile.directory=" + node + "/var/lib/prometheus/node-exporter",
                          "--no-collector.uname", "--no-collector.timex", "--no-collector.filesystem",
                          "--no-collector.netdev"}) {}

NodeExporter::NodeExporter(const ScratchRoot& root, const std::vector<std::string>& more)
    : port_(free_port()), process_(exporter_command(root, port_, more)) {
  const bool ready = eventually([this] { return get_tcp(port_, "/").status == 200 || !process_.running(); });
  if (!ready || !process_.running())
    throw std::runtime_error("node_exporter did not start (tools/fetch-program unpacks it):\n" +
                             root.read("node_exporter.err"));
}

PromPage NodeExporter::scrape() const {
  const HttpAnswer answer = get_tcp(port_, "/metrics");
  if (answer.status != 200) throw std::runtime_error("node_exporter answers " + answer.body);
  return parse_prometheus_text(answer.body);
}

}  // namespace flowtap::test
