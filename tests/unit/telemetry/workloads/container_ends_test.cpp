#include "telemetry/workloads/container_ends.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <utility>

#include "tests/support/files/temp_dir.hpp"

namespace flowtap::telemetry {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

EndedWorkload of_pod(const std::string& pod, const std::string& container, const std::string& run = "0") {
  return {
      .name = {.kind = WorkloadKind::kPod, .ns = "shop", .pod = pod, .container = container, .workload = {}},
      .id = "id" + run,
      .flow = "pod/" + pod + "/" + run};
}
EndedWorkload of_container(const std::string& name, const std::string& id) {
  return {.name = {.kind = WorkloadKind::kContainer, .ns = {}, .pod = {}, .container = name, .workload = {}},
          .id = id,
          .flow = "container/" + name + "-" + id};
}
EndedWorkload of_unit(const std::string& name) {
  return {.name = {.kind = WorkloadKind::kUnit, .ns = {}, .pod = {}, .container = {}, .workload = name},
          .id = {},
          .flow = "unit/" + name};
}
stats::ProcessEnd ended(int status) {
  return {.status = status, .time = Clock::now(), .name = "app"};
}
Ends container(EndedWorkload of, int status) {
  return {.containers = {{std::move(of), ended(status)}}, .services = {}, .oom_kills = {}};
}
Ends kills(EndedWorkload of, std::uint64_t count) {
  return {.containers = {}, .services = {}, .oom_kills = {{std::move(of), count, ended(9)}}};
}
Ends service(const std::string& name, std::optional<stats::ProcessEnd> end) {
  return {.containers = {}, .services = {{of_unit(name), std::move(end)}}, .oom_kills = {}};
}

TEST(ContainerEnds, TheLastOfEachContainerOfAPod) {
  ContainerEnds ends;
  ends.note(container(of_pod("web-0", "b"), 1));
  ends.note(container(of_pod("web-0", "a"), 2));
  ends.note(container(of_pod("web-00", "a"), 3));
  ends.note(container(of_pod("web-0", "b"), 4));
  ends.note(container(of_pod("web-0", std::string(kSandbox)), 9));
  const auto all = ends.of_pod("shop", "web-0");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(0).end->status, 2);
  EXPECT_EQ(all.at(1).end->status, 4);
  EXPECT_TRUE(ends.of_pod("shop", "web").empty());
  EXPECT_TRUE(ends.of_pod("other", "web-0").empty());
}

TEST(ContainerEnds, KillsOfARunBeforeAreNotToldAgainWhereTheNextOneIsCalledTheSame) {
  ContainerEnds ends;
  const auto batch = of_container("batch", "1f8b");
  const auto counted = [&] { return ends.in_no_pod().at(0).oom_kills->count; };
  const auto killed = [&](int second, std::uint64_t count) {
    Ends some = kills(batch, count);
    some.oom_kills.at(0).last.time += std::chrono::seconds(second);
    return some;
  };
  const auto over = [&](int second) {
    Ends some = container(batch, 9);
    some.containers.at(0).end.time += std::chrono::seconds(second);
    return some;
  };
  ends.note(killed(0, 2));
  Ends both = over(10);
  both.oom_kills = killed(10, 1).oom_kills;
  ends.note(std::move(both));
  EXPECT_EQ(counted(), 3U);
  ends.note(killed(20, 1));
  EXPECT_EQ(counted(), 1U) << "it was started again";
  ends.note(over(30));
  EXPECT_EQ(counted(), 1U);
  ends.note(over(40));
  EXPECT_FALSE(ends.in_no_pod().at(0).oom_kills);
}

TEST(ContainerEnds, KillsAreOfTheRunThatEndedLastOrGoesOn) {
  ContainerEnds ends;
  ends.note(kills(of_pod("web-0", "a", "0"), 1));
  ends.note(kills(of_pod("web-0", "a", "0"), 2));
  EXPECT_FALSE(ends.of_pod("shop", "web-0").at(0).end) << "it goes on";
  EXPECT_EQ(ends.of_pod("shop", "web-0").at(0).oom_kills->count, 3U);
  ends.note(container(of_pod("web-0", "a", "0"), 0));
  EXPECT_EQ(ends.of_pod("shop", "web-0").at(0).oom_kills->count, 3U);
  ends.note(kills(of_pod("web-0", "a", "1"), 1));
  EXPECT_EQ(ends.of_pod("shop", "web-0").at(0).oom_kills->count, 1U);
  EXPECT_EQ(ends.of_pod("shop", "web-0").at(0).end->flow, "pod/web-0/0");
  ends.note(container(of_pod("web-0", "a", "2"), 0));
  EXPECT_FALSE(ends.of_pod("shop", "web-0").at(0).oom_kills);
}

