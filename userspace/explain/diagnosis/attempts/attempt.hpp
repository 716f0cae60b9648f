// One pod's latest attempt at being placed, as one scheduler tells it, fact by fact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "explain/diagnosis/attempts/card_places.hpp"
#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"
#include "explain/diagnosis/shared_texts.hpp"

namespace flowtap::diagnosis {

/// When an attempt was, so that those of two schedulers can be put in order.
struct AttemptTime {
  flow::KlogTime
      since;  ///< nothing was said of it before this; not known for a first one whose beginning is not said
  flow::KlogTime first;
  flow::KlogTime last;
  bool begin_said = false;
  bool closed = false;  ///< it has ended, and what this scheduler says next of the pod is of another attempt

  /// The attempt before it ended then.
  void begins_after(const flow::KlogTime& end) {
    if (!begin_said && (!since || flow::is_earlier(since, end))) since = end;
  }
};

/// What a fact decides about an attempt if it was not decided before. The words stand in metrics.
enum class Outcome : std::uint8_t { kNone, kFits, kNoFit, kBound, kBindFailed };
constexpr std::size_t kOutcomes = 5;
[[nodiscard]] std::string_view to_string(Outcome outcome);

/// It has many members, since a scheduler tells an attempt piece by piece: what is known of its phases, nodes, containers and
/// cards is kept here until somebody asks, with the sums by which it is bounded.
class Attempt {
 public:
  // No more of these are kept, whatever a log says.
  static constexpr std::size_t kMostNodes = 5000;
  static constexpr std::size_t kMostContainers = 256;
  static constexpr std::size_t kMostVictims = 256;
  static constexpr std::size_t kMostPlugins = 64;
  static constexpr std::size_t kMostNotes = 8;
  static constexpr std::size_t kMostCards = 1024;  ///< of one node
  static constexpr std::size_t kMostCells = 64;    ///< of one node: kubelet's topology manager has no more
  static constexpr std::size_t kMostCellResources =
      512;  ///< of one container of a node: each cell counts once for each resource
  static constexpr std::size_t kLongestText = std::size_t{16} << 10U;
  /// Of a phase. kube-scheduler's sentence has a part for each reason, and each node may have a taint of its own.
  static constexpr std::size_t kLongestSummary = std::size_t{256} << 10U;
  static constexpr std::size_t kMostBytes =
      std::size_t{8} << 20U;  ///< with the texts that it shares, as if it were the only one that has them

  /// The verdict on a phase, and when the scheduler said so.
  struct Phase {
    PhaseVerdict says;
    bool cut = false;  ///< only the beginning of its sentence is kept
    unsigned weight = 0;
    flow::KlogTime time;
  };

  /// `places` says which node a card is on, as far as the same scheduler has said. A fact may begin a new attempt. A fact about
  /// an earlier attempt, which another log still tells, is passed over.
  Outcome add(const Fact& fact, const CardPlaces& places, SharedTexts& texts);
  /// The fact is about an attempt before this one, which another log still tells.
  [[nodiscard]] bool is_old(const Fact& fact) const {
    return heard_ && fact.log != log_ && flow::is_earlier(fact.time, time_.first);
  }
  /// The attempt before it, which another log still tells, ended then.
  void begins_after(const flow::KlogTime& end) { time_.begins_after(end); }
  /// The fact is about another attempt, after this one, and this one was not only held back.
  [[nodiscard]] bool is_over_at(const Fact& fact) const {
    return heard_ && !untried_ && !is_old(fact) && begins(fact);
  }
  /// Whether the fact, which is about an attempt after this one, is about another pod of the same name: this pod was
  /// bound, was deleted, or has another uid.
  [[nodiscard]] bool is_of_other_pod(const Fact& next) const;
  /// Whether the fact, which is about this attempt, is the first that says whose it is, and that is not the pod of the attempts
  /// before.
  [[nodiscard]] bool turns_out_of_other_pod(const Fact& fact) const;
  /// Both are to be called only if the attempt is not empty. In short: only how its phases went, and who says so when.
  [[nodiscard]] Diagnosis diagnosis() const;
  [[nodiscard]] Diagnosis in_short() const;

  /// Nodes that were left out, each with the beginning of the reason that kube-scheduler gives for it.
  [[nodiscard]] std::vector<NodeVerdict> left_out() const;

