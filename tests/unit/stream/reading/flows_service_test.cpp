// What the API says about flows, over a real journal.
#include "stream/reading/flows_service.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "base/rfc3339.hpp"
#include "identity/flow_labels.hpp"
#include "stream/store/pipeline.hpp"
#include "tests/support/files/file_tree.hpp"
#include "tests/unit/stream/reading/flows_service_kit.hpp"

namespace flowtap {
namespace {

std::uint64_t now_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::nanoseconds(now).count());
}

TEST_F(FlowsServiceTest, FlowsOfATimeWithMissedEventsAreSuspect) {
  const std::uint64_t from = now_ns();
  add("proc/1-1", {from + 10, from + 20}, true);
  add("proc/2-1", {from + 10, from + 500}, true);
  add("proc/3-1", {from + 10}, false);  // what it has said since may not have been seen
  add("proc/4-1", {from + 600}, true);
  add("proc/5-1", {}, false);  // that no bytes of it were seen means nothing
  using All = std::map<std::string, bool>;
  suspicion_.look({}, from + 100);
  EXPECT_EQ(suspects(), (All{{"proc/1-1", false},
                             {"proc/2-1", false},
                             {"proc/3-1", false},
                             {"proc/4-1", false},
                             {"proc/5-1", false}}));
  suspicion_.look({.unseen = 1}, from + 200);
  EXPECT_EQ(suspects(), (All{{"proc/1-1", false},
                             {"proc/2-1", true},
                             {"proc/3-1", true},
                             {"proc/4-1", false},
                             {"proc/5-1", true}}));
}

// What was missed may be the last thing that it said, long after the bytes before.
TEST_F(FlowsServiceTest, AFlowIsSuspectUpToItsEnd) {
  const std::string id = "proc/1-1";
  {
    flow::FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow(id);
    writing.open_stream(*flow);
    writing.add(*flow, 1, "stdout", {"x", true, 0, 2, 10});
    writing.end_stream(*flow, 900);
  }
  suspicion_.look({}, 500);
  EXPECT_EQ(suspects(), (std::map<std::string, bool>{{id, false}}));
  suspicion_.look({.unseen = 1}, 800);
  EXPECT_EQ(suspects(), (std::map<std::string, bool>{{id, true}}));
  add(id, {10}, true);
  EXPECT_EQ(suspects(), (std::map<std::string, bool>{{id, true}})) << "and if the journal has it as well";
}

TEST_F(FlowsServiceTest, WhatTheJournalHasForgottenHasTheNameInItsId) {
  const std::map<std::string, std::string> names{{"container/batch-1f8bb19be14c", "batch"},
                                                 {"container/batch-1f8bb19be14c@3", "batch"},
                                                 {"container/a-0123456789ab-1f8bb19be14c", "a-0123456789ab"},
                                                 {"container/a%20b%40-1f8bb19be14c", "a b@"},
                                                 {"container/1f8bb19be14c", ""},
                                                 {"container/1f8b%2D1", ""},
                                                 {"container/outer-1f8bb19be14c@2/inner-a@4", "outer"},
                                                 {"unit/a-1f8bb19be14c", ""},
                                                 {"pod/shop/web-0/u/app/0", "app"}};
  {
    flow::FlowStore::Writing writing(*store_, {});
    for (const auto& [id, name] : names) {
      const auto flow = writing.flow(id);
      writing.open_stream(*flow);
      writing.add(*flow, 1, "stdout", {"x", true, 0, 2, 1});
    }
  }
  const auto listed = FlowsService(*journal_, *store_, *waker_, suspicion_, nullptr).flows({});
  EXPECT_EQ(listed.size(), names.size());
  for (const api::FlowStatus& flow : listed)
    EXPECT_EQ(flow.container.value_or(""), names.at(flow.id)) << flow.id;
}

