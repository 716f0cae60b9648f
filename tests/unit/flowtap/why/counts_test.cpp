// The numbers in the sentences of flowtap why: none is larger than that of the nodes, whatever reasons nodes share.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/ascii.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "tests/unit/explain/diagnosis/counts/node_sums.hpp"
#include "tests/unit/explain/diagnosis/golden.hpp"
#include "tests/unit/explain/diagnosis/kit.hpp"
#include "tools/flowtap/saved/saved_logs.hpp"
#include "tools/flowtap/why/why_text.hpp"
#include "tools/flowtap/why/why_words.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::Diagnosis;
using diagnosis::test::diagnosis_of;

std::string verdict(std::string_view sentence) {
  return diagnosis::test::log_of({std::string(R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err=")")
                                      .append(sentence)
                                      .append(1, '"')});
}

std::string words(std::string_view reasons) {
  return why_words(diagnosis_of(verdict(std::string(reasons) + '.')));
}

TEST(WhyCounts, ReasonsWithTheSameWordsAreNoMoreThanTheNodes) {
  const std::string three = "none of 3 nodes fits; 3 do not count shares of devices";
  EXPECT_EQ(
      words("0/3 nodes are available: 3 Insufficient nvidia.com/gpucores, 3 Insufficient nvidia.com/gpumem"),
      three);
  EXPECT_EQ(
      words("0/8 nodes are available: 8 Insufficient nvidia.com/gpu, 8 Insufficient nvidia.com/mig-1g.5gb, 8 "
            "Insufficient rdma/hca"),
      "none of 8 nodes fits; 8 lack GPUs, 8 lack a resource that the pod asks for");
  EXPECT_EQ(words("0/1 nodes are available: 1 Insufficient huawei.com/Ascend910B3-memory, 1 Insufficient "
                  "huawei.com/Ascend910B3-core"),
            "the only node does not fit; 1 does not count shares of devices");
}

TEST(WhyCounts, ANumberThatNobodyKnowsIsAtLeastTheLargestOne) {
  EXPECT_EQ(words("0/3 nodes are available: 1 Insufficient hugepages-1Gi, 2 Insufficient hugepages-2Mi, 2 "
                  "Insufficient "
                  "cpu"),
            "none of 3 nodes fits; 2 lack CPU, at least 2 lack huge pages");
  EXPECT_EQ(
      words("0/9 nodes are available: 1 Insufficient amd.com/gpu, 1 Insufficient nvidia.com/gpu, 8 x y"),
      "none of 9 nodes fits; 8 are turned down: \"x y\", at least 1 lacks GPUs");
  EXPECT_EQ(words("0/3 nodes are available: 1 Insufficient hugepages-1Gi, 2 Insufficient hugepages-2Mi"),
            "none of 3 nodes fits; 3 lack huge pages")
      << "each node has one reason";
}

// A DaemonSet's pod is for one node, and the others say nothing.
TEST(WhyCounts, NodesThatThePodIsNotMeantForComeLast) {
  EXPECT_EQ(
      words("0/5 nodes are available: 1 Insufficient cpu, 4 node(s) didn't satisfy plugin(s) [NodeAffinity]"),
      "none of 5 nodes fits; 1 lacks CPU, 4 are not the node that the pod is meant for");
  EXPECT_EQ(words("0/38 nodes are available: 1 Insufficient cpu"),
            "none of 38 nodes fits; 1 lacks CPU, 37 are left out without a reason");
}

TEST(WhyCounts, NodesThatFailByTaintsAreNotAskedForResources) {
  EXPECT_EQ(
      words(
          "0/2 nodes are available: 1 Insufficient nvidia.com/gpucores, 1 Insufficient nvidia.com/gpumem, 1 "
          "node(s) had untolerated taint {node-role.kubernetes.io/control-plane: }"),
      "none of 2 nodes fits; 1 does not count shares of devices, 1 is kept for the control plane");
  EXPECT_EQ(
      words(
          "0/6 nodes are available: 2 Insufficient nvidia.com/gpucores, 3 Insufficient nvidia.com/gpumem, 1 "
          "node(s) were unschedulable, 2 node(s) had untolerated taint(s)"),
      "none of 6 nodes fits; 3 do not count shares of devices, 2 have a taint that the pod does not "
      "tolerate, 1 "
      "is cordoned");
  EXPECT_EQ(
      why_words(diagnosis_of(
          diagnosis::test::log_of(
              {R"("node had untolerated taints" pod="ns/p" node="n1" untoleratedTaint={"key":"a","value":"b","effect":"NoSchedule"})"}) +
          verdict("0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient "
                  "nvidia.com/gpucores, 2 "
                  "Insufficient nvidia.com/gpumem."))),
      "none of 3 nodes fits; 2 do not count shares of devices, 1 has a taint that the pod does not tolerate");
  EXPECT_EQ(words("0/9 nodes are available: 1 node(s) had untolerated taint {a: b}, 2 node(s) had "
                  "untolerated taint {c: "
                  "d}, 8 x y"),
            "none of 9 nodes fits; 8 are turned down: \"x y\", 3 have a taint that the pod does not tolerate")
      << "a node has one of them";
}

