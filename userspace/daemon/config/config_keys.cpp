#include "daemon/config/config_keys.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "daemon/config/nearest.hpp"
#include "stream/lines/flow_key.hpp"

namespace flowtap {
namespace {

using namespace std::chrono_literals;
using Ms = std::chrono::milliseconds;
using U64 = std::uint64_t;
using List = std::vector<std::string>;

// RAPL's smallest counters wrap after 65 kJ, which 1 kW needs 65 s for; of several wraps between two readings one is seen.
constexpr Ms kLongestCycle = 1min;
constexpr U64 kMinRing = U64{256} << 10U;
constexpr U64 kMaxRing = U64{1} << 30U;
// A journal takes half its size at once at most, and frees a segment of at least 1 MiB at once: 8 MiB take what one
// drain of the ring may give (1 MiB) and keep most of what they hold.
constexpr U64 kMinJournal = U64{8} << 20U;
constexpr U64 kMinFlows = U64{16} << 20U;
constexpr std::size_t kMaxLogKeys = flow::FlowKeys::kMostKeys;
constexpr U64 kMinFlow = U64{32} << 10U;
constexpr U64 kMaxBuffers = U64{1} << 30U;
constexpr U64 kMaxFlows = U64{1} << 40U;
constexpr U64 kMaxPods = 100'000;
constexpr U64 kMaxCgroups = 65'535;  // FTAP_MOST_GROUPS

std::span<const Key> table() {
  static const std::array kKeys = {
      Key{"state_dir", TextField{[](Config& c) -> std::string& { return c.state_dir; }, kStateDirRule},
          "Where the API's socket (api.sock) and all state of the service live."},
      Key{"host_root", TextField{[](Config& c) -> std::string& { return c.host_root; }, kDirectoryRule},
          "Where the node's file system is seen; /host in a container that mounts it there."},
      Key{"cycle", DurationField{[](Config& c) -> Ms& { return c.cycle; }, 1ms, kLongestCycle},
          "How often the kernel's counters are read and handed to all outputs; no value is older than this."},
      Key{"log_level", LevelField{[](Config& c) -> LogLevel& { return c.log_level; }},
          "What flowtapd logs about itself."},

      Key{"count", {}, "Dispatches of tasks to CPUs, counted in the kernel."},
      Key{"count.enabled", BoolField{[](Config& c) -> bool& { return c.count.enabled; }},
          "false loads no BPF program for it."},

      Key{"scheduler", TextField{[](Config& c) -> std::string& { return c.scheduler; }, kSchedulerNameRule},
          "One of flowtap's own sched_ext schedulers, put in charge of all tasks of the machine (Linux 6.14 "
          "or newer with sched_ext); the kernel's own goes on when it ends, in whatever way. Meanwhile "
          "cgroups' limits and weights (cpu.max, cpu.weight) have no effect: CPU limits and requests of pods "
          "are not kept."},

      Key{"stream", {}, "What containers write, captured in the kernel and kept in memory."},
      Key{"stream.enabled", BoolField{[](Config& c) -> bool& { return c.stream.enabled; }},
          "false loads no BPF program for it."},
      Key{"stream.backend",
          TextField{[](Config& c) -> std::string& { return c.stream.backend; }, kTapBackendRule},
          "fexit costs other system calls nothing and sees io_uring, but may miss events where tasks are "
          "preempted in the kernel; sys_exit runs on any. auto is fexit where the kernel allows it and does "
          "not "
          "preempt it, else sys_exit. What an earlier flowtapd left pinned keeps its own."},
      Key{"stream.ring_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.ring_bytes; }, kMinRing, kMaxRing},
          "Size of the ring between kernel and flowtapd, rounded up to a power of two: the output of the "
          "longest "
          "pause that must lose nothing."},
      Key{"stream.flows_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows_bytes; }, kMinFlows, kMaxFlows},
          "Size of the tmpfs on STATE_DIR/flows, which is memory."},
      Key{"stream.journal_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.journal_bytes; }, kMinJournal, kMaxFlows},
          "How much of it the captured bytes may take, at most three quarters; the oldest make room."},
      Key{"stream.flow_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.flow_bytes; }, kMinFlow, kMaxFlows},
          "How much of its log one flow may keep; where there is more, the older half makes room."},
      Key{"stream.max_flows",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.max_flows; }, 1, 1'000'000},
          "How many flows are kept; those that ended first make room."},
      Key{"stream.max_age",
          DurationField{[](Config& c) -> Ms& { return c.stream.lines.flows.max_age; }, 1s, 8760h},
          "How long a flow is kept after its end."},
      Key{"stream.flush_idle",
          DurationField{[](Config& c) -> Ms& { return c.stream.lines.flows.flush_idle; }, 1ms, 60s},
          "How long lines wait in memory for more before they are written to their flow's file. Whoever "
          "follows gets "
          "them at once."},
      Key{"stream.max_buffers",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.max_buffers; }, 1, 1'000'000},
          "How many flows may have lines in memory; with more, all are written."},
      Key{"stream.buffer_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.buffer_bytes; }, kMinFlow,
                     kMaxBuffers},
          "How much of one flow may wait in memory."},
      Key{"stream.buffers_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.buffers_bytes; }, kMinFlow,
                     kMaxBuffers},
          "How much of all flows may wait in memory."},
      Key{"stream.bpffs",
          TextField{[](Config& c) -> std::string& { return c.stream.bpffs; }, kOptionalPathRule},
          "Where programs are pinned, so that capture goes on while flowtapd restarts; empty for "
          "HOST_ROOT/sys/fs/bpf."},
      Key{"stream.record",
          TextField{[](Config& c) -> std::string& { return c.stream.record; }, kOptionalPathRule},
          "Record all that the kernel gives to this new file, for bug reports; it holds what people logged. "
          "One "
          "that is there already stays as it is: nothing is recorded then, and a warning says so."},
      Key{"stream.containerd_dirs",
          ListField{[](Config& c) -> List& { return c.stream.runtimes.containerd; }, kDirectoryRule, 16},
          "Where containerd keeps its state, as HOST_ROOT has it: `state` of its configuration."},
      Key{"stream.storage_dirs",
          ListField{[](Config& c) -> List& { return c.stream.runtimes.storage; }, kDirectoryRule, 16},
          "Where podman and CRI-O keep theirs: runroot and graphroot of storage.conf."},
      Key{"stream.docker_dirs",
          ListField{[](Config& c) -> List& { return c.stream.runtimes.docker; }, kDirectoryRule, 16},
          "Where Docker keeps its data: data-root of daemon.json."},
      Key{"stream.units", ListField{[](Config& c) -> List& { return c.stream.sources.units; }, kUnitRule, 64},
          "systemd services whose standard output and error are captured as well; a flow unit/NAME each."},
      Key{"stream.processes",
          ListField{[](Config& c) -> List& { return c.stream.sources.processes; }, kExecutableRule, 64},
          "Executables of HOST_ROOT whose processes outside of containers are captured as well; a flow "
          "proc/PID-START for each process."},
      Key{"stream.files",
          ListField{[](Config& c) -> List& { return c.stream.sources.files; }, kLogFileRule, 64},
          "Log files of HOST_ROOT that are followed, over rotations; a flow file/PATH each."},

      Key{"stream.schedulers",
          ListField{[](Config& c) -> List& { return c.stream.lines.schedulers.logs; }, kSchedulerRule, 64},
          "Flows that are schedulers' logs: each record about a pod is also in the flow sched/NAMESPACE/POD. "
          "* stands for "
          "any characters; never name what a tenant may choose."},
      Key{"stream.scheduler_keys",
          ListField{[](Config& c) -> List& { return c.stream.lines.schedulers.keys; }, kLogKeyRule,
                    kMaxLogKeys},
          "Which of a record's keys says which pod it is about, in order."},
      Key{"stream.main_log",
          TextField{[](Config& c) -> std::string& { return c.stream.lines.schedulers.main_log; },
                    kMainLogRule},
          "Where people read the schedulers' logs at main_log_verbosity, however much the schedulers say: "
          "off, stderr, or "
          "a file with rotation. The flow sched/main has it, too."},
      Key{"stream.main_log_verbosity",
          CountField{[](Config& c) -> U64& { return c.stream.lines.schedulers.main_log_verbosity; }, 0, 10},
          "Records up to this -v are in the main log; so are those whose -v is not known."},
      Key{"stream.main_log_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.schedulers.main_log_bytes; }, kMinFlow,
                     kMaxFlows},
          "Size at which the main log's file is rotated."},
      Key{"stream.main_log_files",
          CountField{[](Config& c) -> U64& { return c.stream.lines.schedulers.main_log_files; }, 1, 1000},
          "How many files of the main log are kept, the one that is written included."},

      Key{"stream.flow_rules",
          RulesField{[](Config& c) -> std::vector<flow::GroupRule>& { return c.stream.flow_rules; }, 64},
          "Which pods are a group, a workflow or a job, that is listed and read as one: the first rule whose "
          "pod (and namespace) fits gives its name. In pod, * stands for any characters, as many as there "
          "are "
          "before what follows it fits, ? for one; $1 in group is what stands in the first parentheses of "
          "pod, $namespace the namespace. Of a Job: {pod: (*)-?????, group: $1}; of Argo's workflows: {pod: "
          "(nightly-????"
          "?)-*, namespace: argo, group: $1}; of REANA's jobs: {pod: reana-run-job-(*)-?????, "
          "group: $1}."},

      Key{"explain", {}, "Why pods got their devices or not, out of the logs that stream.schedulers names."},
      Key{"explain.enabled", BoolField{[](Config& c) -> bool& { return c.explain.enabled; }},
          "false reads no scheduler's log for it."},
      Key{"explain.max_pods", CountField{[](Config& c) -> U64& { return c.explain.max_pods; }, 1, kMaxPods},
          "Pods whose latest attempts are kept; who was neither spoken of nor asked for longest makes room."},

      Key{"telemetry", {}, "What the node and all that runs on it use, beside the kernel's counts."},
      Key{"telemetry.enabled", BoolField{[](Config& c) -> bool& { return c.telemetry.enabled; }},
          "false reads none of it."},
      Key{"telemetry.time_limit",
          DurationField{[](Config& c) -> Ms& { return c.telemetry.time_limit; }, 1ms, 60s},
          "How long a cycle waits for the collectors: of one that takes longer the values are of the cycle "
          "before, and absent where it takes a whole cycle."},

      Key{"telemetry.hierarchy",
          TextField{[](Config& c) -> std::string& { return c.telemetry.hierarchy; }, kHierarchyRule},
          "Which cgroups tell workloads apart: those of v2, or of v1 those of cpuacct, for runtimes that put "
          "containers there alone. auto is v2, and v1 where that is not mounted."},
      Key{"telemetry.max_cgroups",
          CountField{[](Config& c) -> U64& { return c.telemetry.max_cgroups; }, 1, kMaxCgroups},
          "Cgroups in which something runs whose usage the kernel side tells apart, 64 bytes of memory each "
          "and CPU; those "
          "beyond are one together."},
      Key{"telemetry.cycles", BoolField{[](Config& c) -> bool& { return c.telemetry.cycles; }},
          "Where RAPL measures energy, it is divided by cycles instead of time; false leaves each CPU's "
          "counter "
          "of them to others. Turning it on takes a restart."},
      Key{"telemetry.keep", DurationField{[](Config& c) -> Ms& { return c.telemetry.keep; }, 1s, 24h},
          "How long the series of a workload stay after its end."},

      Key{"prometheus", {}, "The totals for Prometheus."},
      Key{"prometheus.enabled", BoolField{[](Config& c) -> bool& { return c.prometheus.enabled; }},
          "Serve /metrics."},
      Key{"prometheus.address",
          TextField{[](Config& c) -> std::string& { return c.prometheus.address; }, kListenRule},
          "Where to listen; port 0 takes any free one."},
      Key{"prometheus.compat_metrics",
          TextField{[](Config& c) -> std::string& { return c.prometheus.compat_metrics; }, kExportersRule},
          "Show the values under the names and labels of these exporters, too, for dashboards and rules that "
          "exist. Beside the "
          "exporter itself sums would be double."},

      Key{"report", {}, "A table of rates and shares on standard output."},
      Key{"report.enabled", BoolField{[](Config& c) -> bool& { return c.report.enabled; }}, "Print it."},
      Key{"report.interval", DurationField{[](Config& c) -> Ms& { return c.report.interval; }, 1ms, 1h},
          "How often; not more often than once per cycle."},

      Key{"statsd", {}, "The totals' growth for a StatsD or DogStatsD agent."},
      Key{"statsd.enabled", BoolField{[](Config& c) -> bool& { return c.statsd.enabled; }}, "Send it."},
      Key{"statsd.address",
          TextField{[](Config& c) -> std::string& { return c.statsd.address; }, kReceiverRule},
          "Where the agent listens."},
      Key{"statsd.dogstatsd_tags", BoolField{[](Config& c) -> bool& { return c.statsd.dogstatsd_tags; }},
          "true sends labels as DogStatsD tags, false as parts of the name."},
      Key{"statsd.prefix", TextField{[](Config& c) -> std::string& { return c.statsd.prefix; }, kPrefixRule},
          "Stands before every name; with a dot at its end if one is wanted."},
      Key{"statsd.max_pending",
          CountField{[](Config& c) -> U64& { return c.statsd.max_pending; }, 1, 10'000'000},
          "Updates kept while the agent does not take them; what exceeds it is lost and counted."},

      Key{"spectatord", {}, "The totals' growth for Netflix' spectatord."},
      Key{"spectatord.enabled", BoolField{[](Config& c) -> bool& { return c.spectatord.enabled; }},
          "Send it."},
      Key{"spectatord.address",
          TextField{[](Config& c) -> std::string& { return c.spectatord.address; }, kReceiverRule},
          "Where spectatord listens."},
      Key{"spectatord.max_pending",
          CountField{[](Config& c) -> U64& { return c.spectatord.max_pending; }, 1, 10'000'000},
          "As statsd.max_pending."},

      Key{"json_lines", {}, "One JSON object per line and cycle."},
      Key{"json_lines.enabled", BoolField{[](Config& c) -> bool& { return c.json_lines.enabled; }},
          "Write them."},
      Key{"json_lines.output",
          TextField{[](Config& c) -> std::string& { return c.json_lines.output; }, kOutputRule},
          "Where to; a file is appended to."},
      Key{"json_lines.max_pending",
          CountField{[](Config& c) -> U64& { return c.json_lines.max_pending; }, 1, 1'000'000},
          "Lines kept while the reader does not take them; what exceeds it is lost and counted."},

      Key{"metrics", {}, "Limits that hold for all outputs."},
      Key{"metrics.max_series_per_family",
          CountField{[](Config& c) -> U64& { return c.metrics.max_series_per_family; }, 1, 1'000'000},
          "Series that one metric may have; more are refused and counted."},

      Key{"api", {}, "The API on the Unix socket STATE_DIR/api.sock, and over TCP where that is asked for."},
      Key{"api.socket_group",
          TextField{[](Config& c) -> std::string& { return c.api.socket_group; }, kGroupRule},
          "Members of this group may use the API too; root always may."},
      Key{"api.max_followers", CountField{[](Config& c) -> U64& { return c.api.max_followers; }, 1, 100'000},
          "How many may follow logs at a time. One that reads slower than lines come takes up to 64 KiB, and "
          "is "
          "told how many lines it has missed."},
      Key{"api.address",
          TextField{[](Config& c) -> std::string& { return c.api.address; }, kOptionalListenRule},
          "Where the API is served over TCP, always with api.token_file, and beyond 127.0.0.1 and ::1 only "
          "over TLS."},
      Key{"api.token_file",
          TextField{[](Config& c) -> std::string& { return c.api.token_file; }, kOptionalPathRule},
          "Tokens of 16 bytes or more, one a line, that nobody else can read; each request over TCP has one "
          "of them as Authorization: "
          "Bearer TOKEN. Read again when it changes."},
      Key{"api.tls_certificate",
          TextField{[](Config& c) -> std::string& { return c.api.tls_certificate; }, kOptionalPathRule},
          "PEM file of the certificate and its chain; with it the API over TCP is TLS 1.2 and up. Read again "
          "when it changes."},
      Key{"api.tls_key",
          TextField{[](Config& c) -> std::string& { return c.api.tls_key; }, kOptionalPathRule},
          "PEM file of its key."},
      Key{"api.kubernetes_server",
          TextField{[](Config& c) -> std::string& { return c.api.kubernetes_server; }, kKubernetesRule},
          "Kubernetes' API server, asked about tokens that are not in api.token_file: whose one is "
          "(TokenReview), and whether that user may get pods/log in the namespace in question "
          "(SubjectAccessReview). Answers are kept for seconds; where it cannot be asked nobody gets in. "
          "pod: "
          "that of the cluster that this is a pod of."},
      Key{"api.kubernetes_ca",
          TextField{[](Config& c) -> std::string& { return c.api.kubernetes_ca; }, kOptionalPathRule},
          "PEM file of who vouches for its certificate; empty: a pod's own."},
      Key{"api.kubernetes_token",
          TextField{[](Config& c) -> std::string& { return c.api.kubernetes_token; }, kOptionalPathRule},
          "File with the token to ask with, of a service account bound to system:auth-delegator; empty: a "
          "pod's own. Read with each question."},
      Key{"api.rate", CountField{[](Config& c) -> U64& { return c.api.rate; }, 0, 1'000'000},
          "Requests a second that one address (IPv6: one /64) may ask over TCP, and twice that at once; a "
          "refused token "
          "counts as 20. 0: without a limit."},
  };
  return kKeys;
}

}  // namespace

std::span<const Key> config_keys() {
  return table();
}

const Key* find_config_key(std::string_view path) {
  const auto keys = config_keys();
  const auto found = std::ranges::find(keys, path, &Key::path);
  return found != keys.end() ? &*found : nullptr;
}

std::string_view nearest_config_key(std::string_view path) {
  std::vector<std::string_view> paths;
  for (const Key& key : config_keys()) paths.push_back(key.path);
  if (const auto near = nearest(path, paths); !near.empty()) return near;
  // Right name, wrong place: a key of a section that was written at the top level, or in another section.
  const auto keys = config_keys();
  const auto found = std::ranges::find_if(keys, [leaf = leaf_name(path)](const Key& key) {
    return key.path.contains('.') && leaf == leaf_name(key.path);
  });
  return found != keys.end() ? found->path : std::string_view{};
}

std::string_view leaf_name(std::string_view path) {
  const auto dot = path.rfind('.');
  return dot == std::string_view::npos ? path : path.substr(dot + 1);
}

}  // namespace flowtap