// In a scheduler's log, and in the flows made of such logs, what klog wrote as one record is one record of OpenTelemetry's, too.
TEST_F(FlowsServiceTest, RecordsAreOfSchedulersAlone) {
  FlowsService service(*journal_, *store_, *waker_, suspicion_, nullptr, nullptr, nullptr,
                       [](const std::string& flow) { return flow == "pod/kube-system/s/u/c/0"; });
  const auto records = [&](const std::string& id) {
    {
      flow::FlowStore::Writing writing(*store_, {});
      const auto flow = writing.flow(id);
      writing.open_stream(*flow);
      writing.add(*flow, 1, "stderr", {"I0821 07:20:00.000001       1 a.go:1] x", true, 0, 40, 1});
      writing.add(*flow, 1, "stderr", {"more", true, 40, 45, 1});
    }
    auto reader = service.log(id, {.otel = true});
    EXPECT_TRUE(reader && *(*reader)->prepare());
    const auto piece = (*reader)->read(std::size_t{1} << 20U);
    EXPECT_TRUE(piece && piece->end);
    return std::ranges::count(piece->bytes, '\n');
  };
  EXPECT_EQ(records("pod/kube-system/s/u/c/0"), 1);
  EXPECT_EQ(records("sched/a/b"), 1);
  EXPECT_EQ(records("pod/a/b/u/c/0"), 2);
}

// Lines that the runtime wrote before the capture began are read from its file, even if they are only a moment old.
TEST_F(FlowsServiceTest, KnowsSinceWhenWhatRanBeforeIsCaptured) {
  test::FileTree tree;
  const std::string id = "pod/shop/web-0/u-1/app/0";
  const std::uint64_t line = now_ns() + 900'000'000'000;  // late enough for a slow machine
  tree.file("var/log/pods/shop_web-0_u-1/app/0.log",
            rfc3339_nano(std::chrono::system_clock::time_point(std::chrono::nanoseconds(line))) +
                " stdout F just before\n");
  const auto history = std::move(*Histories::open(tree.root()));
  FlowsService service(*journal_, *store_, *waker_, suspicion_, nullptr, history.get());
  add(id, {}, false);
  const auto log = [&] {
    auto reader = service.log(id, {.follow = true});
    EXPECT_TRUE(reader && *(*reader)->prepare());
    std::string all;
    for (auto piece = (*reader)->read(1000); piece->again || !piece->bytes.empty();
         piece = (*reader)->read(1000))
      all += piece->bytes;
    return all;
  };
  EXPECT_EQ(log(), "");
  service.add_begun({{streams_, line + 1}, {streams_ + 1, line + 2}});
  EXPECT_EQ(log(), "just before\n");
  service.add_begun({{streams_, 1}, {streams_ + 1, 1}});
  EXPECT_EQ(log(), "") << "long ago";
}

// A container that ran before wrote more than was captured, and nobody has counted it yet: from the first list on it says so.
TEST_F(FlowsServiceTest, SaysOfWhatRanBeforeThatThereIsMore) {
  const test::FileTree tree;
  const auto history = std::move(*Histories::open(tree.root()));
  BeforeCounter counter(*store_, *history);
  BegunBefore begun(*journal_, *store_);
  FlowsService service(*journal_, *store_, *waker_, suspicion_, nullptr, history.get(), nullptr, {}, &begun);
  const auto more = [&service] {
    std::map<std::string, bool> all;
    for (const api::FlowStatus& flow : service.flows({})) all[flow.id] = flow.more_before;
    return all;
  };
  using All = std::map<std::string, bool>;
  const std::string before = "pod/shop/before/u-1/app/0";
  const std::string begins = "pod/shop/begins/u-2/app/0";
  add(before, {}, false);
  begun.add({{streams_, now_ns()}, {streams_ + 100, now_ns()}});
  add(begins, {}, false);
  EXPECT_EQ(more(), (All{{before, true}, {begins, false}})) << "the store does not have it yet";
  begun.look(counter);
  EXPECT_EQ(more(), (All{{before, true}, {begins, false}}));
  {
    flow::FlowStore::Writing writing(*store_, {});
    for (const std::string& id : {before, begins}) writing.open_stream(*writing.flow(id));
  }
  EXPECT_EQ(more(), (All{{before, true}, {begins, false}})) << "nobody has looked for it";
  begun.look(counter);
  EXPECT_EQ(begun.flows(), std::set<std::string>());
  EXPECT_EQ(more(), (All{{before, true}, {begins, false}})) << "the runtime has no file of it";
  store_->set_before(before, {.state = flow::Before::State::kCounted, .bytes = 10, .lines = 1});
  EXPECT_EQ(more(), (All{{before, false}, {begins, false}}));
}

