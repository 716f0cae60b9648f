// DIR/flows as a stage of the stream path: what outlives this process, with the journal in it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "component/trouble_log.hpp"
#include "component/views/flow_views.hpp"
#include "stats/snapshot.hpp"
#include "stream/journal/journal.hpp"
#include "stream/mount_keeper.hpp"
#include "stream/store/line_options.hpp"

namespace flowtap {

/// In DIR/flows.
inline constexpr const char* kJournalDirectory = ".journal";

class FlowsDirectory {
 public:
  /// Mounts it, and replays the journal. `keeper` is the one of its mount, or why there is none. `warnings` gets what does not work as well as it could.
  [[nodiscard]] static Result<FlowsDirectory> open(const std::string& state_dir, const LineOptions& limits,
                                                   const Result<std::shared_ptr<MountKeeper>>& keeper,
                                                   std::vector<std::string>& warnings);

  /// Where it is even while it is not mounted, for this process alone.
  [[nodiscard]] const std::string& place() const { return place_; }
  /// The same sentence, with its path for people in it.
  [[nodiscard]] std::string shown(std::string sentence) const;
  [[nodiscard]] flow::Journal& journal() { return *journal_; }
  [[nodiscard]] const flow::Journal& journal() const { return *journal_; }

  /// Puts it back where somebody has unmounted or emptied it, and logs that.
  void look_around();
  /// An Error: nobody finds the directory under its name, and the next start will not find it either.
  [[nodiscard]] const Status& found() const { return found_; }
  /// An Error: others have filled it.
  [[nodiscard]] const Status& room() const { return room_; }

  void report(api::StreamStatusReport& report) const;
  void append_samples(std::vector<stats::Series>& out) const;

 private:
  FlowsDirectory() = default;
  void hold(const Result<std::shared_ptr<MountKeeper>>& keeper);
  [[nodiscard]] bool is_there() const;
  void keep_mounted();
  [[nodiscard]] Status mount_again();
  void keep_since();
  void look_for_strangers();

  std::string path_;
  std::string place_;
  Fd root_;  // of the tmpfs; invalid: it is a plain directory
  dev_t device_ = 0;
  std::shared_ptr<MountKeeper> keeper_;  // null: nobody can mount it again
  Error no_keeper_;                      // why not
  int unseen_ = 0;                       // how often in a row it was mounted again and not seen
  Status found_;
  Status room_;
  TroubleLog room_log_;
  std::optional<std::chrono::system_clock::time_point> since_;
  std::unique_ptr<flow::Journal> journal_;
};

}  // namespace flowtap
