#include "identity/flow_id.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "base/flows/flow_run.hpp"
#include "stream/store/file_name.hpp"

namespace flowtap::identity {
namespace {

const std::string kId = "bacb920470900725e0aa7d914fee5eb0854315448b024b6b8420ad8429c607ba";

ContainerIdentity in_pod(const std::string& ns, const std::string& pod, const std::string& uid,
                         const std::string& name, std::optional<unsigned> restart) {
  ContainerIdentity who;
  who.container_id = kId;
  who.ns = ns;
  who.pod = pod;
  who.pod_uid = uid;
  who.container_name = name;
  who.restart = restart;
  return who;
}

ContainerIdentity named(std::optional<std::string> name, const std::string& id = kId) {
  ContainerIdentity who;
  who.container_id = id;
  who.container_name = std::move(name);
  return who;
}

TEST(FlowId, OfEveryKind) {
  EXPECT_EQ(flow_id(in_pod("shop", "web-0", "u-1", "web", 3)), "pod/shop/web-0/u-1/web/3");
  EXPECT_EQ(flow_id(in_pod("shop", "web-0", "u-1", "web", std::nullopt)),
            "pod/shop/web-0/u-1/web/id-bacb92047090");
  EXPECT_EQ(flow_id(named("open-web")), "container/open-web-bacb92047090");
  EXPECT_EQ(flow_id(named(std::nullopt)), "container/" + kId);
  EXPECT_EQ(unit_flow_id("getty@tty1.service"), "unit/getty@tty1.service");
  EXPECT_EQ(unit_flow_id("dev-disk-by\\x2dlabel.swap"), "unit/dev-disk-by%5Cx2dlabel.swap");
  EXPECT_EQ(process_flow_id(4711, 123456), "proc/4711-123456");
  EXPECT_EQ(file_flow_id("/var/log/kube-scheduler.log"), "file/var/log/kube-scheduler.log");
  EXPECT_EQ(file_flow_id("/a b/%2F"), "file/a%20b/%252F");
  EXPECT_EQ(inner_flow_id("container/kind-0123456789ab", kId), "container/kind-0123456789ab/" + kId);

  auto sandbox = in_pod("shop", "web-0", "u-1", "", std::nullopt);
  sandbox.sandbox = true;
  EXPECT_EQ(flow_id(sandbox), "pod/shop/web-0/u-1/POD/id-bacb92047090");
}

TEST(FlowId, APodOfWhichPartIsUnknownIsAContainer) {
  auto who = in_pod("shop", "web-0", "u-1", "web", 3);
  who.pod_uid.reset();
  EXPECT_EQ(flow_id(who), "container/web-bacb92047090");
}

TEST(FlowId, NamesCannotReachIntoTheNextComponent) {
  EXPECT_EQ(flow_id(named("a/b")), "container/a%2Fb-bacb92047090");
  EXPECT_EQ(flow_id(in_pod("shop/web-0/u-1", "x", "y", "z", 0)), "pod/shop%2Fweb-0%2Fu-1/x/y/z/0");
  EXPECT_EQ(unit_flow_id("%2F\n\xff"), "unit/%252F%0A%FF");
  // If a container has no name, an id of the form NAME-ID12 (ctr takes any) is not read as one.
  EXPECT_NE(flow_id(named(std::nullopt, "web-bacb92047090")), flow_id(named("web")));
  EXPECT_NE(flow_id(named("a", "b-c")), flow_id(named("a-b", "c")));
}

// Who chooses the name of a cgroup within a container does not choose which run it is.
TEST(FlowId, NoNameLooksLikeARun) {
  EXPECT_EQ(inner_flow_id("container/kind-0123456789ab", "x@2"), "container/kind-0123456789ab/x%402");
  EXPECT_EQ(inner_flow_id("container/kind-0123456789ab", "a@b@2"), "container/kind-0123456789ab/a@b%402");
  EXPECT_EQ(inner_flow_id("unit/user@7.service", "app@1.service"), "unit/user@7.service/app@1.service");
  EXPECT_EQ(flow_id(named(std::nullopt, "x@2")), "container/x%402");
  EXPECT_EQ(run_of_flow(flow_id(named("x@2", "y@2"))).number, 1U);
}

TEST(FlowId, ComponentsComeBack) {
  EXPECT_EQ(flow_id_components("unit/%252F%0A%FF"), (std::vector<std::string>{"unit", "%2F\n\xff"}));
  EXPECT_EQ(flow_id_components(""), (std::vector<std::string>{""}));
  for (const char* broken : {"a%", "a%4", "a%4g", "a%ff"}) EXPECT_FALSE(flow_id_components(broken)) << broken;
}

// Names from a small alphabet of the bytes that mean something: if two things could have one id, or two ids one file,
// some of these would.
TEST(FlowId, DifferentThingsHaveDifferentIdsAndFiles) {
  std::mt19937 random(20261121);  // NOLINT(bugprone-random-generator-seed): the same names in every run
  const std::string_view alphabet = "a/_-%~2F.@";
  const auto word = [&](std::size_t longest) {
    std::string text;
    for (std::size_t n = random() % (longest + 1); n > 0; --n) text += alphabet[random() % alphabet.size()];
    return text;
  };
  std::map<std::string, std::vector<std::string>> ids;
  std::map<std::string, std::string> files;
  const auto take = [&](const std::string& id, const std::vector<std::string>& what) {
    const auto [at, fresh] = ids.emplace(id, what);
    EXPECT_TRUE(fresh || at->second == what) << id;
    const auto [file, new_file] = files.emplace(flow::flow_file_name(id), id);
    EXPECT_TRUE(new_file || file->second == id) << file->first;
    EXPECT_LE(file->first.size(), 204U);
    EXPECT_EQ(file->first.find('/'), std::string::npos);
  };
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t longest = i % 10 == 0 ? 120 : 3;
    const std::string a = word(longest);
    const std::string b = word(longest);
    const std::string c = word(longest);
    const std::string d = word(2);
    take(flow_id(in_pod(a, b, c, d, 0)), {"pod", a, b, c, d, "0"});
    take(flow_id(in_pod(a, b, c, d, std::nullopt)), {"pod", a, b, c, d, "no restart"});
    take(unit_flow_id(a), {"unit", a});
    take(inner_flow_id(unit_flow_id(a), b), {"unit", a, b});
    take(flow_id(named(a, b)), {"container", a, b.substr(0, 12)});
    take(run_flow_id(flow_id(named(a, b)), 2), {"container", a, b.substr(0, 12), "2"});
    take(run_flow_id(inner_flow_id(flow_id(named(a, b)), c), 2),
         {"container", a, b.substr(0, 12), "/", c, "2"});
    take(inner_flow_id(run_flow_id(flow_id(named(a, b)), 2), c),
         {"container", a, b.substr(0, 12), "2", "/", c});
    take(flow_id(named(std::nullopt, b)), {"container", b});
    take(inner_flow_id(flow_id(named(a, b)), c), {"container", a, b.substr(0, 12), "/", c});
    take(inner_flow_id(flow_id(in_pod(a, b, c, d, 0)), c), {"pod", a, b, c, d, "0", "/", c});
  }
}

}  // namespace
}  // namespace flowtap::identity
