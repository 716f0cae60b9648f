// Bytes that the ring had no room for are put back from what the runtime has kept. In the end the flow's file, the runtime's file
// and what was written are one.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <chrono>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

#include "stream/lines/cri_line.hpp"
#include "stream/store/file_name.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/containers/pod_log.hpp"
#include "tests/support/may_miss.hpp"
#include "tests/support/net/http_client.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

// This is the smallest ring. While the service sleeps, more is written than the ring holds.
const DaemonOptions kSmallRing{.stream = true, .sources = "ring_bytes: 262144"};

using namespace std::chrono_literals;

constexpr std::array kOutputs{"stdout", "stderr"};

std::string file_bytes(const ScratchRoot& root, const std::string& flow, const std::string& stream) {
  return logged_bytes(root.read("state/flows/" + flow::flow_file_name(flow)), stream);
}

/// The bytes that the flow's file has, and those that its marks say are missing.
struct KeptAndMissing {
  std::uint64_t kept = 0;
  std::uint64_t missing = 0;
};
KeptAndMissing bytes_of_file(const ScratchRoot& root, const std::string& flow) {
  KeptAndMissing sum;
  std::istringstream lines(root.read("state/flows/" + flow::flow_file_name(flow)));
  for (std::string line; std::getline(lines, line) && !lines.eof();) {
    const flow::CriPart part = flow::cri_part(line);
    (part.gap ? sum.missing : sum.kept) += part.bytes;
  }
  return sum;
}

double refilled(const Daemon& daemon, const std::string& result) {
  return daemon.stats().series.at(R"(flowtap_flow_refilled_bytes_total{result=")" + result + "\"}");
}

/// What became of the bytes that were missing, for the message of a test that fails.
std::string what_became(const Daemon& daemon) {
  std::string all;
  for (const char* result : {"exact", "approximate", "unfilled", "no_source", "no_room"})
    all += fmt::format("{} {}, ", result, refilled(daemon, result));
  return all;
}

class Refill : public testing::Test {
 protected:
  // Stops the service while a container writes the lines of one round.
  void write_unseen(Daemon& daemon, const std::string& go, const std::function<bool()>& written) {
    daemon.signal(SIGSTOP);
    let_go(root_, go);
    EXPECT_TRUE(eventually(written));
    daemon.signal(SIGCONT);
  }

  ScratchRoot root_;
};

