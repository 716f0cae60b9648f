// Repair as a stage of the stream path: what the runtimes have kept, and how it is used.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "identity/runtimes/state_directories.hpp"
#include "stats/snapshot.hpp"
#include "stream/repair/auditor.hpp"
#include "stream/repair/before_counter.hpp"
#include "stream/repair/begun_before.hpp"
#include "stream/repair/gaps/refiller.hpp"
#include "stream/repair/histories.hpp"
#include "stream/repair/suspicion.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

class Repair {
 public:
  /// Refills, audits and counts from now on, on threads of its own. `host_root` is where the node's file system is seen. `runs`,
  /// journal and store must outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Repair>> open(const std::string& host_root,
                                                            identity::StateDirectories where,
                                                            const identity::ContainerRuns& runs,
                                                            const flow::Journal& journal,
                                                            flow::FlowStore& store) {
    FTAP_TRY_ASSIGN(histories, Histories::open(host_root, std::move(where), &runs));
    return std::unique_ptr<Repair>(new Repair(std::move(histories), journal, store));
  }

  [[nodiscard]] Suspicion& suspicion() { return suspicion_; }
  [[nodiscard]] Histories& histories() { return *histories_; }
  [[nodiscard]] const Auditor& auditor() const { return auditor_; }

  /// These streams are of containers that began before they were captured. What they wrote before will be counted, as soon as it
  /// is known whose they are.
  void add_begun(const BegunBefore::Begun& begun) { begun_.add(begun); }
  [[nodiscard]] const BegunBefore& begun() const { return begun_; }
  void look_for_begun() { begun_.look(before_); }

  void append_samples(std::vector<stats::Series>& out) const {
    refiller_.append_samples(out);
    auditor_.append_samples(out);
  }

 private:
  Repair(std::unique_ptr<Histories> histories, const flow::Journal& journal, flow::FlowStore& store)
      : histories_(std::move(histories)),
        refiller_(store, *histories_),
        auditor_(store, *histories_),
        before_(store, *histories_),
        begun_(journal, store) {}

  Suspicion suspicion_;
  std::unique_ptr<Histories> histories_;
  Refiller refiller_;
  Auditor auditor_;
  BeforeCounter before_;
  BegunBefore begun_;
};

}  // namespace flowtap