TEST(ContainerEnds, AreOfTheRunThatWentOnThen) {
  ContainerEnds ends;
  EndRecord::Time asked{};
  ends.know_runs([&](const std::string& first, EndRecord::Time time) {
    asked = time;
    return first + "@2";
  });
  const auto before = std::chrono::system_clock::now();
  ends.note(kills(of_container("batch", "1f8b"), 1));
  EXPECT_EQ(ends.in_no_pod().at(0).oom_kills->flow, "container/batch-1f8b@2");
  ends.note(container(of_container("batch", "1f8b"), 9));
  EXPECT_EQ(ends.in_no_pod().at(0).end->flow, "container/batch-1f8b@2");
  EXPECT_EQ(ends.in_no_pod().at(0).end->time, asked);
  EXPECT_LT(asked - before, std::chrono::seconds(10));
}

TEST(ContainerEnds, OfTheRunsOfOneContainer) {
  ContainerEnds ends;
  ends.know_runs([](const std::string& first, EndRecord::Time) { return first + "@2"; });
  ends.note(container(of_container("batch", "1f8b"), 9));
  ends.note(kills(of_container("batch", "1f8b"), 1));
  ends.note(container(of_container("other", "1f8c"), 9));
  const auto of_one = ends.of_runs("container/batch-1f8b");
  ASSERT_EQ(of_one.size(), 2U);
  const EndRecord record = ends.in_no_pod().at(0);
  EXPECT_EQ(of_one.at(0).flow, "container/batch-1f8b@2");
  EXPECT_EQ(of_one.at(0).time, record.end->time);
  EXPECT_EQ(of_one.at(1).time, record.oom_kills->time);
  EXPECT_TRUE(ends.of_runs("container/batch").empty());
}

// Those that are heard of at once have no order.
TEST(ContainerEnds, TheLastIsTheOneThatCameLast) {
  using std::chrono::seconds;
  ContainerEnds ends;
  const auto now = Clock::now();
  const auto at = [now](Ends all, seconds ago) {
    for (EndedContainer& one : all.containers) one.end.time = now - ago;
    for (OomKills& one : all.oom_kills) one.last.time = now - ago;
    return all;
  };
  ends.know_runs([&](const std::string& first, EndRecord::Time time) {
    const bool is_second =
        first.starts_with("container/") && time > std::chrono::system_clock::now() - seconds(3);
    return first + (is_second ? "@2" : "");
  });
  ends.note(at(container(of_container("batch", "1f8b"), 2), seconds(1)));
  ends.note(at(container(of_container("batch", "1f8b"), 1), seconds(5)));
  ends.note(at(kills(of_container("batch", "1f8b"), 1), seconds(6)));
  ends.note(at(container(of_pod("web-0", "a", "1"), 2), seconds(1)));
  ends.note(at(container(of_pod("web-0", "a", "0"), 1), seconds(5)));
  EXPECT_EQ(ends.in_no_pod().at(0).end->status, 2);
  EXPECT_EQ(ends.in_no_pod().at(0).end->flow, "container/batch-1f8b@2");
  EXPECT_FALSE(ends.in_no_pod().at(0).oom_kills) << "of the run before";
  EXPECT_EQ(ends.of_pod("shop", "web-0").at(0).end->flow, "pod/web-0/1");
  ends.note(at(kills(of_container("batch", "1f8b"), 1), seconds(2)));
  EXPECT_TRUE(ends.in_no_pod().at(0).oom_kills) << "of this run";
}

// Two users, or two runtimes, may each have one.
TEST(ContainerEnds, ContainersOfOneNameAreToldEach) {
  ContainerEnds ends;
  ends.note(container(of_container("batch", "1f8b"), 3 << 8));
  ends.note(container(of_container("batch", "2a0c"), 0));
  ends.note(container(of_container("batch", "1f8b"), 4 << 8));
  const auto all = ends.in_no_pod();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all.at(0).end->id, "1f8b");
  EXPECT_EQ(all.at(0).end->status, 4 << 8);
  EXPECT_EQ(all.at(1).end->flow, "container/batch-2a0c");
}

