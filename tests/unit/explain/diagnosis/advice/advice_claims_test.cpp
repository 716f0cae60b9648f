// Advice claims only what the reason says, wherever the reason stands.
#include <gtest/gtest.h>

#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/advice.hpp"
#include "explain/diagnosis/reasons.hpp"
#include "tests/unit/explain/diagnosis/golden.hpp"
#include "tests/unit/explain/diagnosis/kube_scheduler_kit.hpp"

namespace flowtap::diagnosis {
namespace {

std::vector<std::string> lines_of(const std::string& list) {
  std::vector<std::string> out;
  std::istringstream in(test::golden("diagnosis/" + list));
  for (std::string line; std::getline(in, line);)
    if (!line.empty() && !line.starts_with('#')) out.push_back(line);
  return out;
}

// As klog writes it between quotes.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return out;
}

Diagnosis of(const std::string& sentence) {
  DiagnosisStore store;
  test::read(store, test::log_of({test::kube_scheduler::no_fit(escaped(sentence))}));
  return store.find("ns", "p").value_or(Diagnosis{});
}

std::string todo_of(std::string_view reason) {
  const auto advice = advice_for(reason);
  return advice ? std::string(advice->lacks.many) : "none";
}

TEST(AdviceClaims, ASentenceThatCountsNodesIsNoReason) {
  std::size_t seen = 0;
  for (const std::string& text : lines_of("reasons_without_advice.txt")) {
    const Diagnosis found = of("0/3 nodes are available: 3 " + text + ".");
    if (found.reasons.size() != 1 || found.reasons.front().reason != text) continue;  // a sentence of its own
    ++seen;
    for (const Advice& advice : advice_for(found)) ADD_FAILURE() << text << " is taken by " << advice.pattern;
  }
  EXPECT_GT(seen, 20U);
}

// Words of the table that only the whole sentence has, since they stand before or between its reasons.
TEST(AdviceClaims, WhatStandsBetweenReasonsIsNoReason) {
  for (const std::string list : {"tls: policy violated.", "x509: nothing known.",
                                 "1 claim of a friend, 2 something of binding failed: unknown."}) {
    const std::string sentence = "0/3 nodes are available: " + list;
    ASSERT_TRUE(advice_for(sentence)) << "the sentence would have advice: " << sentence;
    for (const Advice& advice : advice_for(of(sentence)))
      ADD_FAILURE() << list << " is taken by " << advice.pattern;
  }
}

TEST(AdviceClaims, AReasonIsTheSameAmongOthers) {
  std::size_t seen = 0;
  for (const std::string& text : lines_of("reasons.txt")) {
    std::string reason = text;
    while (reason.ends_with('.')) reason.pop_back();
    const Diagnosis found = of("0/3 nodes are available: 1 " + reason + ", 2 Insufficient cpu.");
    ASSERT_EQ(found.reasons.size(), 2U) << reason << " is taken for several";
    // Koordinator's Reservations are no nodes.
    EXPECT_EQ(found.reasons.front().nodes, reason.starts_with("Reservation(s) ") ? 0U : 1U) << reason;
    EXPECT_EQ(without_counts(found.reasons.front().reason), without_counts(sorted_reason(reason)));
    EXPECT_EQ(found.reasons.back(), (NodesReason{"Insufficient cpu", 2}));
    seen += advice_for(found.reasons.front().reason) ? 1 : 0;
  }
  EXPECT_GT(seen, 350U);
}

TEST(AdviceClaims, OnlyGpusAreGpus) {
  const std::string_view gpus = "lack GPUs";
  const std::string_view other = "lack a resource that the pod asks for";
  const std::string_view share = "lack a share of a device";
  const std::string_view hami = "do not count shares of devices";
  for (const auto& [resource, lacks] :
       std::vector<std::pair<std::string, std::string_view>>{{"nvidia.com/gpu", gpus},
                                                             {"nvidia.com/gpu.shared", gpus},
                                                             {"nvidia.com/mig-1g.5gb", gpus},
                                                             {"amd.com/gpu", gpus},
                                                             {"gpu.intel.com/i915", gpus},
                                                             {"gpu.intel.com/xe", gpus},
                                                             {"nvidia.com/hostdev", other},
                                                             {"nvidia.com/mlnxnics", other},
                                                             {"nvidia.com/sriov_rdma_vf", other},
                                                             {"gpu.intel.com/i915_monitoring", other},
                                                             {"aws.amazon.com/neuroncore", other},
                                                             {"gpu.intel.com/millicores", share},
                                                             {"gpu.intel.com/memory.max", share},
                                                             {"gpu.intel.com/tiles", share},
                                                             {"baidu.com/cgpu_memory", share},
                                                             {"baidu.com/cgpu_memory_percent", share},
                                                             {"sharedgpu/gpu_mem", share},
                                                             {"example.com/host-mem.limit", other},
                                                             {"example.com/core.percentage", other},
                                                             {"example.com/cpu-core.percentage", other},
                                                             {"volcano.sh/gpu-mem.128Mi", share},
                                                             {"volcano.sh/gpu-core.percentage", share},
                                                             {"aliyun.com/gpu-core.percentage", share},
                                                             {"elastic-gpu/gpu-percent", share},
                                                             {"example.com/gpumem-percentage", share},
                                                             {"vgpu-memory", share},
                                                             {"gpu-percent", share},
                                                             {"example.com/uptime.percentage", other},
                                                             {"example.com/memory.128Mi", other},
                                                             {"example.com/licence_core", other},
                                                             {"example.com/shared_memory", other},
                                                             {"example.com/budget_percent", other},
                                                             {"nvidia.com/priority", hami},
                                                             {"nvidia.com/gpumem-percentage", hami},
                                                             {"amd.com/gpumem", hami}})
    EXPECT_EQ(todo_of("Insufficient " + resource), lacks) << resource;
}

}  // namespace
}  // namespace flowtap::diagnosis
