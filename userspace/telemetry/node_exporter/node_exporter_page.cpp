#include "telemetry/node_exporter/node_exporter_page.hpp"

#include <array>
#include <utility>

#include "base/node/on_host.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry {
namespace {

using node_exporter::Found;
using node_exporter::Lane;
using node_exporter::Reader;
using node_exporter::Source;
using stats::compat::Page;
using stats::compat::PageKind;

using PageClock = std::chrono::steady_clock;

void add_success(const Reader& reader, bool success, Page& out) {
  if (reader.name.empty()) return;
  out.add("node_scrape_collector_success", PageKind::kGauge, "Whether a collector has read what it should.",
          {{"collector", std::string(reader.name)}}, success ? 1 : 0);
}

// How the readers did comes first: it has room, whatever they read.
Page read_lane(Lane lane, Source& from) {
  Page page;
  std::vector<Page> read;
  for (const Reader& reader : node_exporter::readers()) {
    if (reader.lane != lane) continue;
    from.begin();
    const auto begin = PageClock::now();
    Page& own = read.emplace_back(node_exporter::kMostOfReader);
    const bool found = reader.read(from, own) == Found::kSomething;
    const std::chrono::duration<double> took = PageClock::now() - begin;
    add_success(reader, found && !from.failed() && !own.full(), page);
    if (!reader.name.empty())
      page.add("node_scrape_collector_duration_seconds", PageKind::kGauge, "How long a collector took.",
               {{"collector", std::string(reader.name)}}, took.count());
  }
  for (Page& own : read) page.merge(std::move(own));
  return page;
}

}  // namespace

// What a lane has read. The lane's thread outlives us if it hangs.
struct NodeExporterPage::Board {
  std::mutex mutex;
  Page page;
};

class NodeExporterPage::LaneCollector final : public Collector {
 public:
  LaneCollector(Lane lane, Source from, std::shared_ptr<Board> board)
      : lane_(lane), from_(std::move(from)), board_(std::move(board)) {}

  [[nodiscard]] std::string_view name() const override { return "node_exporter"; }
  void collect(Collected& /*out*/) override {
    Page page = read_lane(lane_, from_);
    const std::scoped_lock lock(board_->mutex);
    board_->page = std::move(page);
  }

 private:
  Lane lane_;
  Source from_;
  std::shared_ptr<Board> board_;
};

NodeExporterPage::NodeExporterPage(std::string host_root, std::chrono::milliseconds limit, Now now)
    : host_root_(std::move(host_root)), limit_(limit), now_(std::move(now)) {}

NodeExporterPage::~NodeExporterPage() = default;

void NodeExporterPage::begin_lanes() {
  const Source from(on_host(host_root_, "/proc"), on_host(host_root_, "/sys"), on_host(host_root_, ""));
  for (std::uint8_t lane = 0; lane < node_exporter::kLanes; ++lane) {
    boards_.push_back(std::make_shared<Board>());
    lanes_.add(std::make_unique<LaneCollector>(static_cast<Lane>(lane), from, boards_.back()));
  }
}

Page NodeExporterPage::read() {
  const auto asked = now_();
  const std::scoped_lock lock(mutex_);
  // Whoever waited while somebody else's reading ran has its result.
  if (!boards_.empty() && asked < ended_ + kLeast) return last_;
  if (boards_.empty()) begin_lanes();
  std::vector<stats::Series> none;
  lanes_.collect(limit_, none);
  last_ = Page();
  for (std::size_t i = 0; i < boards_.size(); ++i) {
    // A lane that was cut off may have come to the end of the reading before since the last call: one that always takes a
    // little longer is a call behind, and not absent.
    const std::scoped_lock board(boards_[i]->mutex);
    Page page = std::exchange(boards_[i]->page, Page());
    if (page.families().empty())
      for (const Reader& reader : node_exporter::readers())
        if (reader.lane == static_cast<Lane>(i)) add_success(reader, false, last_);
    last_.merge(std::move(page));
  }
  ended_ = now_();
  return last_;
}

}  // namespace flowtap::telemetry
