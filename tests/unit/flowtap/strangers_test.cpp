// Lines of programs that no scheduler's table knows, and what they are taken for.
#include "tools/flowtap/saved/strangers.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <string_view>

namespace flowtap::cli {
namespace {

using namespace std::string_view_literals;

void add(Strangers& strangers, std::string_view line) {
  if (const auto record = flow::parse_klog_record(line))
    strangers.add(*record);
  else
    strangers.add_line(line);
}

Strangers::Guess guess(std::initializer_list<std::string_view> lines) {
  Strangers strangers;
  for (const std::string_view line : lines) add(strangers, line);
  const auto guess = strangers.guess();
  EXPECT_TRUE(guess);
  return guess.value_or(Strangers::Guess{});
}

std::string looks_like(std::initializer_list<std::string_view> lines) {
  return guess(lines).what;
}

TEST(Strangers, AreNoneIfNothingWasAdded) {
  EXPECT_FALSE(Strangers().guess());
}

// Its level is not what is wrong with it.
TEST(Strangers, KnowsRecordsInAFormThatIsNotRead) {
  const auto unread =
      guess({"I0612 03:11:20.110001       1 schedule_one.go:1046] ''Unable to schedule pod; no fit; "
             "waiting'' pod=''shop/web-0'' err=''0/3 nodes are available: 3 Insufficient cpu.''"});
  EXPECT_EQ(unread.what, "kube-scheduler's records in a form that is not read");
  EXPECT_EQ(unread.hint.find("-v="), std::string::npos) << unread.hint;
}

// As a shell's echo makes of a log: the first record is prose, so nothing tells where it ends.
TEST(Strangers, KnowsRecordsThatStandInOneLine) {
  const std::string flag = "I1126 10:00:00.000001 1 flags.go:64] FLAG: --v=\"2\" ";
  const std::string start = "I1126 10:00:00.000002 1 requestheader_controller.go:180] Starting it ";
  const std::string bound =
      "I1126 10:00:00.000003 1 schedule_one.go:314] \"Successfully bound pod to node\" pod=\"a/b\"";
  const std::string two = start + bound;
  for (const std::string& line : {flag + start, two, flag + flag + two}) {
    const auto joined = guess({line});
    EXPECT_EQ(joined.what, "records that stand in one line, since their newlines were lost") << line;
    EXPECT_FALSE(joined.hint.contains("-v=")) << joined.hint;
  }
}

TEST(Strangers, KnowsRecordsThatAreNotWhole) {
  for (const char* line :
       {"I1126 10:00:01.103412       1 schedule_one.go:1129] \"Unable to schedule pod; no fit; waiting\" "
        "pod=\"shop/we",
        "I1126 10:00:01.103412       1 schedule_one.go:1129] \"Unable to schedule pod; no ",
        "I1126 10:00:01.103412       1 schedule_one.go:314] \"Successfully bound pod to node\" "
        "pod=\"shop/we",
        "I1126 10:00:01.103412       1 schedule_one.go:314] \"Successfully bo",
        "9] \"Unable to schedule pod; no fit; waiting\" pod=\"shop/web\" err=\"0/3 nodes are available: x.\"",
        "ule_one.go:314] \"Successfully bound pod to node\" pod=\"shop/web\" node=\"n1\""}) {
    const auto cut = guess({line});
    EXPECT_EQ(cut.what, "kube-scheduler's records whose lines were cut or divided") << line;
    EXPECT_FALSE(cut.hint.contains("-v=")) << cut.hint;
  }
}

TEST(Strangers, KnowsMessagesWithoutAHeader) {
  for (const char* line :
       {"\"Unable to schedule pod; no fit; waiting\" pod=\"shop/web\"",
        "2026-11-26T10:00:00.103412Z\t\"Attempting to schedule pod\" pod=\"shop/web\"",
        "2026-11-26 10:00:00.103 UTC \"Successfully bound pod to node\" pod=\"shop/web\" node=\"n1\"",
        "x1,\"\"\"Unable to schedule pod; no fit; waiting\"\" "
        "pod=\"\"shop/web\"\"\",1,2026-11-26T10:00:00Z"}) {
    const auto messages = guess({line});
    EXPECT_EQ(messages.what, "kube-scheduler's messages without klog's header, which is what tells a record")
        << line;
    EXPECT_TRUE(messages.hint.contains("gcloud logging read")) << messages.hint;
  }
}

TEST(Strangers, KnowsRecordsBehindAFieldsName) {
  const std::string far(250, 'x');
  for (const std::string& before :
       {std::string("message: "), std::string("details: "), std::string("web: "),
        std::string("the scheduler said "), std::string("@timestamp:Nov 26, 2026 @ 10:00:00.100 message:"),
        std::string("@timestampNov 26, 2026 @ 10:00:00.100message"), "Tags: " + far + " | Message: "}) {
    const auto behind = guess({before + "I1126 10:00:01.103412       1 schedule_one.go:314] "
                                        "\"Successfully bound pod to node\" pod=\"shop/web\" node=\"n1\""});
    EXPECT_EQ(behind.what, "kube-scheduler's records behind a field's name or another program's words")
        << before;
    EXPECT_FALSE(behind.hint.contains("screen")) << behind.hint;
  }
  EXPECT_EQ(
      looks_like({"\"message:I1126 10:00:01.103412       1 schedule_one.go:97] \"\"Attempting to schedule "
                  "pod\"\" pod=\"\"shop/web\"\" stream:stderr\""}),
      "kube-scheduler's records behind a field's name or another program's words");
}

TEST(Strangers, KnowsWhoseRecordsAreNotWhole) {
  EXPECT_EQ(guess({"I1126 10:00:00.000000    2345 kubelet.go:2421] \"SyncLoop (PLEG): event for pod w"}).what,
            "the kubelet's log");
  EXPECT_EQ(guess({"I1126 10:00:00.000000       1 schedule_one.go:85] \"Attempting to sch"}).what,
            "kube-scheduler's records whose lines were cut or divided");
}

TEST(Strangers, CountsTheRecordsOfOtherPrograms) {
  Strangers strangers;
  add(strangers, "I1126 10:01:00.000001       1 replica_set.go:621] \"Too few replicas\" need=3");
  add(strangers, "I1126 10:01:00.000002       1 schedule_one.go:107] \"About to try and schedule pod\"");
  add(strangers, "I1126 10:01:00.000003       1 httplog.go:134] \"HTTP\" verb=\"GET\"");
  add(strangers, "no record");
  EXPECT_EQ(strangers.others_records(), 1U);
}

TEST(Strangers, KnowsVolcano) {
  const auto volcano =
      guess({"I0612 03:11:20.110001       1 allocate.go:271] There are <3> nodes for Job <ml/job-1>",
             "I0612 03:11:20.110101       1 predicate_helper.go:74] Predicates failed for task "
             "<ml/job-1-w-0> on node <n1>: plugin "
             "gpu predicates failed: Insufficient volcano.sh/vgpu-number",
             "I0612 03:11:20.110301       1 session.go:300] Job ml/job-1 unschedulable: pod group is not "
             "ready, 2 Pending",
             "E0612 03:11:20.110401       1 cache.go:1052] task unschedulable ml/job-1-w-0, reason: 0/3 "
             "nodes are unavailable."});
  EXPECT_EQ(volcano.what, "the log of Volcano's scheduler");
  EXPECT_EQ(volcano.hint,
            "flowtap why reads logs of kube-scheduler from 1.19 on, of the NUMA-aware scheduler and of "
            "HAMi's extender; Volcano "
            "says why its pods wait in kubectl describe podgroup");
  EXPECT_EQ(looks_like({"E0612 03:11:20.110401       1 cache.go:1052] task unschedulable ml/job-1-w-0, "
                        "reason: taint {a: b}."}),
            volcano.what);
}

TEST(Strangers, KnowsKoordinator) {
  EXPECT_EQ(looks_like({"I0712 10:00:00.000001       1 core.go:351] Permit allows pod from gang, gang: "
                        "ml/train, pod: ml/w-0",
                        "E0712 10:00:00.000002       1 core.go:387] can't find gang, gangName: ml/train, "
                        "podName: ml/w-0"}),
            "a log of Koordinator");
  EXPECT_EQ(
      looks_like(
          {"I1114 00:03:16.733648 1751256 koordlet.go:75] NODE_NAME is worker-00,start time 1.668355396e+09",
           "I0602 02:42:49.770637 1554037 states_nodeslo.go:92] node slo informer started",
           "I0602 02:42:49.770687 1554037 reflector.go:219] Starting reflector *v1alpha1.NodeSLO (12h0m0s)"}),
      "a log of Koordinator");
}

TEST(Strangers, KnowsKai) {
  EXPECT_EQ(looks_like({"2026-11-26T10:00:00.000Z\tINFO\tallocate/allocate.go:80\tFailed to allocate pods "
                        "for job\t{\"jobName\":\"pg\"}",
                        "2026-11-26T10:00:00.001Z\tWARN\tstatus_updater/default_status_updater.go:200\tNo "
                        "nodes with enough "
                        "resources were found: 2 node(s) didn't have enough resources: GPUs."}),
            "the log of KAI's scheduler");
}

TEST(Strangers, KnowsKueue) {
  EXPECT_EQ(
      looks_like(
          {R"_({"level":"Level(-2)","ts":"2026-11-26T10:00:00.1Z","logger":"scheduler",)_"
           R"("msg":"Workload assumed in the cache","schedulingCycle":3,"workload":{"name":"job-x","namespace":"ml"}})",
           R"({"level":"info","ts":"2026-11-26T10:00:00.1Z","msg":"Starting workers","controller":"x"})"}),
      "Kueue's log");
  EXPECT_EQ(looks_like({"2025-09-22T16:07:14.094-05:00\tLEVEL(-2)\tcluster-queue-reconciler\tcore/"
                        "clusterqueue_controller.go:291\t"
                        "ClusterQueue create event"}),
            "Kueue's log");
}

TEST(Strangers, KnowsYuniKorn) {
  EXPECT_EQ(looks_like({"2026-10-01T14:40:12.912+0200\tINFO\tcore.scheduler.partition\tscheduler/"
                        "partition.go:890\tadded node\t{}",
                        "2026-10-01T14:40:12.913+0200\tINFO\tshim.cache.application\tcache/"
                        "application.go:417\tcreated\t{}",
                        "2020-10-01T14:42:24.923+0200\tDEBUG\tscheduler/scheduler.go:135\toutstanding "
                        "request\t{\"appID\": \"sleep\"}"}),
            "the log of Apache YuniKorn");
}

TEST(Strangers, KnowsWhatAddsNodes) {
  const auto autoscaler =
      guess({"I0223 09:17:55.201234       1 klogx.go:87] Pod shop/web-0 is unschedulable",
             "I0223 09:17:55.201334       1 orchestrator.go:546] Pod shop/web-0 can't be scheduled on "
             "eks-ng-1, predicate "
             "checking error: Insufficient cpu",
             "I0223 09:17:55.201434       1 orchestrator.go:148] No pod can fit to eks-ng-1",
             "I0919 20:18:09.690499       1 static_autoscaler.go:289] Starting main loop"});
  EXPECT_EQ(autoscaler.what, "the log of cluster-autoscaler");
  EXPECT_TRUE(autoscaler.hint.ends_with("; cluster-autoscaler adds nodes and schedules no pods"));
  EXPECT_EQ(
      looks_like(
          {R"({"level":"INFO","time":"2024-03-05T19:15:52.287Z","logger":"controller.provisioner",)"
           R"x("message":"found provisionable pod(s)","commit":"2c8f2a5","pods":"default/web-0"})x",
           R"({"level":"INFO","time":"2024-03-05T19:15:54.708Z","logger":"controller.nodeclaim.lifecycle",)"
           R"("message":"launched nodeclaim","commit":"2c8f2a5","nodeclaim":"default-5b9h6"})"}),
      "Karpenter's log");
}

TEST(Strangers, KnowsKubeSchedulersProse) {
  const auto prose = guess(
      {"I0124 08:49:33.368952       1 scheduler.go:606] Attempting to schedule pod: blue/gpu-pod1",
       "I0124 08:49:33.398379       1 factory.go:453] Unable to schedule blue/gpu-pod1: no fit: 0/5 nodes "
       "are available: "
       "4 node(s) didn't match node selector.; waiting",
       "I0124 08:49:34.398456       1 scheduler.go:731] pod blue/gpu-pod2 is bound successfully on node "
       "\"n1\", 5 nodes "
       "evaluated, 1 nodes were found feasible.",
       "I0124 08:49:34.398456       1 eventhandlers.go:173] add event for unscheduled pod blue/gpu-pod3"});
  EXPECT_EQ(prose.what, "the log of a kube-scheduler before 1.19, which is prose");
  EXPECT_TRUE(prose.hint.starts_with("structured logs come from kube-scheduler 1.19 and 1.20 on"));
}

TEST(Strangers, KnowsLevelsThatSayNothing) {
  const auto quiet = guess(
      {"I1126 10:00:00.000001       1 serving.go:386] Generated self-signed cert in-memory",
       "I1126 10:00:00.000002       1 server.go:175] \"Starting Kubernetes Scheduler\" version=\"v1.36.2\"",
       R"(I1126 10:00:00.000003       1 server.go:177] "Golang settings" GOGC="" GOMAXPROCS="")",
       "I1126 10:00:00.000004       1 secure_serving.go:211] Serving securely on [::]:10259",
       "I1126 10:00:00.000005       1 leaderelection.go:257] attempting to acquire leader lease "
       "kube-system/kube-scheduler..."});
  EXPECT_EQ(quiet.what, "kube-scheduler's log at a level that says nothing of pods");
  EXPECT_EQ(quiet.hint, "run it with -v=2 or higher");
  EXPECT_EQ(
      looks_like(
          {R"({"ts":1795224037015.234,"caller":"scheduler/eventhandlers.go:99","msg":"Add event for node","v":3})"}),
      quiet.what);
  EXPECT_EQ(looks_like({"I1126 10:00:00.000004       1 secure_serving.go:211] Serving securely on [::]:10259",
                        "I1126 10:00:00.000005       1 tlsconfig.go:243] \"Starting "
                        "DynamicServingCertificateController\""}),
            "a log of a Kubernetes component at a level that says nothing of pods");
  EXPECT_EQ(looks_like({"I1121 01:39:10.000001       1 scheduler.go:63] New Scheduler",
                        "I1121 01:39:10.000002       1 route.go:131] Into Predicate Route outer func",
                        "I1121 01:39:10.000003       1 scheduler.go:180] New timestamp= "
                        "hami.io/node-handshake Requesting_2026"}),
            "a log of HAMi's that says nothing of pods");
  EXPECT_EQ(looks_like({"[HAMI-core Msg(1:140209:libvgpu.c:836)]: Initializing....."}),
            "messages of HAMi-core, which runs in the containers");
}

TEST(Strangers, KnowsOtherPartsOfKubernetes) {
  EXPECT_EQ(looks_like({"I1126 10:00:00.000001    2210 kubelet.go:2412] \"SyncLoop ADD\" source=\"api\" "
                        "pods=[\"karpenter/karpenter-0\"]",
                        "E1126 10:00:00.000002    2210 pod_workers.go:1301] \"Error syncing pod, skipping\" "
                        "pod=\"ml/w-0\"",
                        "I1126 10:00:00.000003    2210 reflector.go:359] Caches populated for *v1.Secret"}),
            "the kubelet's log");
  EXPECT_EQ(looks_like({"Nov 26 10:00:00 n1 kubelet[2210]: I1126 10:00:00.000001    2210 kubelet.go:2412] "
                        "\"SyncLoop ADD\""}),
            "the kubelet's log");
  EXPECT_EQ(
      looks_like(
          {"I1126 10:00:00.000001       1 replica_set.go:594] \"Too few replicas\" "
           "replicaSet=\"default/web\" need=3",
           "I1126 10:00:00.000002       1 garbagecollector.go:549] \"Processing item\" item=\"[v1/Pod]\"",
           "I1126 10:00:00.000003       1 leaderelection.go:257] attempting to acquire leader lease "
           "kube-system/kube-controller-manager..."}),
      "the log of kube-controller-manager");
  EXPECT_EQ(
      looks_like(
          {"I1126 10:00:00.000001       1 controller.go:615] quota admission added evaluator for: "
           "deployments.apps",
           "I1126 10:00:00.000002       1 alloc.go:330] \"allocated clusterIPs\" service=\"default/web\"",
           "I1126 10:00:00.000003       1 controller.go:126] OpenAPI AggregationController: action for item "
           "v1beta1"}),
      "the log of kube-apiserver");
  EXPECT_EQ(
      looks_like(
          {R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"a","stage":"ResponseComplete"})"}),
      "the API server's audit log");
}

TEST(Strangers, KnowsWhatKubectlPrints) {
  EXPECT_EQ(
      looks_like(
          {"Events:", "  Type     Reason            Age                 From               Message",
           "  ----     ------            ----                ----               -------",
           "  Warning  FailedScheduling  48s (x150 over 11m) default-scheduler  0/12 nodes are available."}),
      "events or a description from kubectl, of which no pod is known");
  EXPECT_EQ(looks_like({"LAST SEEN   TYPE      REASON             OBJECT        MESSAGE",
                        "48s         Warning   FailedScheduling   pod/web-0     0/12 nodes are available."}),
            "events or a description from kubectl, of which no pod is known");
  EXPECT_EQ(
      looks_like({"NAME      READY   STATUS    RESTARTS   AGE", "kueue-0   1/1     Running   0          5d",
                  "web-1     0/1     Pending   0          3m"}),
      "a table of pods from kubectl");
  EXPECT_EQ(looks_like({"apiVersion: v1", "kind: Pod", "metadata:", "  name: web-0", "  namespace: shop",
                        "spec:", "  containers:", "  - image: nginx", "    name: web",
                        "    ports:", "    - containerPort: 80"}),
            "a Kubernetes object in YAML or JSON");
  EXPECT_EQ(looks_like({"{", R"(    "apiVersion": "v1",)", R"(    "kind": "Pod",)", R"(    "metadata": {)",
                        R"(        "name": "web-0")"}),
            "a Kubernetes object in YAML or JSON");
}

TEST(Strangers, KnowsHowLinesAreWritten) {
  EXPECT_EQ(looks_like({"I1126 10:00:00.000001       1 main.go:12] hello",
                        "W1126 10:00:00.000001       1 x.go:1] \"hello\" a=1"}),
            "another program's log in klog's format");
  EXPECT_EQ(looks_like({R"({"level":"info","ts":1795224037.5,"logger":"x","msg":"Starting workers"})"}),
            "another program's log in JSON");
  EXPECT_EQ(looks_like({"2026-11-26T10:00:00.000Z\tINFO\tsetup\tstarting manager"}),
            "another program's log in zap's format");
  EXPECT_EQ(looks_like({R"(time="2026-11-26T10:00:00Z" level=info msg="starting containerd")"}),
            "another program's log in logfmt");
}

TEST(Strangers, ShowTheFirstLineOfNoKind) {
  const auto hello = guess({"  ", "  hello", "world"});
  EXPECT_EQ(hello.what, "\"hello\"");
  EXPECT_TRUE(hello.hint.ends_with("; name one of these with --from"));
  EXPECT_EQ(looks_like({"a line that is longer than forty bytes, and so it is cut"}),
            "\"a line that is longer than forty bytes, ...\"");
  EXPECT_EQ(looks_like({"\x1b[31mred"}), "\"\\x1b[31mred\"");
  EXPECT_EQ(looks_like({"- "}), "\"- \"");
  EXPECT_EQ(looks_like({"", "\t", "\r"}), "empty lines");
}

TEST(Strangers, AreBinary) {
  EXPECT_EQ(looks_like({"\x7f"
                        "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"sv,
                        "\x01\x02\x03"}),
            "binary data");
  EXPECT_EQ(looks_like({"\xff\xfeI\0"
                        "1\0"
                        "1\0"
                        "2\0"
                        "6\0 \0"sv,
                        "\0h\0e\0l\0l\0o\0"sv}),
            "text in UTF-16, as PowerShell's > writes it");
}

TEST(Strangers, AreEncoded) {
  for (const std::string_view line :
       {"STExMjYgMTA6MDA6MDAuMTAwMDAxICAgICAgIDEgc2NoZWR1bGVfb25lLmdvOjk3XSAiQXR0ZW1w"sv,
        "I1126%2010%3A00%3A00.100001%20%20%20%20%201%20schedule_one.go%3A97%5D"sv})
    EXPECT_EQ(looks_like({line}), "text in base64 or as a part of a URL");
  EXPECT_NE(looks_like({"/usr/share/one/very/long/path/without/any/blank/in/it.log"sv}),
            "text in base64 or as a part of a URL");
}

TEST(Strangers, AreAProgramsFromATenthOn) {
  constexpr std::string_view kVolcano = "I0612 03:11:20.110001       1 allocate.go:271] There are <3> nodes";
  constexpr std::string_view kAutoscaler =
      "I0223 09:17:55.201234       1 klogx.go:87] Pod shop/web-0 is unschedulable";
  constexpr std::string_view kOther = "I1126 10:00:00.000001       1 main.go:12] hello";
  Strangers strangers;
  for (int i = 0; i < 19; ++i) add(strangers, kOther);
  add(strangers, kVolcano);
  EXPECT_EQ(strangers.guess()->what, "another program's log in klog's format");
  add(strangers, kVolcano);
  EXPECT_EQ(strangers.guess()->what, "the log of Volcano's scheduler");
  for (int i = 0; i < 3; ++i) add(strangers, kAutoscaler);
  EXPECT_EQ(strangers.guess()->what, "the log of cluster-autoscaler");
}

TEST(Strangers, CountMostOfManyLines) {
  Strangers strangers;
  for (int i = 0; i < 2'000; ++i) add(strangers, "hello");
  for (int i = 0; i < 200'000; ++i)
    add(strangers, i % 3 == 0 ? "2026-11-26T10:00:00.000Z\tINFO\tx\ty" : "time=10:00 level=info msg=y");
  EXPECT_EQ(strangers.guess()->what, "another program's log in logfmt");
}

TEST(Strangers, AreToldByTheirBeginning) {
  const std::string long_line = std::string(1U << 20U, 'x') + " level=info ";
  EXPECT_EQ(looks_like({long_line, long_line}), '"' + std::string(40, 'x') + "...\"");
  const std::string record = "I0612 03:11:20.110001       1 allocate.go:271] " + std::string(1U << 20U, 'x');
  EXPECT_EQ(looks_like({record}), "the log of Volcano's scheduler");
}

// A collector has quoted them.
TEST(Strangers, KnowsLinesInAField) {
  EXPECT_EQ(
      looks_like(
          {R"x({"date": 1795687200.1, "log": "2026-11-26T10:00:00.000Z\tINFO\tcore.scheduler.partition\tscheduler/partition.go:893\tdone\t{}"})x"}),
      "the log of Apache YuniKorn");
  EXPECT_EQ(looks_like({R"x({"line": "{\"level\":\"info\",\"msg\":\"assumed\",\"schedulingCycle\":12}"})x"}),
            "Kueue's log");
  EXPECT_EQ(looks_like({R"x(1,"{""level"":""info"",""msg"":""assumed"",""clusterQueue"":""cq""}")x"}),
            "Kueue's log");
  EXPECT_EQ(looks_like({R"x({"log": "2026-11-26T10:00:00.000Z\tINFO\tallocate/allocate.go:12\tx"})x"}),
            "the log of KAI's scheduler");
}

}  // namespace
}  // namespace flowtap::cli