TEST(ContainerEnds, OneThatIsMadeAnewAgainAndAgainLeavesTheOthers) {
  ContainerEnds ends;
  const auto id = [](std::size_t i) { return std::to_string(100 + i); };
  ends.note(container(of_container("other", "1f8b"), 1));
  for (std::size_t i = 0; i < ContainerEnds::kMostOfAName; ++i)
    ends.note(container(of_container("again", id(i)), 1));
  ends.note(container(of_container("again", id(0)), 2));  // it is no longer the oldest
  ends.note(container(of_container("again", "new"), 1));
  std::set<std::string> ids;
  for (const EndRecord& record : ends.in_no_pod()) ids.insert(record.end->id);
  EXPECT_EQ(ids.size(), ContainerEnds::kMostOfAName + 1);
  for (const std::string& kept : {id(0), id(2), std::string("new"), std::string("1f8b")})
    EXPECT_TRUE(ids.contains(kept)) << kept;
  EXPECT_FALSE(ids.contains(id(1)));
}

TEST(ContainerEnds, TheLastRunOfAServiceReplacesTheOneBefore) {
  ContainerEnds ends;
  ends.note(container(of_unit("a.service"), 1));
  EXPECT_TRUE(ends.in_no_pod().empty()) << "it is some PID namespace in the service that has ended";
  ends.note(service("a.service", ended(2)));
  EXPECT_FALSE(ends.in_no_pod().at(0).end->success);
  Ends well = service("a.service", ended(0));
  well.services.at(0).success = true;
  ends.note(well);
  ASSERT_EQ(ends.in_no_pod().size(), 1U);
  EXPECT_EQ(ends.in_no_pod().at(0).end->status, 0);
  EXPECT_TRUE(ends.in_no_pod().at(0).end->success);
  ends.note(service("a.service", std::nullopt));
  EXPECT_TRUE(ends.in_no_pod().empty()) << "how is not known";
}

TEST(ContainerEnds, TheOldestMakesRoom) {
  ContainerEnds ends;
  for (std::size_t i = 0; i < ContainerEnds::kMost; ++i)
    ends.note(container(of_pod("p" + std::to_string(i), "a"), 1));
  ends.note(container(of_pod("p0", "a"), 2));  // it is no longer the oldest
  ends.note(container(of_pod("new", "a"), 1));
  EXPECT_EQ(ends.of_pod("shop", "p0").size(), 1U);
  EXPECT_EQ(ends.of_pod("shop", "p1").size(), 0U);
  EXPECT_EQ(ends.of_pod("shop", "new").size(), 1U);
}

class KeptEnds : public testing::Test {
 protected:
  KeptEnds() { fs::create_directory(state_); }
  [[nodiscard]] std::string text() const {
    std::ostringstream out;
    out << std::ifstream(file_).rdbuf();
    return out.str();
  }
  void write(const std::string& text) const { std::ofstream(file_, std::ios::binary) << text; }
  // What the next flowtapd knows.
  [[nodiscard]] std::vector<EndRecord> kept() const {
    ContainerEnds next;
    EXPECT_TRUE(next.keep_in(file_));
    auto all = next.of_pod("shop", "web-0");
    for (auto& one : next.in_no_pod()) all.push_back(std::move(one));
    return all;
  }

  test::TempDir dir_;
  std::string state_ = dir_ / "state";
  std::string file_ = state_ + "/ends";
};

TEST_F(KeptEnds, OfContainersOfOneName) {
  ContainerEnds ends;
  ASSERT_TRUE(ends.keep_in(file_));
  for (std::size_t i = 0; i < 2 * ContainerEnds::kMostOfAName; ++i) {
    ends.note(container(of_container("batch", std::to_string(100 + i)), 3 << 8));
    if (i % 3 == 0) ends.save();
  }
  ends.save();
  EXPECT_EQ(kept().size(), ContainerEnds::kMostOfAName);
  EXPECT_EQ(kept(), ends.in_no_pod());
}

