// flowtapd --record: a recording gives again what a ring gave once, byte for byte.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "kernel/records/recording.hpp"
#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/unit/stream/journal/drained.hpp"

namespace flowtap::test {
namespace {

// The streams of the container's two outputs, as the recording has them.
std::array<flow::StreamNo, 2> streams_of(const std::string& recording, const std::string& container) {
  std::array<flow::StreamNo, 2> found{};
  const auto source = flow::ReplaySource::open(recording).value();
  while (source->wait({})) {
    const auto end = source->drain(1U << 20U, [&](std::span<const std::byte> raw) {
      const flow::Record record = flow::parse_record(raw).value();
      const auto* enter = std::get_if<flow::Enter>(&record.what);
      if (enter != nullptr && enter->cgroup_name == container)
        found = {enter->outputs[0].stream, enter->outputs[1].stream};
    });
    source->commit(end.value());
  }
  return found;
}

TEST(Recording, AContainersRunComesOutOfTheFileAgain) {
  const ScratchRoot root;
  Containerd containerd(root);
  const std::string file = root.file("recording");
  const std::string id = container_id("recorded");
  std::string out;
  std::string err;
  {
    DaemonOptions options = kCapturing;
    options.flags = {"--record", file};
    Daemon daemon(root, options);
    daemon.wait_ready();
    EXPECT_EQ(
        containerd.run({.id = id,
                        .command = shell(until_read("log_writer both 0 100000; head -c 40000 /dev/zero")),
                        .annotations = cri_annotations("shop", "recorded-0", kPod, "main")}),
        0);
    const auto flow = ended_flow(daemon, "pod/shop/recorded-0/");
    ASSERT_TRUE(flow);
    out = raw_bytes(daemon, flow->id, "stdout");
    err = raw_bytes(daemon, flow->id, "stderr");
    daemon.signal(SIGTERM);
    EXPECT_EQ(daemon.wait(), 0);
  }
  const auto wanted = writer_outputs(0, 100'000);
  EXPECT_EQ(difference(out, wanted.out + std::string(40'000, '\0')), "");
  EXPECT_EQ(difference(err, wanted.err), "");

  const auto streams = streams_of(file, id);
  const auto source = flow::ReplaySource::open(file).value();
  const auto journal = flow::Journal::open({.dir = root.file("replayed")}).value();
  flow::consume(*source, *journal, 1U << 20U);
  EXPECT_EQ(source->torn(), 0U);
  // One read gives only a bounded number of pieces.
  const auto replayed = [&](flow::StreamNo stream) {
    std::string all;
    for (std::string more = "none yet"; !more.empty(); all += more)
      more = journal->read(stream, all.size(), std::uint64_t{1} << 30U).value().bytes;
    return all;
  };
  EXPECT_EQ(difference(replayed(streams[0]), out), "");
  EXPECT_EQ(difference(replayed(streams[1]), err), "");
  EXPECT_TRUE(journal->stream(streams[0])->sums.ended);
}

TEST(Recording, OneThatIsCutShortSaysSo) {
  const ScratchRoot root;
  Containerd containerd(root);
  const std::string small = root.file("small");
  ASSERT_EQ(::mkdir(small.c_str(), 0700), 0);
  ASSERT_EQ(::mount("none", small.c_str(), "tmpfs", 0, "size=64k"), 0);
  {
    DaemonOptions options = kCapturing;
    options.flags = {"--record", small + "/recording"};
    Daemon daemon(root, options);
    daemon.wait_ready();
    ::umount2(small.c_str(), MNT_DETACH);  // the recording stays as long as it is written to
    EXPECT_EQ(containerd.run({.id = container_id("cut"),
                              .command = shell(until_read("head -c 200000 /dev/zero")),
                              .annotations = cri_annotations("shop", "cut-0", kPod, "main")}),
              0);
    const auto flow = ended_flow(daemon, "pod/shop/cut-0/");
    ASSERT_TRUE(flow);
    EXPECT_EQ(flow->bytes, 200'000U) << "capture goes on";
    EXPECT_TRUE(eventually([&daemon] {
      return daemon.err().find("the recording is cut short: ") != std::string::npos;
    })) << daemon.err();
    EXPECT_TRUE(eventually(
        [&] { return daemon.component("stream")->detail.find("cut short") != std::string::npos; }));
  }
}

// This happens after every restart of a service whose configuration says where to record.
TEST(Recording, AFileThatIsThereIsKeptAndCaptureGoesOn) {
  const ScratchRoot root;
  DaemonOptions options = kCapturing;
  options.flags = {"--record", root.write("recording", "of an earlier run")};
  Daemon daemon(root, options);
  daemon.wait_ready();
  const auto stream = daemon.component("stream");
  ASSERT_TRUE(stream);
  EXPECT_TRUE(stream->up) << stream->detail;
  EXPECT_NE(stream->detail.find("nothing is recorded: "), std::string::npos) << stream->detail;
  EXPECT_NE(daemon.err().find("nothing is recorded: "), std::string::npos) << daemon.err();
  EXPECT_EQ(root.read("recording"), "of an earlier run");
}

}  // namespace
}  // namespace flowtap::test
