// Takes what one scheduler's log says about each pod out of it, record by record. It knows nothing of where the records come
// from.
//
// Not every record names its pod. A scheduler filters for one pod at a time, so what a plugin or an extender says without a pod is
// about the one that it is at. Binds run beside each other, so such a record is about the open one with the node, or about the only
// open one. If it is not certain, the record is nobody's; nor is one anybody's that has lost its pod, because its line is cut.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/attempts/card_places.hpp"
#include "explain/diagnosis/chosen_node.hpp"
#include "explain/diagnosis/diagnosis_store.hpp"
#include "explain/diagnosis/facts/fact_parser.hpp"
#include "explain/diagnosis/fit_error.hpp"
#include "stream/lines/whole_records.hpp"

namespace flowtap::diagnosis {

/// What a log has said so far.
struct LogCounts {
  std::uint64_t telling = 0;    ///< records that say something of a pod, or of cards
  std::uint64_t others = 0;     ///< records that the tables do not know
  std::uint64_t malformed = 0;  ///< records that have no header of klog's
  std::uint64_t cut = 0;        ///< records longer than RecordRules::most, which were read up to there
  std::array<std::uint64_t, kOutcomes> outcomes{};  ///< of attempts, by Outcome
  std::map<std::string_view, std::uint64_t>
      failures;  ///< attempts that failed, by DiagnosisStore::Decided::reasons

  std::array<std::uint64_t, 64>
      took{};  ///< pods that were bound, by DiagnosisStore::Decided::took: over 2^(i-1) ns, up to 2^i
  std::chrono::nanoseconds took_in_all{0};

  LogCounts& operator+=(const LogCounts& more) {
    telling += more.telling;
    others += more.others;
    malformed += more.malformed;
    cut += more.cut;
    for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes.at(i) += more.outcomes.at(i);
    for (std::size_t i = 0; i < took.size(); ++i) took.at(i) += more.took.at(i);
    took_in_all += more.took_in_all;
    for (const auto& [reason, count] : more.failures) failures[reason] += count;
    return *this;
  }
};

class SchedulerLog {
 public:
  static constexpr std::size_t kMostBindings = 256;
  static constexpr std::size_t kMostHeld = 1024;  ///< nodes

  explicit SchedulerLog(DiagnosisStore& store)
      : store_(&store),
        parser_(store.schedulers()),
        log_(store.next_log()),
        work_(store.schedulers().all().size()) {}

  void read(const flow::WholeRecord& record);
  /// The profile of the scheduler that says what comes next.
  void set_profile(std::string_view name) {
    profile_ = name;
    has_several_ = is_numas_ = false;
  }

  [[nodiscard]] const LogCounts& counts() const { return counts_; }

 private:
  struct Pod {
    std::string ns;
    std::string name;

    [[nodiscard]] flow::FlowKey key() const { return {.ns = ns, .name = name}; }
  };
  struct Binding {
    Pod pod;
    std::string node;
    bool to_end = false;  // FactKind::kBindingToEnd
    bool failed = false;  // such a bind has failed, and its end has not been said
  };

  /// What is going on in one scheduler, since several may write into one file.
  struct Work {
    Pod current;  // the pod that the scheduler is at; empty: none
    std::vector<Binding> bindings;
    std::size_t ended = 0;                    // how many of those with to_end have ended, nobody knows which
    std::map<std::string, std::string> held;  // nodes that fail, of a pod that is not named, and the lines
    std::string skipped;  // why an extender was passed over, for the pod on which the next verdict is
    struct {
      std::string text;
      bool several = false;
    } room_error;  // why room could not be made, for the pod that the end of that work names
    ClusterSeen cluster;
  };

  void read_source(const flow::KlogRecord& record);
  [[nodiscard]] std::string_view name_for(const Fact& fact);
  void add(Fact& fact);
  void add(const flow::FlowKey& key, const Fact& fact);
  void tell_victim(const Fact& fact);
  void end_binds(const Fact& fact);
  [[nodiscard]] bool tell_room(Fact& fact);
  void hold(const Fact& fact);
  void give_held(const flow::FlowKey& pod, const Fact& verdict, const std::optional<FitError>& error);
  [[nodiscard]] Work& work(const Fact& fact) {
    return work_.at(store_->schedulers().place_of(*fact.scheduler));
  }
  [[nodiscard]] flow::FlowKey pod_of(const Fact& fact);
  [[nodiscard]] const Binding* binding_of(const Fact& fact);
  void forget_binding(const flow::FlowKey& pod, const Fact& fact);
  void note(const flow::FlowKey& pod, const Fact& fact);

  DiagnosisStore* store_;
  FactParser parser_;
  CardPlaces places_;
  std::uint32_t log_;
  std::string profile_;  // of the scheduler that writes the log; empty: it has several, or has not said it
  bool has_several_ = false;  // profiles
  bool is_numas_ = false;     // the NUMA-aware scheduler writes it
  std::string told_error_;    // of the fact that is being added
  LogCounts counts_;
  std::vector<Work> work_;  // one for each scheduler
};

}  // namespace flowtap::diagnosis