  /// What its scheduler is called; empty if nobody says which of several it is. To be called only if the attempt is not empty.
  [[nodiscard]] std::string_view called() const;
  [[nodiscard]] bool empty() const { return !heard_; }
  [[nodiscard]] const std::string& uid() const { return uid_; }
  /// How many attempts it stands for, since all of them ended in the same way.
  [[nodiscard]] std::size_t times() const { return times_; }
  [[nodiscard]] const Phase& filter() const { return filter_; }
  [[nodiscard]] const Phase& bind() const { return bind_; }
  [[nodiscard]] const AttemptTime& time() const { return time_; }
  /// When the first fact was said of it.
  [[nodiscard]] const flow::KlogInstant& first() const { return first_; }
  /// About how much it takes beside the texts that it shares, so that all attempts together can have a bound.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  // What is known of a NUMA cell for one resource. The quantities are as the scheduler writes them, if it does.
  struct Cell {
    SharedText resource;
    SharedText available;
    SharedText requested;
    std::uint8_t number = 0;
    bool fits = false;
  };
  // How a container, or without a name the whole pod, fits a node's NUMA cells. Without a verdict only cells are known.
  struct Place {
    std::string container;
    Verdict verdict = Verdict::kNone;
    std::string reason;
    unsigned weight = 0;
    std::string resource;
    std::optional<std::size_t> cell;
    std::string line;         // the log's line that says it
    std::vector<Cell> cells;  // once it is settled, by its verdict, only those that do not fit
    std::uint64_t known = 0;  // a bit for each cell of the node that was named
    bool settled = false;
    bool of_node = false;  // it fails because of the node as a whole, whatever its cells are
  };
  struct Card {
    SharedText name;
    SharedText reason;
  };
  struct Node {
    Verdict verdict = Verdict::kNone;
    double score = 0;
    SharedText reason;
    std::size_t allocated = 0;         // requests of the pod that it could meet
    std::optional<std::size_t> index;  // of the container that failed, if the scheduler says so
    std::vector<Place> places;         // in the order in which they were tried
    bool by_event = false;             // all of its reasons are from an event
    std::uint32_t told = 0;            // a higher one was told later
    std::uint32_t failed = 0;          // what `told` was when this was its verdict first
    std::string line;                  // the log's line that says it; empty: those of its places do
    std::vector<Card> cards;           // cards that failed since the last request that it could meet
  };
  [[nodiscard]] bool begins(const Fact& fact) const;
  [[nodiscard]] bool is_behind(const Fact& fact) const;
  [[nodiscard]] bool is_end(const Fact& fact) const;
  void begin(const Fact& fact);
  [[nodiscard]] bool has_other_uid(const Fact& fact) const;
  [[nodiscard]] bool comes_back(const Fact& fact) const;
  void come_back();
  void tell_lifecycle(const Fact& fact);
  void delete_pod(const Fact& fact);
  void hold_back(std::string_view plugin, std::string_view reason);
  void release();
  void note(const Fact& fact);
  void nominate(const Fact& fact);
  void make_room(const Fact& fact);
  void displace(const Fact& fact);
  void fail_room(std::string_view why);
  void forget_room();
  void forget_other_pod();
  [[nodiscard]] Lifecycle lifecycle() const;
  void take(const Fact& fact, const CardPlaces& places, SharedTexts& texts);
  Node* node(std::string_view name);
  void add_container(std::string_view name);
  void align(const Fact& fact, Verdict verdict, SharedTexts& texts);
  Place* place(Node& node, std::string_view container);
  void note_cell(const Fact& fact, bool fits, SharedTexts& texts);
  Cell* cell(Place& place, std::uint8_t number, std::string_view resource, SharedTexts& texts);
  void spare_cells(const Fact& fact);
  void settle_cells(Node& node, Place& place, const Fact& fact, SharedTexts& texts);
  template <typename Which>
  void forget_cells(Place& place, Which which);
  [[nodiscard]] static bool has_place(const Node& node);
  [[nodiscard]] static bool fails_by_cells(const Node& node);
  [[nodiscard]] static bool lacks_cells_of(const Node& node);
  [[nodiscard]] static std::vector<CellVerdict> cells_of(const Place& place);
  [[nodiscard]] bool is_of_later_run(const Node& node, const Fact& fact) const;
  void decide(const Fact& fact, Verdict verdict, const CardPlaces& places, SharedTexts& texts);
  void decide_many(const Fact& fact, SharedTexts& texts);
  void score_many(const Fact& fact);
  void leave_out(const Fact& fact, SharedTexts& texts);
  void allocate(const Fact& fact, const CardPlaces& places);
  void read_requests(std::string_view json);
  void reach_bind(const Fact& fact);
  void add_victim(std::string_view pod);
  void add_plugin(std::string_view name);
  void read_plugins(std::string_view text);
  void set(Phase& phase, Verdict verdict, const Fact& fact);
  void keep_summary(Phase& phase, std::string_view text);
  /// Whether this many more bytes are still within the bound.
  [[nodiscard]] bool has_room(std::size_t more);
  /// Puts the text in the place of the old one, as far as there is room.
  void keep(std::string& place, std::string_view text);
  void keep(SharedText& place, std::string_view text, SharedTexts& texts);
  /// Does the same for texts of a phase or of the pod, without a bound, since they are few.
  void keep_always(std::string& place, std::string_view text, std::size_t longest = kLongestText);
  /// A sentence, followed by a comma and its cause if there is one.
  [[nodiscard]] static std::string sentence(std::string_view says, std::string_view cause);
  void forget_cards(Node& node);
  void add_reason(std::string_view reason);
  void take_reason(std::vector<std::string>::iterator at);
  void fail_card(const Fact& fact, const CardPlaces& places, SharedTexts& texts);
  void place_cards(Node& node, std::string_view reason);
  [[nodiscard]] std::string reason_of(const Node& node, const Fact& fact, const CardPlaces& places);
  void keep_latest(std::vector<NodeVerdict>& nodes, std::size_t most) const;
  void keep_counted(std::vector<NodeVerdict>& nodes, const std::vector<NodesReason>& reasons) const;
  [[nodiscard]] bool fails_on_all_nodes() const;
  [[nodiscard]] static bool is_unsaid(const Node& node);
  [[nodiscard]] std::string_view unsaid_reason() const;
  /// More was tried than the allocations and failures that are said: the log's level leaves some out.
  [[nodiscard]] bool has_untold() const;
  [[nodiscard]] std::optional<std::size_t> failed_container(const Node& node, bool untold) const;
  [[nodiscard]] NodeVerdict verdict_of(const std::string& name, const Node& node, std::string_view unsaid,
                                       bool untold) const;

