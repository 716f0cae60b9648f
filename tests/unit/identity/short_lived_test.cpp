// Hundreds of short-lived containers a second: bundles come and go while the resolver is asked.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "identity/resolver.hpp"

namespace flowtap::identity {
namespace {

constexpr int kContainers = 1000;
constexpr std::size_t kRemembered = 64;
constexpr int kAlive = 16;  // how many there are at a time

std::string id_of(int i, char kind) {
  const std::string id = std::to_string(i);
  return std::string(1, kind) + std::string(63 - id.size(), '0') + id;
}

// 32 hex digits, like those of a static pod.
std::string uid_of(int i) {
  const std::string n = std::to_string(i);
  return std::string(32 - n.size(), '0') + n;
}

std::string annotation(const std::string& key, const std::string& value) {
  return "\"io.kubernetes.cri." + key + "\":\"" + value + "\"";
}

// Its state is in memory, as in /run.
class Node {
 public:
  Node() {
    if (::mkdtemp(root_.data()) == nullptr) throw std::runtime_error("cannot make " + root_);
  }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  void start(int i) const {
    const std::string n = std::to_string(i);
    const std::string pod =
        annotation("sandbox-id", id_of(i, 'b')) + "," + annotation("sandbox-name", "job-" + n) + "," +
        annotation("sandbox-namespace", "batch") + "," + annotation("sandbox-uid", uid_of(i));
    const std::string directory = "/var/log/pods/batch_job-" + n + "_" + uid_of(i);
    file(bundle(id_of(i, 'b')), annotation("container-type", "sandbox") + "," + pod + "," +
                                    annotation("sandbox-log-directory", directory));
    file(directory + "/main/" + std::to_string(i % 3) + ".log", "");
    file(bundle(id_of(i, 'a')),
         annotation("container-type", "container") + "," + pod + "," + annotation("container-name", "main"));
  }
  void stop(int i) const {
    for (const char kind : {'a', 'b'}) std::filesystem::remove_all(root_ + kTasks + id_of(i, kind));
  }
  [[nodiscard]] RootDir root() const { return *RootDir::open(root_); }

 private:
  static inline const std::string kTasks = "/run/containerd/io.containerd.runtime.v2.task/k8s.io/";

  static std::string bundle(const std::string& id) { return kTasks + id + "/config.json"; }
  void file(const std::string& path, const std::string& annotations) const {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << "{\"annotations\":{" << annotations << "}}";
  }

  std::string root_ = "/dev/shm/flowtap-node-XXXXXX";
};

std::string flow_of(int i) {
  return "pod/batch/job-" + std::to_string(i) + "/" + uid_of(i) + "/main/" + std::to_string(i % 3);
}

Sighting sighting(int i) {
  return {.cgroup = id_of(i, 'a'), .parent = "pod" + uid_of(i), .pid = 0, .cgroup_path = {}};
}

TEST(ShortLived, AllThatWereAskedForInTimeAreKnown) {
  const Node node;
  const RootDir root = node.root();
  Resolver resolver(root, root, {}, kRemembered);
  int late = 0;
  for (int i = 0; i < kContainers; ++i) {
    if (i % 7 == 0) {  // the event comes before the bundle
      EXPECT_EQ(resolver.resolve(sighting(i)).certainty, Certainty::kPartial);
      ++late;
    }
    node.start(i);
    const Answer answer = resolver.resolve(sighting(i));
    ASSERT_EQ(answer.certainty, Certainty::kComplete) << i;
    EXPECT_EQ(answer.flow_id(), flow_of(i));
    if (i >= kAlive) node.stop(i - kAlive);
    // Its neighbours go on writing, dead or alive.
    for (const int other : {i - 1, i - kAlive, i - static_cast<int>(kRemembered) / 2})
      if (other >= 0) {
        EXPECT_EQ(resolver.resolve(sighting(other)).flow_id(), flow_of(other)) << other;
      }
    ASSERT_LE(resolver.remembered(), 2 * kRemembered);
  }
  EXPECT_EQ(resolver.counts().found, kContainers);
  EXPECT_EQ(resolver.counts().absent, late);
  EXPECT_EQ(resolver.counts().unreadable, 0U);
  EXPECT_EQ(resolver.remembered(), 2 * kRemembered) << "full, and no more";
  EXPECT_EQ(resolver.resolve(sighting(0)).certainty, Certainty::kPartial) << "gone and forgotten";
}

}  // namespace
}  // namespace flowtap::identity