// Lines that wait in the journal come from there, and not already from the runtime's file.
TEST_F(FlowsServiceTest, WhatIsOnItsWayForLongComesOnce) {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  test::FileTree tree;
  const std::string id = "pod/shop/web-0/u-1/app/0";
  const std::uint64_t now = now_ns();
  const auto line = [](std::uint64_t time, const std::string& text) {
    return rfc3339_nano(std::chrono::system_clock::time_point(std::chrono::nanoseconds(time))) +
           " stdout F " + text + "\n";
  };
  tree.file("var/log/pods/shop_web-0_u-1/app/0.log",
            line(now - 20 * kSecond, "before") + line(now - 9 * kSecond, "waits"));
  const auto history = std::move(*Histories::open(tree.root()));
  FlowsService service(*journal_, *store_, *waker_, suspicion_, nullptr, history.get());
  const auto log = [&](bool follow) {
    auto reader = service.log(id, {.follow = follow});
    EXPECT_TRUE(reader && *(*reader)->prepare());
    std::string all;
    for (auto piece = (*reader)->read(1000); piece->again || !piece->bytes.empty();
         piece = (*reader)->read(1000))
      all += piece->bytes;
    return all;
  };
  const auto take_all = [&] {
    flow::JournalPlace place;
    for (auto part = journal_->tail(place, 1000); !part->end; part = journal_->tail(place, 1000))
      place = part->next;
    journal_->taken(place);
  };
  take_all();
  add("proc/1-1", {now - 30 * kSecond}, false);
  add(id, {now - 10 * kSecond}, false);
  EXPECT_EQ(log(true), "before\n");
  EXPECT_EQ(log(false), "before\nwaits\n") << "which ends before it comes";
  take_all();
  EXPECT_EQ(log(true), "before\nwaits\n") << "it came, and has made room";
}

// A gap that the lines' own path made is not in the journal, and a gap that was filled is no longer missing.
TEST_F(FlowsServiceTest, WhatIsMissingIsWhatTheLogLacks) {
  add("pod/a/b/u/c/0", {now_ns()}, false);
  const auto missing = [&] {
    return FlowsService(*journal_, *store_, *waker_, suspicion_, nullptr).flows({}).at(0).missing_bytes;
  };
  EXPECT_EQ(missing(), 0U);
  {
    flow::FlowStore::Writing writing(*store_, {});
    writing.add_gap(*writing.flow("pod/a/b/u/c/0"), 1, "stdout", 100, 1);
  }
  EXPECT_EQ(missing(), 100U);
}

// The log must not change when the journal forgets whose it is.
TEST_F(FlowsServiceTest, ReturnsAreWhereTheRuntimeHadThemWhenTheJournalHasForgottenIt) {
  const FlowLabels crio{.runtime = "cri-o"};
  const FlowLabels containerd{.runtime = "containerd"};
  const auto id = [](const std::string& pod) { return "pod/a/" + pod + "/u/c/0"; };
  const auto say = [&](const std::string& flow, const std::string& identity) {
    flow::Batch batch;
    batch.add(flow::StreamEntry{++streams_, {.flow = flow, .output = "stdout", .identity = identity}});
    batch.add(flow::BytesEntry{streams_, 0, 1, 0, std::as_bytes(std::span("one\r\n", 5))});
    batch.add(flow::EndEntry{streams_, 5, 1, {}});
    ASSERT_TRUE(journal_->append(batch));
  };
  say(id("o"), render_labels(crio)), say(id("d"), render_labels(containerd)), say(id("x"), "");
  {
    flow::Pipeline pipeline(*journal_, *store_, std::uint64_t{8} << 20U);
    pipeline.replay(1);
  }
  const auto log = [&](const std::string& pod) {
    FlowsService service(*journal_, *store_, *waker_, suspicion_, nullptr);
    auto reader = service.log(id(pod), {});
    EXPECT_TRUE(reader && *(*reader)->prepare());
    const auto piece = (*reader)->read(1000);
    EXPECT_TRUE(piece && piece->end);
    return piece->bytes;
  };
  for (const bool forgotten : {false, true}) {
    SCOPED_TRACE(forgotten);
    if (forgotten) {
      journal_.reset();
      journal_ = std::move(*flow::Journal::open({.dir = dir_ / "another"}));
      store_.reset();
      store_ = flow::FlowStore::open({.dir = dir_ / "journal"});
    }
    EXPECT_EQ(log("o"), "one\r\n");
    EXPECT_EQ(log("d"), "one\n");
    EXPECT_EQ(log("x"), "one\n") << "nobody knows it";
    for (const api::FlowStatus& flow :
         FlowsService(*journal_, *store_, *waker_, suspicion_, nullptr).flows({}))
      EXPECT_EQ(flow.runtime.value_or(""), flow.id == id("o")   ? "cri-o"
                                           : flow.id == id("d") ? "containerd"
                                                                : "");
  }
}

