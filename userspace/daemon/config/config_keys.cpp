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

// RAPL's smallest counters wrap after 65 kJ, which takes 65 s at 1 kW. Several wraps between two readings would look
// like one.
constexpr Ms kLongestCycle = 1min;
constexpr U64 kMinRing = U64{256} << 10U;
constexpr U64 kMaxRing = U64{1} << 30U;
// A journal takes half its size at once at most, and frees a segment of at least 1 MiB at once: with 8 MiB it can take
// what one drain of the ring may give (1 MiB) and keep most of its contents.
constexpr U64 kMinJournal = U64{8} << 20U;
constexpr U64 kMinFlows = U64{16} << 20U;
constexpr std::size_t kMaxLogKeys = flow::FlowKeys::kMostKeys;
constexpr U64 kMinFlow = U64{32} << 10U;
constexpr U64 kMaxBuffers = U64{1} << 30U;
constexpr U64 kMaxFlows = U64{1} << 40U;
constexpr U64 kMaxPods = 100'000;

std::span<const Key> table() {
  static const std::array kKeys = {
      Key{"state_dir", TextField{[](Config& c) -> std::string& { return c.state_dir; }, kStateDirRule},
          "Where the API's socket (api.sock) and all state of the service live."},
      Key{"host_root", TextField{[](Config& c) -> std::string& { return c.host_root; }, kDirectoryRule},
          "Where the node's file system is mounted; /host in a container that mounts it there."},
      Key{"cycle", DurationField{[](Config& c) -> Ms& { return c.cycle; }, 1ms, kLongestCycle},
          "How often the kernel's counters are read and given to all outputs. Only values of a collector "
          "that was cut off are older than this."},
      Key{"log_level", LevelField{[](Config& c) -> LogLevel& { return c.log_level; }},
          "What flowtapd logs about itself."},

      Key{"count", {}, "Dispatches of tasks to CPUs, counted in the kernel."},
      Key{"count.enabled", BoolField{[](Config& c) -> bool& { return c.count.enabled; }},
          "false loads no BPF program for counting."},

      Key{"scheduler", TextField{[](Config& c) -> std::string& { return c.scheduler; }, kSchedulerNameRule},
          "One of flowtap's own sched_ext schedulers, which then schedules all tasks of the machine (needs "
          "Linux 6.14 or newer with sched_ext). When it ends, for whatever reason, the kernel's own "
          "scheduler takes over. While it runs, cgroups' limits and weights (cpu.max, cpu.weight) have no "
          "effect, so CPU limits and requests of pods are not kept."},

      Key{"stream", {}, "What containers write, captured in the kernel and kept in memory."},
      Key{"stream.enabled", BoolField{[](Config& c) -> bool& { return c.stream.enabled; }},
          "false loads no BPF program for capture."},
      Key{"stream.backend",
          TextField{[](Config& c) -> std::string& { return c.stream.backend; }, kTapBackendRule},
          "fexit costs other system calls nothing and sees io_uring, but may miss events where the kernel "
          "preempts tasks inside itself. sys_exit runs on any kernel. auto takes fexit if the kernel allows "
          "it and does not preempt it, else sys_exit. Programs that an earlier flowtapd left pinned keep "
          "their backend."},
      Key{"stream.ring_bytes",
          SizeField{[](Config& c) -> U64& { return c.stream.ring_bytes; }, kMinRing, kMaxRing},
          "Size of the ring between kernel and flowtapd, rounded up to a power of two. It must hold the "
          "output of the longest pause that may lose nothing. auto takes 64 MiB, or less where the memory "
          "limit of flowtapd's cgroup, or of one above it, leaves less; flowtapd --check-config says what it "
          "takes."},
      Key{"stream.flows_bytes",
          SizeField{[](Config& c) -> U64& { return c.stream.lines.flows_bytes; }, kMinFlows, kMaxFlows},
          "Size of the tmpfs on STATE_DIR/flows, which is memory. auto takes 64 MiB, or less, as for "
          "ring_bytes."},
      Key{"stream.journal_bytes",
          SizeField{[](Config& c) -> U64& { return c.stream.lines.journal_bytes; }, kMinJournal, kMaxFlows},
          "How much of flows_bytes the captured bytes may take, at most three quarters. The oldest bytes "
          "make room. auto takes half, at most 32 MiB."},
      Key{"stream.flow_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.flow_bytes; }, kMinFlow, kMaxFlows},
          "How many bytes of its log one flow may keep. If it has more, the older half makes room."},
      Key{"stream.max_flows",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.max_flows; }, 1, 1'000'000},
          "How many flows are kept. The flows that ended first make room."},
      Key{"stream.max_age",
          DurationField{[](Config& c) -> Ms& { return c.stream.lines.flows.max_age; }, 1s, 8760h},
          "How long a flow is kept after its end."},
      Key{"stream.flush_idle",
          DurationField{[](Config& c) -> Ms& { return c.stream.lines.flows.flush_idle; }, 1ms, 60s},
          "How long lines wait in memory for more before they are written to their flow's file. Followers "
          "get them at once."},
      Key{"stream.max_buffers",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.max_buffers; }, 1, 1'000'000},
          "How many flows may have lines in memory. If there are more, the lines of all flows are written."},
      Key{"stream.buffer_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.buffer_bytes; }, kMinFlow,
                     kMaxBuffers},
          "How many bytes of one flow may wait in memory."},
      Key{"stream.buffers_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.flows.buffers_bytes; }, kMinFlow,
                     kMaxBuffers},
          "How many bytes of all flows may wait in memory."},
      Key{"stream.bpffs",
          TextField{[](Config& c) -> std::string& { return c.stream.bpffs; }, kOptionalPathRule},
          "Where programs are pinned, so that capture goes on while flowtapd restarts; empty for "
          "HOST_ROOT/sys/fs/bpf."},
      Key{"stream.record",
          TextField{[](Config& c) -> std::string& { return c.stream.record; }, kOptionalPathRule},
          "Record everything that the kernel delivers to this new file, for bug reports. It holds what "
          "people logged. A file that exists already is not touched: nothing is recorded then, and a warning "
          "says so."},
      Key{"stream.containerd_dirs",
          ListField{[](Config& c) -> List& { return c.stream.runtimes.containerd; }, kDirectoryRule, 16},
          "Where containerd keeps its state below HOST_ROOT: `state` in its configuration."},
      Key{"stream.storage_dirs",
          ListField{[](Config& c) -> List& { return c.stream.runtimes.storage; }, kDirectoryRule, 16},
          "Where podman and CRI-O keep their state: runroot and graphroot of storage.conf."},
      Key{"stream.docker_dirs",
          ListField{[](Config& c) -> List& { return c.stream.runtimes.docker; }, kDirectoryRule, 16},
          "Where Docker keeps its data: data-root of daemon.json."},
      Key{"stream.units", ListField{[](Config& c) -> List& { return c.stream.sources.units; }, kUnitRule, 64},
          "systemd services whose standard output and error are captured as well, each as a flow unit/NAME."},
      Key{"stream.processes",
          ListField{[](Config& c) -> List& { return c.stream.sources.processes; }, kExecutableRule, 64},
          "Executables of HOST_ROOT whose processes outside of containers are captured as well, each process "
          "as a flow proc/PID-START."},
      Key{"stream.files",
          ListField{[](Config& c) -> List& { return c.stream.sources.files; }, kLogFileRule, 64},
          "Log files of HOST_ROOT that are followed, across rotations, each as a flow file/PATH."},

      Key{"stream.schedulers",
          ListField{[](Config& c) -> List& { return c.stream.lines.schedulers.logs; }, kSchedulerRule, 64},
          "Flows that are schedulers' logs. Each record about a pod is also in the flow sched/NAMESPACE/POD. "
          "container/NAME means every container of this name. * stands for any characters; for containers it "
          "is a pattern of NAME-ID12. Never name something that a tenant can choose."},
      Key{"stream.scheduler_keys",
          ListField{[](Config& c) -> List& { return c.stream.lines.schedulers.keys; }, kLogKeyRule,
                    kMaxLogKeys},
          "Which keys of a record say which pod it is about, in order of preference."},
      Key{"stream.main_log",
          TextField{[](Config& c) -> std::string& { return c.stream.lines.schedulers.main_log; },
                    kMainLogRule},
          "Where the schedulers' logs go for people to read, at main_log_verbosity, however verbose the "
          "schedulers are: off, stderr, or a file with rotation. The flow sched/main has the same lines."},
      Key{"stream.main_log_verbosity",
          CountField{[](Config& c) -> U64& { return c.stream.lines.schedulers.main_log_verbosity; }, 0, 10},
          "The main log has the records up to this -v, and those whose -v is not known."},
      Key{"stream.main_log_bytes",
          CountField{[](Config& c) -> U64& { return c.stream.lines.schedulers.main_log_bytes; }, kMinFlow,
                     kMaxFlows},
          "Size at which the main log's file is rotated."},
      Key{"stream.main_log_files",
          CountField{[](Config& c) -> U64& { return c.stream.lines.schedulers.main_log_files; }, 1, 1000},
          "How many files of the main log are kept, including the one that is being written."},

      Key{"stream.flow_rules",
          RulesField{[](Config& c) -> std::vector<flow::GroupRule>& { return c.stream.flow_rules; }, 64},
          "Which pods form a group (a workflow, a job) that is listed and read as one. The first rule whose "
          "pod (and namespace) fits gives the group its name. In pod, * stands for any characters, as many "
          "as there are before what follows it fits, and ? for one. In group, $1 is what stands in the first "
          "parentheses of pod, and $namespace is the namespace. For a Job: {pod: (*)-?????, group: $1}. For "
          "Argo's workflows: {pod: (nightly-????"
          "?)-*, namespace: argo, group: $1}. For REANA's jobs: {pod: "
          "reana-run-job-(*)-?????, group: $1}."},

      Key{"explain",
          {},
          "Why pods got their devices or did not, from the logs that stream.schedulers names."},
      Key{"explain.enabled", BoolField{[](Config& c) -> bool& { return c.explain.enabled; }},
          "false reads no scheduler's log."},
      Key{"explain.max_pods", CountField{[](Config& c) -> U64& { return c.explain.max_pods; }, 1, kMaxPods},
          "How many pods' latest attempts are kept. The pod that was neither mentioned nor asked about for "
          "the longest time makes room."},

      Key{"telemetry", {}, "What the node and its workloads use."},
      Key{"telemetry.enabled", BoolField{[](Config& c) -> bool& { return c.telemetry.enabled; }},
          "false reads none of it."},
      Key{"telemetry.time_limit",
          DurationField{[](Config& c) -> Ms& { return c.telemetry.time_limit; }, 1ms, 60s},
          "How long a cycle waits for the collectors. If a collector takes longer, its values are those of "
          "the cycle before; if it takes a whole cycle, they are absent."},

      Key{"telemetry.hierarchy",
          TextField{[](Config& c) -> std::string& { return c.telemetry.hierarchy; }, kHierarchyRule},
          "Which cgroups tell workloads apart: v2, or v1's cpuacct for runtimes that put containers there "
          "alone. auto takes v2, or v1 if v2 is not mounted."},
      Key{"telemetry.max_cgroups",
          CountField{[](Config& c) -> U64& { return c.telemetry.max_cgroups; }, 1, kMostCgroups},
          "How many cgroups with running tasks the kernel side tells apart; each takes 64 bytes of memory "
          "per CPU. The others are counted together."},
      Key{"telemetry.cycles", BoolField{[](Config& c) -> bool& { return c.telemetry.cycles; }},
          "Where RAPL measures energy, it is divided by CPU cycles instead of time. false leaves the CPUs' "
          "cycle counters to others. Turning it on needs a restart."},
      Key{"telemetry.keep", DurationField{[](Config& c) -> Ms& { return c.telemetry.keep; }, 1s, 24h},
          "How long the series of a workload stay after it has ended."},

      Key{"prometheus", {}, "The totals for Prometheus."},
      Key{"prometheus.enabled", BoolField{[](Config& c) -> bool& { return c.outlets.prometheus.enabled; }},
          "Serve /metrics."},
      Key{"prometheus.address",
          TextField{[](Config& c) -> std::string& { return c.outlets.prometheus.address; }, kListenRule},
          "Where to listen; port 0 takes any free one."},
      Key{"prometheus.compat_metrics",
          TextField{[](Config& c) -> std::string& { return c.outlets.prometheus.compat_metrics; },
                    kExportersRule},
          "Also show the values under the names and labels of these exporters, for existing dashboards and "
          "rules. If the exporter itself runs too, sums count everything twice."},

      Key{"report", {}, "A table of rates and shares on standard output."},
      Key{"report.enabled", BoolField{[](Config& c) -> bool& { return c.outlets.report.enabled; }},
          "Print it."},
      Key{"report.interval",
          DurationField{[](Config& c) -> Ms& { return c.outlets.report.interval; }, 1ms, 1h},
          "How often the table is printed, at most once per cycle."},

      Key{"statsd", {}, "Send how much the totals grow to a StatsD or DogStatsD agent."},
      Key{"statsd.enabled", BoolField{[](Config& c) -> bool& { return c.outlets.statsd.enabled; }},
          "Send it."},
      Key{"statsd.address",
          TextField{[](Config& c) -> std::string& { return c.outlets.statsd.address; }, kReceiverRule},
          "Where the agent listens."},
      Key{"statsd.dogstatsd_tags",
          BoolField{[](Config& c) -> bool& { return c.outlets.statsd.dogstatsd_tags; }},
          "true sends labels as DogStatsD tags, false as parts of the name."},
      Key{"statsd.prefix",
          TextField{[](Config& c) -> std::string& { return c.outlets.statsd.prefix; }, kPrefixRule},
          "Text in front of every name. End it with a dot if you want one."},
      Key{"statsd.max_pending",
          CountField{[](Config& c) -> U64& { return c.outlets.statsd.max_pending; }, 1, 10'000'000},
          "How many updates are kept while the agent does not take them. Updates beyond that are lost and "
          "counted."},

      Key{"spectatord", {}, "Send the totals to Netflix' spectatord."},
      Key{"spectatord.enabled", BoolField{[](Config& c) -> bool& { return c.outlets.spectatord.enabled; }},
          "Send it."},
      Key{"spectatord.address",
          TextField{[](Config& c) -> std::string& { return c.outlets.spectatord.address; }, kReceiverRule},
          "Where spectatord listens."},
      Key{"spectatord.max_pending",
          CountField{[](Config& c) -> U64& { return c.outlets.spectatord.max_pending; }, 1, 10'000'000},
          "How many updates are kept while spectatord does not take them. Updates beyond that are lost and "
          "counted."},

      Key{"json_lines", {}, "One JSON object per line and cycle."},
      Key{"json_lines.enabled", BoolField{[](Config& c) -> bool& { return c.outlets.json_lines.enabled; }},
          "Write them."},
      Key{"json_lines.output",
          TextField{[](Config& c) -> std::string& { return c.outlets.json_lines.output; }, kOutputRule},
          "Where the lines go. A file is appended to."},
      Key{"json_lines.max_pending",
          CountField{[](Config& c) -> U64& { return c.outlets.json_lines.max_pending; }, 1, 1'000'000},
          "How many lines are kept while the reader does not take them. Lines beyond that are lost and "
          "counted."},

      Key{"metrics", {}, "Limits that hold for all outputs."},
      Key{"metrics.max_series_per_family",
          CountField{[](Config& c) -> U64& { return c.metrics.max_series_per_family; }, 1, 1'000'000},
          "How many series one metric may have. More are refused and counted."},

      Key{"api", {}, "The API on the Unix socket STATE_DIR/api.sock, and over TCP if api.address is set."},
      Key{"api.socket_group",
          TextField{[](Config& c) -> std::string& { return c.api.socket_group; }, kGroupRule},
          "Members of this group may use the API; root always may."},
      Key{"api.max_followers", CountField{[](Config& c) -> U64& { return c.api.max_followers; }, 1, 100'000},
          "How many clients may follow logs at a time. A client that reads slower than lines are written "
          "takes up to 64 KiB of memory, and is told how many lines it has missed."},
      Key{"api.address",
          TextField{[](Config& c) -> std::string& { return c.api.address; }, kOptionalListenRule},
          "Where the API is served over TCP. It always needs a source of tokens (token_file or "
          "kubernetes_server), and TLS on any address other than 127.0.0.1 and ::1."},
      Key{"api.token_file",
          TextField{[](Config& c) -> std::string& { return c.api.token_file; }, kOptionalPathRule},
          "A file with one token of at least 16 bytes per line, which nobody else can read. Each request "
          "over TCP carries one of them as Authorization: Bearer TOKEN. The file is read again when it "
          "changes."},
      Key{"api.tls_certificate",
          TextField{[](Config& c) -> std::string& { return c.api.tls_certificate; }, kOptionalPathRule},
          "PEM file with the certificate and its chain. With it, the API over TCP speaks TLS 1.2 and newer. "
          "The file is read again when it changes."},
      Key{"api.tls_key",
          TextField{[](Config& c) -> std::string& { return c.api.tls_key; }, kOptionalPathRule},
          "PEM file with the certificate's key."},
      Key{"api.kubernetes_server",
          TextField{[](Config& c) -> std::string& { return c.api.kube.server; }, kKubernetesRule},
          "Kubernetes' API server. It is asked about tokens that are not in token_file: whose token it is "
          "(TokenReview), and whether that user may get pods/log in the namespace (SubjectAccessReview). "
          "Answers are kept for seconds; if the server cannot be asked, nobody gets in. pod stands for the "
          "server of the cluster in which flowtapd runs as a pod."},
      Key{"api.kubernetes_ca",
          TextField{[](Config& c) -> std::string& { return c.api.kube.ca_file; }, kOptionalPathRule},
          "PEM file of the authority that signed the API server's certificate. It is read again when it "
          "changes. Empty: the pod's own."},
      Key{"api.kubernetes_token",
          TextField{[](Config& c) -> std::string& { return c.api.kube.token_file; }, kOptionalPathRule},
          "File with the token that flowtapd asks with, of a service account bound to system:auth-delegator. "
          "Empty: the pod's own. The file is read for each question."},
      Key{"api.rate", CountField{[](Config& c) -> U64& { return c.api.rate; }, 0, 1'000'000},
          "How many requests per second one address (IPv6: one /64) may send over TCP; bursts may have twice "
          "as many. A refused token counts as 20 requests. 0: no limit."},
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
  // The name is right and the place is wrong: a section's key was written at the top level, or in another section.
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
