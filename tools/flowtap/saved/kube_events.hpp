// The events of pods as kubectl prints them. People save or paste them where a scheduler's log is asked for:
//   LAST SEEN   TYPE      REASON             OBJECT      MESSAGE                                  kubectl get events
//   48s         Warning   FailedScheduling   pod/web-0   0/12 nodes are available: ...
// `-A` has a namespace in front; `-o wide` has two columns more before the message, and three behind it. `kubectl events` writes
// "48s (x150 over 11m)" and "Pod/web-0". `kubectl describe pod` ends with such a table, too:
//   Type     Reason            Age                  From               Message
//   Warning  FailedScheduling  48s (x150 over 11m)  default-scheduler  0/12 nodes are available: ...
// No heading is needed, and all lines may be indented, quoted as in a mail, or numbered. kubectl cuts a message at its end of line, so a line is an event.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "event_namespaces.hpp"
#include "kube_columns.hpp"

namespace flowtap::cli {

/// One event of a pod, as kubectl prints it. Owns its texts.
struct KubeEvent {
  std::string ns;
  std::string pod;
  std::string type;  ///< "Normal" or "Warning"
  std::string
      reason;  ///< "FailedScheduling", "Scheduled", "Preempted" or an extender's, such as "FilteringFailed"
  std::string message;
  std::string from = {};  ///< the component that says it: of a scheduler, its profile; empty: it is not shown
  std::chrono::seconds age =
      std::chrono::seconds::max();  ///< how long ago it was the last time; max: it is not said
  std::uint64_t time = 0;           ///< when it was, in ns since 1970; 0: it is not said
  std::uint64_t count = 1;          ///< how often it was said: Kubernetes collapses the same event
  std::string_view beside = {};     ///< who has said it, if it is nobody who places pods (reporters.hpp)
  bool of_phase = false;            ///< an extender says how a phase of its own went
  std::uint64_t table =
      0;  ///< the table whose other rows may name its namespace, until KubeEvents::settle(); 0: none

  friend bool operator==(const KubeEvent&, const KubeEvent&) = default;
};

/// Reads a text line by line.
class KubeEvents {
 public:
  /// The event in this line. Nothing: it has no event of a scheduler's, or names no pod that Kubernetes would allow.
  [[nodiscard]] std::optional<KubeEvent> read(std::string_view line);
  /// The same of an event that somebody else has read, of a pod.
  [[nodiscard]] std::optional<KubeEvent> judge(KubeEvent event);
  /// Gives the event, which read() has given, the namespace that another row of its table names, if it has none of its own. To be
  /// called once, after all of the table was read: the row that names it may be the last one.
  void settle(KubeEvent& event);
  /// What is read next is of another file.
  void begin_file();
  /// Events whose pod nobody names, as in a description without its beginning. read() and judge() leave them out.
  [[nodiscard]] std::uint64_t nameless() const { return nameless_; }
  /// Events whose namespace nobody names, as in `kubectl get events` without -A. read() and judge() give them with the namespace
  /// "default". settle() may find it.
  [[nodiscard]] std::uint64_t without_namespace() const { return without_namespace_; }
  /// Lines that only tables of events have: headings, and the rows of all events, whatever they are about.
  [[nodiscard]] std::uint64_t lines() const { return lines_; }
  /// Whether the lines that come now are from `kubectl describe`.
  [[nodiscard]] bool is_in_description() const { return !description_.pod.empty(); }

 private:
  struct Row {
    std::string_view ns;
    std::string_view
        kind;  ///< others' events than a pod's are of no use here, but for what they say of the namespace
    std::string_view pod;  ///< the object, if it is none
    std::string_view type;
    std::string_view reason;
    std::string_view message;
    std::string_view from;
    std::chrono::seconds age = std::chrono::seconds::max();
    std::uint64_t count = 1;
  };
  enum class Layout : std::uint8_t { kUnknown, kNarrow, kWide, kListed };
  /// What `kubectl describe` says of the pod before its events.
  struct Description {
    std::string pod;
    std::string ns;
    bool has_events = false;
    std::size_t indent = 0;  ///< of its first lines
  };

  bool read_description(std::string_view line);
  bool read_heading(std::string_view line);
  [[nodiscard]] Layout layout_of(KubeColumns behind_object);
  void note_margin(std::string_view margin);
  [[nodiscard]] std::optional<Row> read_row(std::string_view line) const;
  [[nodiscard]] std::optional<Row> described_row(std::string_view line) const;
  [[nodiscard]] std::optional<Row> table_row(std::string_view line, bool has_namespace) const;

  Layout layout_ = Layout::kUnknown;
  std::vector<KubeColumn> listed_;  // of kListed: between the object and the message
  KubeColumns::Behind behind_;      // of kListed, too
  Description description_;
  Description indented_;    // its first line came, and was indented: the next one tells whether it is one
  bool has_begun_ = false;  // the file had something that kubectl prints
  bool margin_ = false;     // something stands before each line
  std::string place_;       // what of it is the same before each line of a file
  EventNamespaces namespaces_;
  std::uint64_t nameless_ = 0;
  std::uint64_t without_namespace_ = 0;
  std::uint64_t lines_ = 0;
};

/// The event as client-go logs it with klog ("Event occurred"), which the schedulers' tables read. Values are quoted so that
/// Go's strconv.Unquote gives them back. Without a time, the header has one that nobody may use.
[[nodiscard]] std::string klog_of(const KubeEvent& event);

}  // namespace flowtap::cli