TEST(WhyCounts, OtherReasonsAreNoMoreThanTheNodes) {
  EXPECT_TRUE(words("0/3 nodes are available: 3 a, 3 b, 3 c, 3 d, 3 e, 3 f, 3 g, 3 h")
                  .ends_with(", 3 are left out for other reasons"));
}

TEST(WhyCounts, AReasonThatIsCutOffIsNotMadeUp) {
  EXPECT_EQ(words("<"), "no node was found: \"<.\"");
  EXPECT_EQ(why_words(diagnosis_of(
                diagnosis::test::log_of({R"("Unable to schedule pod; no fit; waiting" pod="ns/p" err=<)"}))),
            "no node was found, and the reason is cut off");
  const std::string rejected =
      diagnosis::test::log_of({R"("Pod rejected by Bind plugin" pod="ns/p" node="n1" plugin="B" status="x")",
                               R"("Error scheduling pod; retrying" pod="ns/p" err=<)"});
  EXPECT_EQ(why_words(diagnosis_of(rejected)), "it could not be bound to n1");
  const std::string text = why_text("ns/p", diagnosis_of(rejected + rejected), Style{}, false);
  EXPECT_TRUE(text.contains("before: the bind failed\n")) << text;
}

/// The text without what is in quotes, which are a scheduler's words.
std::string without_quotes(std::string_view text) {
  std::string out;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (!quoted && c != '"') out += c;
  }
  return out;
}

/// The numbers at the beginnings of the sentence's parts: "none of 1,500 nodes fits; 1,200 lack GPUs, at least 1 is cordoned".
std::vector<std::size_t> numbers_in(std::string_view sentence) {
  std::vector<std::size_t> out;
  for (std::size_t at = 0; at < sentence.size(); ++at) {
    const bool begins = sentence.substr(0, at).ends_with("; ") || sentence.substr(0, at).ends_with(", ") ||
                        sentence.substr(0, at).ends_with("at least ");
    if (!begins) continue;
    std::string digits;
    for (std::size_t i = at; i < sentence.size() && (is_digit(sentence[i]) || sentence[i] == ','); ++i)
      if (sentence[i] != ',') digits += sentence[i];
    if (!digits.empty()) out.push_back(std::stoul(digits));
  }
  return out;
}

// In the list as well as at the head of a pod's own answer, in whatever form the log was saved.
TEST(WhyCounts, NoNumberInASentenceIsLargerThanTheNodesThereAre) {
  std::size_t checked = 0;
  const auto check = [&checked](const std::string& sentence, std::size_t all, const std::string& where) {
    for (const std::size_t number : numbers_in(without_quotes(sentence))) {
      ++checked;
      EXPECT_LE(number, all) << where << ": " << sentence;
    }
  };
  std::size_t logs = 0;
  for (const std::string& log : diagnosis::test::golden_files()) {
    diagnosis::DiagnosisStore store(1000);
    const auto read = read_saved_logs({paths::golden() + '/' + log}, store);
    if (!read || read->telling == 0) continue;
    logs += diagnosis::test::expect_sums(store, log) > 0 ? 1 : 0;
    store.each([&](const std::string& pod, const Diagnosis& found) {
      const auto error = diagnosis::parse_fit_error(found.filter.summary);
      if (found.status != Diagnosis::Status::kFailed || !error || error->nodes == 0) return;
      const std::string where = std::string(log).append(1, ' ').append(pod);
      check(pod_state(pod, found).why, error->nodes, where);
      const std::string text = why_text(pod, found, Style{}, false);
      check(text.substr(0, text.find('\n')), error->nodes, where);
    });
  }
  EXPECT_GT(checked, 300U);
  EXPECT_GT(logs, 100U);
}

}  // namespace
}  // namespace flowtap::cli
