// Lists of flows that go on: what is there, then what comes, ends and changes.
#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/stream/reading/flows_service_kit.hpp"

namespace flowtap {
namespace {

// The store is written to in the way that the pipeline does it.
class FlowListReaderTest : public FlowsServiceTest {
 protected:
  void open(const std::string& flow) {
    flow::FlowStore::Writing writing(*store_, flow::FlowStore::Clock::now());
    writing.open_stream(*writing.flow(flow));
  }
  void end(const std::string& flow) {
    flow::FlowStore::Writing writing(*store_, flow::FlowStore::Clock::now());
    writing.end_stream(*writing.flow(flow), 1);
  }
  void rename(const std::string& flow, const std::string& to) {
    flow::FlowStore::Writing writing(*store_, flow::FlowStore::Clock::now());
    (void)writing.rename(writing.flow(flow), to);
  }
  static std::string pod(const std::string& name) { return "pod/ns/" + name + "/u/c/0"; }
  static std::vector<std::string> ids(const std::vector<api::FlowStatus>& flows) {
    std::vector<std::string> ids;
    for (const api::FlowStatus& flow : flows) ids.push_back(flow.id);
    return ids;
  }
  // The flows of one round, which a client takes in pieces of any size.
  static std::vector<api::FlowStatus> all(api::FlowListReader& reader) {
    std::vector<api::FlowStatus> flows;
    for (bool more = true; more;) {
      auto some = reader.take(1);
      more = some.more;
      for (api::FlowStatus& flow : some.flows) flows.push_back(std::move(flow));
    }
    return flows;
  }
  bool is_woken(api::FlowListReader& reader) {
    std::promise<void> woken;
    reader.when_more([&woken] { woken.set_value(); });
    return woken.get_future().wait_for(std::chrono::seconds(20)) == std::future_status::ready;
  }
  void set_groups(const std::vector<flow::GroupRule>& rules) {
    service_.set_groups(std::move(*flow::GroupRules::parse(rules)));
  }

  using Ids = std::vector<std::string>;
  FlowsService service_{*journal_, *store_, *waker_, suspicion_, nullptr};
};

TEST_F(FlowListReaderTest, TellsWhatIsThereThenWhatComesAndEnds) {
  open(pod("a"));
  open(pod("b"));
  const auto reader = *service_.list_reader({});
  EXPECT_EQ(ids(all(*reader)), (Ids{pod("a"), pod("b")}));
  EXPECT_EQ(ids(all(*reader)), Ids());
  open(pod("c"));
  EXPECT_TRUE(is_woken(*reader));
  EXPECT_EQ(ids(all(*reader)), Ids{pod("c")});
  end(pod("a"));
  EXPECT_TRUE(is_woken(*reader));
  const auto ended = all(*reader);
  ASSERT_EQ(ids(ended), Ids{pod("a")});
  EXPECT_FALSE(ended.front().open);
  rename(pod("b"), pod("d"));
  EXPECT_EQ(ids(all(*reader)), Ids{pod("d")});
  open(pod("a"));
  EXPECT_EQ(ids(all(*reader)), Ids{pod("a")});
}

// A client that takes a list slowly misses nothing that changes meanwhile.
TEST_F(FlowListReaderTest, WhatChangesWhileItIsTakenIsToldBehindIt) {
  for (const char* name : {"b", "c", "d", "e"}) open(pod(name));
  const auto reader = *service_.list_reader({});
  auto some = reader->take(2);
  EXPECT_EQ(ids(some.flows), (Ids{pod("b"), pod("c")}));
  EXPECT_TRUE(some.more);
  open(pod("a"));
  end(pod("b"));
  EXPECT_EQ(ids((*service_.list_reader({}))->take(9).flows).front(), pod("a"))
      << "another client's list is no older than it";
  some = reader->take(2);
  EXPECT_EQ(ids(some.flows), (Ids{pod("d"), pod("e")}));
  EXPECT_FALSE(some.more);
  EXPECT_TRUE(is_woken(*reader));
  some = reader->take(1);
  EXPECT_EQ(ids(some.flows), Ids{pod("a")});
  EXPECT_TRUE(some.more);
  end(pod("e"));
  some = reader->take(9);
  EXPECT_EQ(ids(some.flows), (Ids{pod("b"), pod("e")})) << "and e again, as far as anybody knows";
  EXPECT_EQ(ids(reader->take(9).flows), Ids{pod("e")});
  EXPECT_EQ(ids(reader->take(9).flows), Ids());
}

// Flows that nobody has captured are told with the first list, if they are asked for.
TEST_F(FlowListReaderTest, OfAGroupAlsoWhatOnlyTheRuntimeHas) {
  test::FileTree tree;
  for (const char* path : {"ns_wf-1-a_u/c/0.log", "ns_wf-1-a_u/init/0.log", "ns_wf-2-a_u/c/0.log"})
    tree.file(std::string("var/log/pods/") + path, "");
  const auto history = std::move(*Histories::open(tree.root()));
  FlowsService service(*journal_, *store_, *waker_, suspicion_, nullptr, history.get());
  service.set_groups(std::move(*flow::GroupRules::parse({{"wf-(*)-*", "", "$1"}})));
  open(pod("wf-1-a"));
  open(pod("wf-1-b"));
  const std::string init = "pod/ns/wf-1-a/u/init/0";
  EXPECT_EQ(ids(service.flows({.group = "1", .history = true})), (Ids{pod("wf-1-a"), init, pod("wf-1-b")}));
  EXPECT_EQ(ids(service.flows({.pod = "wf-2-a", .history = true})), Ids{pod("wf-2-a")});
  EXPECT_EQ(ids(service.flows({.ns = "else", .history = true})), Ids());
  EXPECT_EQ(ids(service.flows({.kind = "unit", .history = true})), Ids());
  EXPECT_EQ(ids(service.flows({.group = "1"})), (Ids{pod("wf-1-a"), pod("wf-1-b")}));
  const auto reader = *service.list_reader({.group = "1", .history = true});
  EXPECT_EQ(ids(all(*reader)), (Ids{pod("wf-1-a"), init, pod("wf-1-b")}));
  end(pod("wf-1-b"));
  EXPECT_EQ(ids(all(*reader)), Ids{pod("wf-1-b")});
}

TEST_F(FlowListReaderTest, OfAGroupAlsoWhatARuleMovesThere) {
  set_groups({{"wf-(*)-*", "", "$1"}});
  open(pod("wf-1-a"));
  open(pod("wf-2-a"));
  const auto reader = *service_.list_reader({.ns = {}, .pod = {}, .group = "1", .kind = {}});
  EXPECT_EQ(ids(all(*reader)), Ids{pod("wf-1-a")});
  open(pod("wf-2-b"));
  EXPECT_EQ(ids(all(*reader)), Ids());
  open(pod("wf-1-b"));
  EXPECT_EQ(ids(all(*reader)), Ids{pod("wf-1-b")});
  set_groups({{"wf-2-a", "", "1"}, {"wf-(*)-*", "", "$1"}});
  EXPECT_TRUE(is_woken(*reader));
  EXPECT_EQ(ids(all(*reader)), Ids{pod("wf-2-a")});
  EXPECT_EQ(ids(all(*reader)), Ids());
}

}  // namespace
}  // namespace flowtap
