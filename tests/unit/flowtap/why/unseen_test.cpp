// A container that ended while flowtapd was away: nobody knows how, and it does not run.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tools/flowtap/why/why_here.hpp"

namespace flowtap::cli {
namespace {

using namespace std::chrono_literals;

const auto kNow = std::chrono::system_clock::time_point(1'795'687'200s);
const Style kPlain;

api::FlowStatus flow(const std::string& id, const std::string& container, std::chrono::seconds ago,
                     bool open) {
  api::FlowStatus out;
  out.id = id;
  out.container = container;
  out.last = kNow - ago;
  out.open = open;
  return out;
}

Ends ended(const std::string& of, const std::string& container, std::chrono::seconds ago, unsigned code = 3) {
  api::ContainerExit exit;
  exit.flow = of;
  exit.container = container;
  exit.time = kNow - ago;
  exit.code = code;
  return {.ended = {{.exit = exit, .lines = {}}}, .oom_kills = {}};
}

Here here(std::vector<api::FlowStatus> flows, std::vector<std::string> running = {}) {
  return {.known = true, .flows = std::move(flows), .running = std::move(running), .sandbox = false};
}

std::string on_node(const Here& here, const Ends& ends) {
  return bound_text({.ns = "shop", .name = "web-0"}, "n1", here, ends, kNow, kPlain);
}

TEST(WhyUnseen, APodsContainerWhoseEndNobodySaw) {
  const std::string app0 = "pod/shop/web-0/u/app/0";
  const std::string app1 = "pod/shop/web-0/u/app/1";
  const std::string unknown = "  on this node: app ended, how is not known\n";
  EXPECT_EQ(on_node(here({flow(app0, "app", 60s, false)}), {}), unknown);
  EXPECT_EQ(on_node(here({flow(app1, "app", 60s, false)}), ended(app0, "app", 3600s)), unknown)
      << "the end that is known is that of the run before";
  EXPECT_EQ(on_node(here({flow(app0, "app", 29s, false)}), ended(app0, "app", 30s)),
            "  on this node: app ended with code 3, 30 s ago\n")
      << "a child has still written";
  EXPECT_EQ(on_node(here({flow(app1, "app", 60s, true)}), ended(app0, "app", 3600s)),
            "  on this node: app runs again\n");
}

TEST(WhyUnseen, OneOfANameWhoseEndNobodySaw) {
  const std::string id = "container/batch-1f8b";
  const std::string unknown = "how is not known, since flowtapd did not see it";
  EXPECT_EQ(named_words(here({flow(id, "batch", 60s, false)}), {}), "has ended; " + unknown);
  EXPECT_EQ(named_words(here({flow(id, "batch", 60s, false)}), ended(id, "batch", 3600s)),
            "ran again later, and has ended; " + unknown);
  EXPECT_EQ(named_words(here({flow(id, "batch", 60s, false)}), ended(id, "batch", 59s)), "");
  EXPECT_EQ(named_words(here({flow(id, "batch", 60s, true)}), ended(id, "batch", 3600s)),
            "runs again; flowtap logs " + id + " has what it writes");
  EXPECT_EQ(named_words(here({}, {"a.service"}), {}), "runs");
}

TEST(WhyUnseen, WhoWroteNothingIsToldSoWhereAllWasCaptured) {
  const std::string id = "container/quiet-1f8b";
  api::FlowStatus quiet = flow(id, "quiet", 60s, false);
  quiet.streams = {{.name = "stdout", .capture = "pipe"}, {.name = "stderr", .capture = "pipe"}};
  const auto text = [&id](const api::FlowStatus& of) {
    Ends ends = ended(id, "quiet", 60s, 0);
    note_silent(ends, here({of}));
    return ends_text("quiet", ends, true, kNow, kPlain);
  };
  EXPECT_TRUE(text(quiet).ends_with("; it wrote nothing\n")) << text(quiet);
  const std::string kept = "; nothing that it wrote is kept\n";
  api::FlowStatus other = quiet;
  other.bytes = 1;
  EXPECT_TRUE(text(other).ends_with(kept)) << "its lines made room";
  other = quiet;
  other.missing_bytes = 1;
  EXPECT_TRUE(text(other).ends_with(kept));
  other = quiet;
  other.streams.at(1).capture = "uncaptured_file";
  EXPECT_TRUE(text(other).ends_with(kept)) << "nobody knows what it wrote there";
  other.streams.clear();
  EXPECT_TRUE(text(other).ends_with(kept));
}

}  // namespace
}  // namespace flowtap::cli