  const Scheduler* scheduler_ = nullptr;  // null before a fact was heard
  bool heard_ = false;
  bool untried_ = false;      // it was only added or held back yet
  bool tells_cards_ = false;  // it says why a card does not do
  std::uint32_t log_ = 0;
  std::size_t times_ = 1;
  AttemptTime time_;
  flow::KlogInstant first_;
  flow::KlogInstant last_;
  std::string by_;  // what the scheduler is called, if it has a name of its own
  // Whether all that was said of the pod is what any scheduler says of any pod, by one that has a name.
  bool own_spoke_ = false;
  bool others_spoke_ = false;
  std::string uid_;
  std::string uid_before_;  // what was said of the pod in attempts before
  std::string target_;      // the node of the bind
  std::string nominated_;   // the node on which room is made
  std::string skipped_;     // why an extender was passed over
  std::vector<std::string> victims_;
  std::vector<Note> notes_;
  std::string room_error_;  // why no room is made
  bool carried_ = false;    // the nominated node and the victims are those of an attempt before
  Lifecycle life_;
  bool dry_run_ = false;              // the verdicts on nodes are all said
  bool has_node_ = false;             // so an informer says
  bool dequeued_ = false;             // life_.deleted follows only from that
  bool was_closed_ = false;           // before that
  std::vector<std::string> plugins_;  // those that left no node or hold the pod back
  std::map<std::string, Node, std::less<>> nodes_;
  std::vector<std::string> containers_;
  std::vector<std::size_t> requests_;  // for each container, how many kinds of device it asks for
  std::vector<std::string> reasons_;   // reasons of nodes whose verdicts have none
  std::uint32_t told_ = 0;             // the last Node::told
  std::vector<Card> loose_;            // cards that failed and whose node nobody knows
  std::size_t unplaced_ = 0;           // allocations on cards whose node nobody knows
  std::size_t allocated_ = 0;          // all allocations
  std::size_t tried_ = 0;              // requests that were looked at, on all nodes
  Phase filter_;
  Phase bind_;
  std::size_t bytes_ = sizeof(Attempt);
  std::size_t shared_ = 0;  // bytes of its texts that others may share
  bool cut_ = false;        // some of it has found no room
};

}  // namespace flowtap::diagnosis