TEST_F(Refill, APodmanContainersGapsAreFilled) {
  Podman podman(root_);
  Daemon daemon(root_, kSmallRing);
  daemon.wait_ready();
  const std::string wait = "; until [ -e /go$n ] || [ ! -e /bin ]; do sleep 0.05; done; ";
  const std::string id =
      podman.start({.name = "lossy",
                    .command = shell("for n in 0 1 2; do log_writer both ${n}000000 100; sleep 0.3" + wait +
                                     "log_writer both ${n}100000 20000; done; log_writer both 9000000 100")});
  std::map<std::string, std::string> wanted;
  for (unsigned n = 0; n < 3; ++n) {
    const std::string go = "go" + std::to_string(n);
    // conmon may have read it in two parts. Each part is then a line of its file.
    write_unseen(daemon, go, [&] {
      const std::string log = podman.log(id);
      const std::string whole = log.substr(0, log.rfind('\n') + 1);
      return std::ranges::any_of(kOutputs, [&](const char* output) {
        return logged_bytes(whole, output).contains(writer_lines(n * 1'000'000 + 119'999, 1));
      });
    });
  }
  EXPECT_EQ(podman.wait("lossy"), 0);
  const std::string flow = "container/lossy-" + id.substr(0, 12);
  ASSERT_TRUE(ended_flow(daemon, flow));
  for (const char* stream : kOutputs) {
    wanted[stream] = logged_bytes(podman.log(id), stream);
    EXPECT_GT(wanted[stream].size(), 100'000U);
  }
  EXPECT_TRUE(eventually([&] {
    return file_bytes(root_, flow, "stdout") == wanted["stdout"] &&
           file_bytes(root_, flow, "stderr") == wanted["stderr"];
  })) << what_became(daemon);
  for (const char* stream : kOutputs) {
    EXPECT_EQ(difference(file_bytes(root_, flow, stream), wanted[stream]), "");
    EXPECT_EQ(difference(log_text(daemon, flow, stream), wanted[stream]), "");
  }
  EXPECT_TRUE(eventually([&] { return flow_called(daemon, flow)->missing == 0; }));
  // Other containers of the machine may lose bytes, too.
  const Stats stats = daemon.settled_stats();
  EXPECT_GT(stats.series.at(R"(flowtap_log_lost_bytes_total{cause="ring_full"})"), 100'000)
      << "there were gaps";
  EXPECT_GT(refilled(daemon, "exact"), 100'000);
  // Both truths are told: what the ring lost, and that it was found again.
  const auto seen = flow_called(daemon, flow);
  EXPECT_GT(seen->found, 100'000U);
  const auto stream = daemon.status().at("stream");
  const auto& recovery = stream.at("recovery");
  EXPECT_GE(recovery.at("found").to_number<std::uint64_t>(), seen->found);
  EXPECT_GE(stream.at("lost_bytes").at("ring_full").to_number<std::uint64_t>(), seen->found);
  EXPECT_GT(stats.series.at(R"(flowtap_flow_lost_bytes{state="found"})"), 100'000);
  EXPECT_TRUE(stats.series.contains(R"(flowtap_flow_lost_bytes{state="missing"})") &&
              stats.series.contains(R"(flowtap_flow_lost_bytes{state="sought"})"));
}

// They write more than their logs may have, and in the seconds before a gap more than is looked through at once. Their logs are
// whole all the same: what has made room is read from where its runtime has it.
TEST_F(Refill, ContainersThatWriteMuchAreWholeInTheEnd) {
  constexpr unsigned kLines = 200'000;
  constexpr std::array kNames{"much", "more"};
  DaemonOptions options = kSmallRing;
  options.room = "flows_bytes: 33554432, journal_bytes: 16777216, flow_bytes: 4194304";
  Podman podman(root_);
  Daemon daemon(root_, options);
  daemon.wait_ready();
  std::map<std::string, std::string> ids;
  for (const std::string name : kNames)
    ids[name] = podman.start(
        {.name = name, .command = shell_after("go", "log_writer write 0 " + std::to_string(kLines))});
  wait_until_waits(root_, "go");
  let_go(root_, "go");
  // It falls behind again and again, so that there are gaps wherever the logs begin in the end.
  std::set<std::string> open(kNames.begin(), kNames.end());
  for (int times = 0; times < 1000 && !open.empty(); ++times) {
    daemon.signal(SIGSTOP);
    std::this_thread::sleep_for(20ms);
    daemon.signal(SIGCONT);
    std::this_thread::sleep_for(20ms);
    std::erase_if(open, [&](const std::string& name) {
      return podman.log(ids.at(name)).contains(writer_lines(kLines - 1, 1));
    });
  }
  const std::string wanted = writer_lines(0, kLines);
  for (const std::string name : kNames) {
    EXPECT_EQ(podman.wait(name), 0);
    const std::string flow = "container/" + name + "-" + ids.at(name).substr(0, 12);
    ASSERT_TRUE(ended_flow(daemon, flow));
    EXPECT_TRUE(eventually([&] { return log_text(daemon, flow, "stdout") == wanted; }))
        << difference(log_text(daemon, flow, "stdout"), wanted) << what_became(daemon);
  }
  EXPECT_GT(daemon.settled_stats().series.at(R"(flowtap_log_lost_bytes_total{cause="ring_full"})"),
            1'000'000);
}

// It says nothing more, so no record of it tells that there is a gap.
TEST_F(Refill, TheGapAtTheEndOfASilentContainerIsToldAtOnce) {
  Podman podman(root_);
  Daemon daemon(root_, kSmallRing);
  daemon.wait_ready();
  const std::string id = podman.start(
      {.name = "silent",
       .command =
           shell("log_writer both 0 100; until [ -e /go0 ] || [ ! -e /bin ]; do sleep 0.05; done; "
                 "log_writer both 100000 20000; until [ -e /go1 ] || [ ! -e /bin ]; do sleep 0.05; done; "
                 "log_writer both 9000000 100")});
  const std::string flow = "container/silent-" + id.substr(0, 12);
  const WriterOutputs first = writer_outputs(0, 100);
  const WriterOutputs last = writer_outputs(100'000, 20'000);
  ASSERT_TRUE(eventually([&] {
    return file_bytes(root_, flow, "stdout") == first.out && file_bytes(root_, flow, "stderr") == first.err;
  }));
  write_unseen(daemon, "go0", [&] {
    const std::string log = podman.log(id);
    const std::string whole = log.substr(0, log.rfind('\n') + 1);
    return logged_bytes(whole, "stdout").ends_with(last.out) &&
           logged_bytes(whole, "stderr").ends_with(last.err);
  });
  // It is told, although no byte has come behind it.
  const std::uint64_t written = first.out.size() + first.err.size() + last.out.size() + last.err.size();
  KeptAndMissing in_file;
  std::uint64_t told = 0;
  EXPECT_TRUE(eventually([&] {
    in_file = bytes_of_file(root_, flow);
    // A short write may have found room in the ring behind the gap. Then it is known where the gap belongs, and it is filled.
    const auto seen = flow_called(daemon, flow);
    told = seen->missing;
    return told + seen->found > 100'000 && in_file.missing == told && in_file.kept + told == written;
  })) << "of "
      << written << " bytes the file has " << in_file.kept << " and lacks " << in_file.missing << ", and "
      << told << " are told as missing";
  // The next bytes show where it belongs.
  let_go(root_, "go1");
  EXPECT_EQ(podman.wait("silent"), 0);
  for (const char* stream : kOutputs) {
    const std::string wanted = logged_bytes(podman.log(id), stream);
    EXPECT_TRUE(eventually([&] { return file_bytes(root_, flow, stream) == wanted; })) << what_became(daemon);
    EXPECT_EQ(difference(log_text(daemon, flow, stream), wanted), "");
  }
  EXPECT_TRUE(eventually([&] { return flow_called(daemon, flow)->missing == 0; }));
}

/// Whether the follower got all of it: each byte in its place, or a line that says how many bytes are missing there, behind a mark
/// if a line is cut there.
bool has_all_but_gaps(std::string_view text, std::string_view wanted) {
  constexpr std::string_view kMark = "[flowtap: ";
  constexpr std::string_view kCut = " [flowtap: cut]\n";
  std::size_t mark = text.find(kMark);
  if (mark == std::string_view::npos) return text == wanted;
  const bool is_cut = mark > 0 && text.substr(mark - 1).starts_with(kCut);
  const std::string_view got = text.substr(0, is_cut ? mark - 1 : mark);
  if (is_cut) mark += kCut.size() - 1;
  text.remove_prefix(mark);
  if (!text.starts_with(kMark)) return false;
  text.remove_prefix(kMark.size());
  std::size_t missing = 0;
  std::from_chars(text.data(), text.data() + text.size(), missing);
  text.remove_prefix(text.find('\n') + 1);
  const std::size_t next = got.size() + missing;
  return is_cut != (got.empty() || got.ends_with('\n')) && missing > 0 && wanted.starts_with(got) &&
         wanted.size() >= next && has_all_but_gaps(text, wanted.substr(next));
}

// kubelet rotates a pod's log twice, and compresses a part of what is missing, before the service comes to look for it. A
// follower waits for a second at most.
TEST_F(Refill, APodsGapsAreFilled) {
  constexpr unsigned kFirst = 100;  // the ring holds these even if flowtapd has no turn meanwhile
  constexpr unsigned kPart = 10'000;
  constexpr unsigned kParts = 3;
  Containerd containerd(root_);
  Daemon daemon(root_, kSmallRing);
  daemon.wait_ready();
  const std::string id = container_id("lossy");
  const std::string directory = pod_log_directory("shop", "lossy-0", kPod) + "/main";
  CriLog log(root_.file(directory) + "/0.log", root_.file(id + ".out"), root_.file(id + ".err"));
  KubeletRotation rotation(root_.file(directory) + "/0.log", std::size_t{2} * kParts,
                           [&log] { log.reopen(); });
  const auto container = containerd.start(
      {.id = id,
       .command = shell(
           "hold() { until [ -e /go$1 ] || [ ! -e /bin ]; do sleep 0.05; done; }; log_writer write 0 100; "
           "for n in 0 1 2; do hold $n; log_writer write $((n * 10000 + 100)) 10000; done; hold 3; "
           "log_writer write 30100 100"),
       .annotations = cri_annotations("shop", "lossy-0", kPod, "main")});
  const auto has_part = [&](unsigned part) {
    return eventually([&] {
      return root_.read(directory + "/0.log").contains(writer_lines(kFirst + part * kPart - 1, 1));
    });
  };
  ASSERT_TRUE(has_part(0));
  LogFollower follower(daemon, root_, "shop/lossy-0");
  ASSERT_TRUE(follower.gets(writer_lines(0, kFirst).size()));
  daemon.signal(SIGSTOP);
  for (unsigned part = 1; part <= kParts; ++part) {
    let_go(root_, "go" + std::to_string(part - 1));
    ASSERT_TRUE(has_part(part));
    if (part < kParts) rotation.rotate();
  }
  daemon.signal(SIGCONT);
  const auto files = rotation.files();
  ASSERT_EQ(files.size(), kParts);
  EXPECT_TRUE(files.front().ends_with(".gz"));
  let_go(root_, "go3");
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  log.wait();

  const std::string wanted = writer_lines(0, kFirst + kParts * kPart + 100);
  const auto flow = ended_flow(daemon, "pod/shop/lossy-0/");
  ASSERT_TRUE(flow);
  EXPECT_TRUE(eventually([&] { return file_bytes(root_, flow->id, "stdout") == wanted; }))
      << what_became(daemon);
  EXPECT_EQ(difference(file_bytes(root_, flow->id, "stdout"), wanted), "");
  EXPECT_EQ(difference(log_text(daemon, flow->id), wanted), "");
  EXPECT_TRUE(eventually([&] { return flow_called(daemon, flow->id)->missing == 0; }));
  EXPECT_TRUE(eventually([&] { return refilled(daemon, "exact") > 100'000; }));
  EXPECT_EQ(follower.wait(), 0) << follower.complaint();
  EXPECT_TRUE(has_all_but_gaps(follower.text(), wanted)) << difference(follower.text(), wanted);
}

// Without a runtime's file the gaps stay, and are counted as such.
TEST_F(Refill, WhatNobodyHasKeptStaysMissing) {
  Containerd containerd(root_);
  Daemon daemon(root_, kSmallRing);
  daemon.wait_ready();
  const auto container =
      containerd.start({.id = container_id("lossy"),
                        .command = shell_after("go", "log_writer write 0 20000; sleep 1; echo end"),
                        .annotations = cri_annotations("shop", "lossy-0", kPod, "main")});
  wait_until_waits(root_, "go");
  write_unseen(daemon, "go",
               [&] { return containerd.out(container_id("lossy")).ends_with(writer_lines(19'999, 1)); });
  EXPECT_EQ(container->wait(), 0) << container->last_words();
  const auto flow = ended_flow(daemon, "pod/shop/lossy-0/");
  ASSERT_TRUE(flow);
  EXPECT_GT(flow->missing, 100'000U);
  const HttpAnswer raw = get_unix(daemon.socket(), "/api/v1/flows/" + escaped(flow->id) + "/raw");
  const std::string written = writer_lines(0, 20'000) + "end\n";
  EXPECT_EQ(raw.body.size() + flow->missing, written.size()) << "to the byte";
  EXPECT_TRUE(is_part_of(raw.body, written));
  EXPECT_NE(
      (raw.headers + "\r\n").find("\r\nX-Flowtap-Missing-Bytes: " + std::to_string(flow->missing) + "\r\n"),
      std::string::npos)
      << raw.headers;
  EXPECT_GE(daemon.settled_stats().series.at(R"(flowtap_log_lost_bytes_total{cause="ring_full"})"),
            static_cast<double>(flow->missing));
  // Other containers of the machine may lose bytes, too.
  EXPECT_TRUE(eventually([&] {
    return refilled(daemon, "unfilled") + refilled(daemon, "no_source") >= static_cast<double>(flow->missing);
  }));
  EXPECT_EQ(flow_called(daemon, flow->id)->missing, flow->missing);
  EXPECT_NE(file_bytes(root_, flow->id, "stdout"), written);
  // Each gap is shown where it is, with its bytes and why.
  int shows = 0;
  const auto logs = [&](const std::vector<std::string>& arguments) {
    const std::string name = "shown" + std::to_string(++shows);
    EXPECT_EQ(start_logs(root_, name, arguments)->wait(), 0);
    return root_.read(name);
  };
  const std::string shown = logs({"shop/lossy-0"});
  EXPECT_TRUE(has_all_but_gaps(shown, written)) << difference(shown, written);
  EXPECT_TRUE(shown.contains(" bytes are missing here: the ring was full]\n")) << shown.substr(0, 5000);
  std::uint64_t missing = 0;
  std::istringstream objects(logs({"shop/lossy-0", "-o", "json"}));
  for (std::string line; std::getline(objects, line);) {
    const auto object = boost::json::parse(line).as_object();
    if (!object.contains("missing_bytes")) continue;
    missing += object.at("missing_bytes").to_number<std::uint64_t>();
    EXPECT_EQ(object.at("cause").as_string(), "ring_full") << line;
    EXPECT_EQ(object.at("stream").as_string(), "stdout") << line;
  }
  EXPECT_EQ(missing, flow->missing);
  EXPECT_TRUE(logs({"shop/lossy-0", "-o", "otel"}).contains("\"flowtap.missing_bytes\""));
  // Clients of Kubernetes' own route get the container's bytes alone, in whole lines.
  const HttpAnswer plain = get_unix(daemon.socket(), "/api/v1/namespaces/shop/pods/lossy-0/log");
  EXPECT_FALSE(plain.body.contains("[flowtap: ")) << plain.body.substr(0, 2000);

  // A start neither forgets what is missing nor adds to it, and says that the loss came before.
  const auto recovery = [](const Daemon& of) { return of.status().at("stream").at("recovery"); };
  const auto before = recovery(daemon);
  daemon.signal(SIGTERM);
  EXPECT_EQ(daemon.wait(), 0);
  for (int start = 0; start < 2; ++start) {
    SCOPED_TRACE(start);
    Daemon again(root_, kSmallRing);
    again.wait_ready();
    EXPECT_EQ(flow_called(again, flow->id)->missing, flow->missing);
    EXPECT_EQ(logs({"shop/lossy-0"}), shown);
    // Only what is still looked for may change.
    EXPECT_TRUE(eventually([&] { return recovery(again) == before; }))
        << boost::json::serialize(recovery(again)) << " for " << boost::json::serialize(before);
    Process asked({.argv = {paths::flowtap(), "status", "--state-dir", again.state_dir()},
                   .out = root_.file("status"),
                   .err = root_.file("status.err")});
    EXPECT_EQ(asked.wait(), 0);
    EXPECT_TRUE(root_.read("status").contains("nothing since the start, ")) << root_.read("status");
    again.signal(SIGTERM);
    EXPECT_EQ(again.wait(), 0);
  }
}

// In idle time flows that have ended are compared with the runtime's file, byte by byte.
TEST_F(Refill, FlowsThatHaveEndedAreCompared) {
  Podman podman(root_);
  Daemon daemon(root_, kCapturing);
  daemon.wait_ready();
  const auto audited = [&](const std::string& result) {
    return daemon.stats().series.at("flowtap_flows_audited_total{result=\"" + result + "\"}");
  };
  for (const char* result : {"equal", "differs", "incomplete", "no_source", "gone"})
    EXPECT_GE(audited(result), 0) << "from the first scrape";
  podman.run({.name = "honest", .command = {"log_writer", "both", "0", "2000"}});
  const std::string id =
      podman.start({.name = "changed", .command = shell_after("go", "log_writer write 0 2000")});
  wait_until_waits(root_, "go");
  ASSERT_TRUE(eventually([&] {
    return std::ranges::any_of(
        flow_ids(daemon), [](const std::string& flow) { return flow.starts_with("container/changed-"); });
  }));
  // It must not compare them before the file was changed.
  daemon.signal(SIGSTOP);
  let_go(root_, "go");
  EXPECT_EQ(podman.wait("changed"), 0);
  std::string log = podman.log(id);
  log.at(log.size() / 2) = '#';
  root_.write("var/lib/containers/storage/vfs-containers/" + id + "/userdata/ctr.log", log);
  daemon.signal(SIGCONT);
  ASSERT_TRUE(ended_flow(daemon, "container/honest-"));
  ASSERT_TRUE(ended_flow(daemon, "container/changed-"));
  EXPECT_TRUE(eventually([&] { return audited("equal") >= 1 && audited("differs") >= 1; }));
}

}  // namespace
}  // namespace flowtap::test