// The file has them in the order in which they came, so that the next flowtapd forgets the same ones.
TEST_F(KeptEnds, OfOneNameGoInTheOrderInWhichTheyCame) {
  const auto id = [](std::size_t i) { return std::to_string(200 - i); };  // their names have another order
  const auto ids_of = [](const std::vector<EndRecord>& all) {
    std::set<std::string> ids;
    for (const EndRecord& record : all) ids.insert(record.end->id);
    return ids;
  };
  ContainerEnds ends;
  ASSERT_TRUE(ends.keep_in(file_));
  ends.note(container(of_pod("web-0", "a"), 1));
  ends.save();
  for (std::size_t i = 0; i < ContainerEnds::kMostOfAName; ++i)
    ends.note(container(of_container("batch", id(i)), 3 << 8));
  ends.note(service("a.service", ended(2)));
  ends.save();
  ContainerEnds next;
  ASSERT_TRUE(next.keep_in(file_));
  for (ContainerEnds* const one : {&ends, &next}) one->note(container(of_container("batch", "new"), 0));
  EXPECT_EQ(ids_of(next.in_no_pod()), ids_of(ends.in_no_pod()));
  EXPECT_FALSE(ids_of(next.in_no_pod()).contains(id(0))) << "the oldest";
  EXPECT_TRUE(ids_of(next.in_no_pod()).contains(id(1)));
}

