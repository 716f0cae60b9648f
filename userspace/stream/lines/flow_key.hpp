// Which flow a scheduler's record belongs to: the pod that it is about, or a flow of its own.
//
// Keys are looked at in a configured order; the first whose value names a flow decides, so a record belongs to one flow or to
// none. Only a record's own keys attach it: klog's "thread" is the process id, captured bytes do not say who wrote them, and the
// lines of a scheduler's goroutines interleave, so no neighbour of a record is certain to be of its pod.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/lines/klog/klog_pairs.hpp"
#include "stream/lines/klog/klog_record.hpp"

namespace flowtap::flow {

/// The part of a flow's id behind "sched/". Does not own its text.
struct FlowKey {
  std::string_view ns;  ///< a pod's namespace, or "other"
  std::string_view name;

  /// "ns/name"
  void put(std::string& out) const { out.append(ns).append(1, '/').append(name); }
  friend bool operator==(const FlowKey&, const FlowKey&) = default;
};

/// The namespace of flows that are no pod's. A pod there whose name could be one of theirs has no flow.
constexpr std::string_view kOtherFlows = "other";

/// Kubernetes' RFC 1123 names: of namespaces and containers (label), of pods (subdomain).
[[nodiscard]] bool is_dns_label(std::string_view name);
[[nodiscard]] bool is_dns_subdomain(std::string_view name);

class FlowKeys {
 public:
  static constexpr std::size_t kMostKeys = 16;

  struct Found {
    std::optional<FlowKey> key;  ///< stands in the record's text
    bool cut = false;            ///< the record stops within its pairs, so a key may follow
  };

  /// `logID`, `pod`, `object`, and HAMi's `podName` with `podNamespace`, `pod name` with `pod namespace`.
  FlowKeys();
  /// Keys in order, kMostKeys at most. `pod` takes "ns/name", JSON's {"name","namespace"}, and a name beside `namespace` or
  /// `namespaces`; `object` takes the same, if `kind` is absent or Pod. All others take what `logID` had: "ns/name",
  /// "ns/name/container" (folded), "resync1795224891102" (other). A zone's "node/node-0" names no flow.
  explicit FlowKeys(const std::vector<std::string>& names);

  /// `line_open`: more of the record's last line may come. If a key occurs twice, the last one counts, as in klog. In text, no
  /// key counts that stands behind an unquoted value other than a number or word of JSON's: the key may have been part of that
  /// value.
  [[nodiscard]] Found find(const KlogRecord& record, bool line_open = false) const;

 private:
  enum class Role : std::uint8_t { kLogId, kPod, kObject, kBeside };
  struct Slot {
    std::string name;
    Role role = Role::kBeside;
    std::vector<std::size_t> beside;  ///< slots that may hold the namespace of a bare name
  };
  struct Value {  // set where its slot was seen
    const char* text;
    std::size_t size;
    KlogPair::Kind kind;
    [[nodiscard]] std::string_view view() const { return {text, size}; }
    [[nodiscard]] bool is_string() const {
      return kind == KlogPair::Kind::kQuoted || kind == KlogPair::Kind::kString;
    }
  };
  using Values = std::array<Value, 2 * kMostKeys>;

  std::size_t beside(std::string_view name);
  [[nodiscard]] std::size_t slot_of(std::string_view key) const;
  [[nodiscard]] std::optional<FlowKey> flow_of(std::size_t slot, const Values& values,
                                               std::uint32_t seen) const;

  std::vector<Slot> slots_;  // the keys in order, then the names that may stand beside them
  std::size_t keys_ = 0;
  std::size_t kind_ = 0;
  std::array<bool, 256> first_{};  // letters that a slot's name begins with
};

}  // namespace flowtap::flow
