// What a node shows of the explain path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flowtap::api {

/// One pod that a scheduler has mentioned.
struct DiagnosedPod {
  std::string ns;
  std::string name;
};

struct DiagnosisEntry {
  std::string_view status;  ///< of the answer: pending, succeeded or failed
  std::string answer;       ///< the JSON body, if it was asked for
};

/// Asked by the API's thread at any time; answers from memory.
class DiagnosesView {
 public:
  DiagnosesView() = default;
  DiagnosesView(const DiagnosesView&) = delete;
  DiagnosesView& operator=(const DiagnosesView&) = delete;
  virtual ~DiagnosesView() = default;

  /// The JSON body of the answer; nothing: no scheduler here has mentioned this pod, or it had to make room for others.
  [[nodiscard]] virtual std::optional<std::string> schedulerlog(const std::string& ns, const std::string& pod,
                                                                bool evidence) = 0;
  /// The pod that was mentioned last comes first. An empty namespace stands for all.
  [[nodiscard]] virtual std::vector<DiagnosedPod> pods(const std::string& ns) const = 0;
  /// One pod of the list; nothing: it has made room for another one since. Listing a pod does not keep it longer.
  [[nodiscard]] virtual std::optional<DiagnosisEntry> entry(const DiagnosedPod& pod, bool answer) const = 0;
  /// How many schedulers' logs are read.
  [[nodiscard]] virtual std::size_t logs() const = 0;
  /// How many pods had to make room for others so far.
  [[nodiscard]] virtual std::uint64_t made_room() const { return 0; }
};

}  // namespace flowtap::api
