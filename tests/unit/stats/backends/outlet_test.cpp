#include "stats/outlet.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "tests/support/metrics/snapshots.hpp"

namespace flowtap::stats {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::SnapshotScript;

/// The snapshots that a scripted backend got, and the gate that holds it up; outlives the backend.
struct Script {
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<std::uint64_t> cycles;
  bool open = true;
  bool works = true;
  bool inside = false;

  void wait_for(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex);
    changed.wait(lock, condition);
  }
  void set(bool& what, bool value) {
    const std::scoped_lock lock(mutex);
    what = value;
    changed.notify_all();
  }
};

class ScriptedBackend : public Backend {
 public:
  explicit ScriptedBackend(std::shared_ptr<Script> script) : script_(std::move(script)) {}
  [[nodiscard]] std::string name() const override { return "scripted"; }
  Status publish(const SnapshotPtr& snapshot) override {
    std::unique_lock lock(script_->mutex);
    script_->inside = true;
    script_->changed.notify_all();
    script_->changed.wait(lock, [this] { return script_->open; });
    script_->inside = false;
    script_->cycles.push_back(snapshot->cycle);
    script_->changed.notify_all();
    if (!script_->works) return fail("refused");
    return {};
  }
  [[nodiscard]] BackendHealth health() const override { return {true, 3, 4, ""}; }

 private:
  std::shared_ptr<Script> script_;
};

TEST(Outlet, PublishesWhatIsOffered) {
  auto script = std::make_shared<Script>();
  SnapshotScript snapshots;
  Outlet outlet(std::make_unique<ScriptedBackend>(script));
  EXPECT_EQ(outlet.name(), "scripted");
  outlet.offer(snapshots.next());
  script->wait_for([&] { return script->cycles.size() == 1; });
  EXPECT_TRUE(outlet.stop(seconds(10)));
  EXPECT_EQ(script->cycles,
            (std::vector<std::uint64_t>{1}));  // a delivered snapshot is not repeated at the end
  EXPECT_EQ(outlet.health().pending, 3U);
  EXPECT_EQ(outlet.health().lost, 4U);
}

TEST(Outlet, ABusyBackendGetsTheNewestAndDelaysNobody) {
  auto script = std::make_shared<Script>();
  script->open = false;
  SnapshotScript snapshots;
  Outlet outlet(std::make_unique<ScriptedBackend>(script));
  outlet.offer(snapshots.next());
  script->wait_for([&] { return script->inside; });
  for (int i = 0; i < 1000; ++i)
    outlet.offer(snapshots.next());  // offer() returns although publish() does not
  script->set(script->open, true);
  EXPECT_TRUE(outlet.stop(seconds(10)));
  EXPECT_EQ(script->cycles, (std::vector<std::uint64_t>{1, 1001}));
}

TEST(Outlet, AFailureIsTriedAgainWithoutANewOffer) {
  auto script = std::make_shared<Script>();
  script->works = false;
  SnapshotScript snapshots;
  Outlet outlet(std::make_unique<ScriptedBackend>(script), milliseconds(1));
  outlet.offer(snapshots.next());
  script->wait_for([&] { return script->cycles.size() >= 2; });
  EXPECT_FALSE(outlet.health().up);
  EXPECT_EQ(outlet.health().last_error, "refused");
  script->set(script->works, true);
  const std::size_t before = script->cycles.size();
  script->wait_for([&] { return script->cycles.size() > before; });
  EXPECT_TRUE(outlet.stop(seconds(10)));
  EXPECT_TRUE(outlet.health().up);
}

TEST(Outlet, StopPublishesOnceMoreWhatWasNotDelivered) {
  auto script = std::make_shared<Script>();
  script->works = false;
  SnapshotScript snapshots;
  Outlet outlet(std::make_unique<ScriptedBackend>(script));
  outlet.offer(snapshots.next());
  script->wait_for([&] { return script->cycles.size() == 1; });
  EXPECT_TRUE(outlet.stop(seconds(10)));
  EXPECT_GE(script->cycles.size(), 2U);
}

TEST(Outlet, StopDoesNotWaitForABackendThatHangs) {
  auto script = std::make_shared<Script>();
  script->open = false;
  SnapshotScript snapshots;
  {
    Outlet outlet(std::make_unique<ScriptedBackend>(script));
    outlet.offer(snapshots.next());
    script->wait_for([&] { return script->inside; });
    EXPECT_FALSE(outlet.stop(milliseconds(20)));
  }
  // The thread that was left behind ends by itself once its receiver releases it, and touches no freed memory.
  script->set(script->open, true);
  script->wait_for([&] { return !script->cycles.empty(); });
}

TEST(Outlet, OneThatWasNeverOfferedAnythingEnds) {
  auto script = std::make_shared<Script>();
  Outlet outlet(std::make_unique<ScriptedBackend>(script));
  EXPECT_TRUE(outlet.stop(seconds(10)));
  EXPECT_TRUE(outlet.stop(seconds(10)));
  EXPECT_TRUE(script->cycles.empty());
}

}  // namespace
}  // namespace flowtap::stats