TEST_F(KeptEnds, OutliveFlowtapd) {
  ContainerEnds ends;
  ASSERT_TRUE(ends.keep_in(file_));
  ends.note(container(of_pod("web-0", "a b\n\xff"), 42 << 8));
  ends.note(kills(of_pod("web-0", "a b\n\xff"), 7));
  Ends never = container(of_pod("web-0", "b"), 1 << 8);
  never.containers.at(0).end.started = false;
  ends.note(std::move(never));
  Ends stopped = service("a.service", ended(15));
  stopped.services.at(0).success = true;
  ends.note(std::move(stopped));
  ends.save();
  EXPECT_FALSE(ends.unsaved());
  auto wanted = ends.of_pod("shop", "web-0");
  wanted.push_back(ends.in_no_pod().at(0));
  ASSERT_EQ(wanted.size(), 3U);
  EXPECT_EQ(kept(), wanted);
  const auto before = text();
  ends.note(service("a.service", std::nullopt));
  ends.save();
  EXPECT_TRUE(text().starts_with(before)) << "only what is new is written";
  wanted.pop_back();
  EXPECT_EQ(kept(), wanted);
  struct stat about{};
  ASSERT_EQ(::stat(file_.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

TEST_F(KeptEnds, AFileThatIsGoneOrAnotherOneIsWrittenAnew) {
  ContainerEnds ends;
  ASSERT_TRUE(ends.keep_in(file_));
  ends.note(container(of_pod("web-0", "a"), 1));
  ends.save();
  fs::remove_all(state_);
  ends.note(container(of_pod("web-0", "b"), 2));
  ends.save();
  EXPECT_EQ(kept().size(), 2U);
  fs::remove(file_);
  write("nobody's");
  ends.note(container(of_pod("web-0", "c"), 3));
  ends.save();
  EXPECT_EQ(kept().size(), 3U);
}

TEST_F(KeptEnds, AFileThatIsGoneComesBackThoughNothingEnds) {
  ContainerEnds ends;
  ASSERT_TRUE(ends.keep_in(file_));
  ends.save();
  EXPECT_FALSE(fs::exists(file_)) << "there is nothing to keep";
  ends.note(container(of_pod("web-0", "a"), 1));
  ends.save();
  fs::remove(file_);
  ends.save();
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(KeptEnds, WhatWasReplacedDoesNotFillTheFile) {
  ContainerEnds ends;
  ASSERT_TRUE(ends.keep_in(file_));
  std::size_t most = 0;
  for (int i = 0; i < 2000; ++i) {
    ends.note(container(of_pod("web-0", "a"), i));
    ends.save();
    most = std::max<std::size_t>(most, fs::file_size(file_));
  }
  EXPECT_LT(most, 100'000U);
  ASSERT_EQ(kept().size(), 1U);
  EXPECT_EQ(kept().at(0).end->status, 1999);
}

TEST_F(KeptEnds, AFileThatCannotBeWrittenIsToldAndTriedAgain) {
  ContainerEnds ends;
  ASSERT_TRUE(ends.keep_in(file_));
  fs::create_directories(file_ + "/in the way");
  ends.note(container(of_pod("web-0", "a"), 1));
  ends.save();
  ASSERT_TRUE(ends.unsaved());
  EXPECT_TRUE(ends.unsaved()->what.contains(file_)) << ends.unsaved()->what;
  fs::remove_all(file_);
  ends.save();
  EXPECT_FALSE(ends.unsaved());
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(KeptEnds, OfBytesThatAreNoneTheRestIsThere) {
  {
    ContainerEnds ends;
    ASSERT_TRUE(ends.keep_in(file_));
    ends.note(container(of_pod("web-0", "a"), 1));
    ends.save();
  }
  const std::string whole = text();
  const std::string line = whole.substr(whole.find('\n') + 1);
  // A line that is cut off by a kill is no line, and what is written next does not go behind it.
  write(whole + line.substr(0, line.size() / 2));
  {
    ContainerEnds ends;
    EXPECT_TRUE(ends.keep_in(file_));
    EXPECT_EQ(ends.of_pod("shop", "web-0").size(), 1U);
    ends.note(container(of_pod("web-0", "b"), 2));
    ends.save();
  }
  EXPECT_EQ(kept().size(), 2U);
  for (const std::string& bad :
       {std::string("nonsense"), std::string("kind=pod"), std::string("\0\xff", 2),
        std::string("kind=pod container=%2"), std::string("kind=host workload=x ended=1 status=0"),
        "container=a=" + std::string(10'000, 'x')}) {
    write(whole + bad + "\n" + line);
    ContainerEnds ends;
    const auto kept = ends.keep_in(file_);
    ASSERT_FALSE(kept) << bad;
    EXPECT_TRUE(kept.error().what.starts_with(file_ + " has lines that cannot be read (1)"))
        << kept.error().what;
    EXPECT_EQ(ends.of_pod("shop", "web-0").size(), 1U);
  }
  for (const std::string& other : {std::string("flowtap-ends 2\n") + line, std::string(), line}) {
    write(other);
    ContainerEnds ends;
    EXPECT_FALSE(ends.keep_in(file_));
    EXPECT_TRUE(ends.of_pod("shop", "web-0").empty());
    ends.note(container(of_pod("web-0", "b"), 2));
    ends.save();
    EXPECT_EQ(kept().size(), 1U);
    std::ostringstream unread;
    unread << std::ifstream(file_ + EndsFile::kUnread).rdbuf();
    EXPECT_EQ(unread.str(), other) << "whoever can read it has it still";
  }
  fs::remove(file_);
  ASSERT_EQ(::mkfifo(file_.c_str(), 0600), 0);
  ContainerEnds ends;
  EXPECT_FALSE(ends.keep_in(file_)) << "and it does not wait for a writer";
}

TEST(EndLine, HasNoValueThatCannotBe) {
  const std::string pod = "kind=pod namespace=shop pod=web-0 container=a ";
  const auto end = [&](const std::string& rest) { return parse_end_line(pod + rest).value().end; };
  EXPECT_EQ(end("ended=1700000000000000000 status=35072").value().status, 137 << 8);
  for (const char* const none :
       {"", "ended=1", "status=1", "ended=-1 status=1", "ended=1 status=65536", "ended=1x status=1",
        "ended=18446744073709551615 status=1", "ended= status=1", "ended=1 status=99999999999999999999"})
    EXPECT_FALSE(end(none)) << none;
  EXPECT_TRUE(end("ended=1 status=1 later=word").has_value()) << "a later build may say more";
  EXPECT_FALSE(parse_end_line(pod + "pod=web-1"));
  EXPECT_FALSE(parse_end_line(pod + "killed=1 kills=0").value().oom_kills);
  EndRecord long_name{
      .name = {.kind = WorkloadKind::kPod, .ns = {}, .pod = {}, .container = "a", .workload = {}},
      .end = EndRecord::End{},
      .oom_kills = {}};
  long_name.end->flow = std::string(kLongestEndLine, 'x');
  EXPECT_EQ(to_line(long_name), "");
}

}  // namespace
}  // namespace flowtap::telemetry