// The container runs and says nothing.
TEST_F(FlowsServiceTest, WhoFollowsAnOpenFlowThatMadeRoomWaits) {
  add("pod/a/b/u/c/0", {now_ns()}, false);
  add("pod/a/b/u/c/1", {now_ns()}, true);
  FlowsService service(*journal_, *store_, *waker_, suspicion_, nullptr);
  auto reader = service.log("pod/a/b/u/c/0", {.follow = true});
  ASSERT_TRUE(reader) << reader.error().what;
  const auto piece = (*reader)->read(1000);
  ASSERT_TRUE(piece);
  EXPECT_FALSE(piece->end);
  // One that has ended is read of the journal, and ends.
  reader = service.log("pod/a/b/u/c/1", {.follow = true});
  ASSERT_TRUE(reader && *(*reader)->prepare());
  std::string all;
  for (int i = 0; i < 10; ++i) {
    const auto more = (*reader)->read(1000);
    ASSERT_TRUE(more);
    all += more->bytes;
    if (more->end) all += "|";
    if (more->end) break;
  }
  EXPECT_EQ(all, "x|");
}

// The container writes on, so an end of the log would not be true.
TEST_F(FlowsServiceTest, WhatIsNotCapturedIsReadOfTheRuntimeAndNotFollowed) {
  test::FileTree tree;
  tree.file("var/log/pods/shop_web-0_u-1/app/0.log", "2026-01-01T00:00:00.000000001Z stdout F kept\n");
  const auto history = std::move(*Histories::open(tree.root()));
  const std::string id = "pod/shop/web-0/u-1/app/0";
  const std::string other = "pod/shop/web-1/u-1/app/0";
  flow::Batch batch;
  for (const std::string& flow : {id, other}) {
    flow::StreamName name{.flow = flow, .output = "stdout", .identity = {}, .kind = FTAP_KIND_FILE};
    name.capture = flow::Capture::kNot;
    batch.add(flow::StreamEntry{++streams_, std::move(name)});
    batch.add(flow::EndEntry{streams_, 0, 0, {}});
  }
  ASSERT_TRUE(journal_->append(batch));
  FlowsService service(*journal_, *store_, *waker_, suspicion_, nullptr, history.get());
  auto reader = service.log(id, {});
  ASSERT_TRUE(reader) << reader.error().what;
  EXPECT_EQ((*reader)->read(1000)->bytes, "kept\n");
  const auto refusal = [&](const std::string& flow, const api::LogReadOptions& options) {
    const auto refused = service.log(flow, options);
    return refused ? Error() : refused.error();
  };
  const Error followed = refusal(id, {.follow = true});
  EXPECT_EQ(followed.code, ENOTSUP);
  EXPECT_EQ(followed.what, "what \"" + id + "\" writes is not captured (stdout: uncaptured_file)");
  EXPECT_EQ(followed.hint,
            "it cannot be followed; read it without -f (follow=true) to see what its runtime has kept");
  const Error none = refusal(other, {});
  EXPECT_EQ(none.code, ENOTSUP) << "it is listed";
  EXPECT_EQ(none.hint, "its runtime has not kept anything of it on this node, either");
  EXPECT_EQ(refusal("pod/shop/web-2/u-1/app/0", {.follow = true}).code, ENOENT);
}

}  // namespace
}  // namespace flowtap
