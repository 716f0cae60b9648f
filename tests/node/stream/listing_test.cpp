// What `flowtap flows` says of the containers of a node: how much each has written, that nothing of it is missing, whose it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <sstream>

#include "tests/node/stream/captured.hpp"
#include "tests/support/containers/containers.hpp"
#include "tests/support/containers/runtime_programs.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {
namespace {

namespace json = boost::json;

struct Wanted {
  std::string id;
  std::string pod;
  std::string container;
  std::size_t bytes = 0;
  std::size_t lines = 0;
  std::string state = "ended";
};

// At least two blanks stand between cells.
std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> all;
  for (std::size_t at = 0; (at = row.find_first_not_of(' ', at)) != std::string::npos;) {
    const std::size_t end = std::min(row.find("  ", at), row.size());
    all.push_back(row.substr(at, end - at));
    at = end;
  }
  return all;
}

TEST(Listing, EachContainerWithItsBytesAndItsPod) {
  const ScratchRoot root;
  Podman podman(root);
  Containerd containerd(root);
  Daemon daemon(root, kCapturing);
  daemon.wait_ready();
  const std::string id = podman.start({.name = "batch", .command = {"log_writer", "both", "0", "12"}});
  EXPECT_EQ(podman.wait("batch"), 0);
  EXPECT_EQ(containerd.run({.id = container_id("web"),
                            .command = shell("log_writer write 0 10; echo problem >&2; printf end"),
                            .annotations = cri_annotations("shop", "web-0", kPod, "nginx")}),
            0);
  EXPECT_EQ(containerd.run({.id = container_id("mute"),
                            .command = shell("echo nobody hears"),
                            .annotations = cri_annotations("shop", "mute-0", kPod, "main"),
                            .no_output = true}),
            0);
  const std::string of_pod = std::string("/") + kPod + "/";
  const std::vector<Wanted> all = {
      {"container/batch-" + id.substr(0, 12), "-", "batch", writer_lines(0, 12).size(), 12},
      {"pod/shop/web-0" + of_pod + "nginx/0", "shop/web-0", "nginx",
       writer_lines(0, 10).size() + std::string("problem\nend").size(), 12},
      {"pod/shop/mute-0" + of_pod + "main/0", "shop/mute-0", "main", 0, 0, "none"}};
  const auto flows = [&root](const std::vector<std::string>& more) {
    std::vector<std::string> argv = {paths::flowtap(), "--state-dir", root.file("state"), "flows"};
    argv.insert(argv.end(), more.begin(), more.end());
    return run_words(root, argv);
  };
  // Lines come a moment after the bytes.
  const auto lines_of = [&](const Wanted& wanted) -> std::uint64_t {
    const json::value page = json::parse(flows({"-o", "json"}));
    for (const auto& flow : page.at("flows").as_array())
      if (flow.at("id").as_string() == wanted.id && !flow.at("open").as_bool())
        return flow.at("lines").to_number<std::uint64_t>();
    return ~0U;
  };
  for (const Wanted& wanted : all)
    EXPECT_TRUE(eventually([&] { return lines_of(wanted) == wanted.lines; })) << flows({});

  const json::value page = json::parse(flows({"-o", "json"}));
  const std::string table = flows({});
  for (const Wanted& wanted : all) {
    SCOPED_TRACE(wanted.id);
    const auto& listed = page.at("flows").as_array();
    const auto* const flow = std::ranges::find_if(
        listed, [&](const json::value& f) { return f.at("id").as_string() == wanted.id; });
    ASSERT_NE(flow, listed.end());
    EXPECT_EQ(flow->at("bytes").to_number<std::uint64_t>(), wanted.bytes);
    EXPECT_EQ(flow->at("missing_bytes").to_number<std::uint64_t>(), 0U);
    EXPECT_FALSE(flow->at("suspect").as_bool());
    EXPECT_EQ(flow->at("container").as_string(), wanted.container);
    const auto text = [&flow](const char* name) {
      const auto* const value = flow->as_object().if_contains(name);
      return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
    };
    EXPECT_EQ(text("pod").empty() ? "-" : text("namespace") + "/" + text("pod"), wanted.pod);
    std::istringstream rows(table);
    std::vector<std::string> found;
    for (std::string row; std::getline(rows, row);)
      if (row.ends_with(" " + wanted.id)) found = cells(row);
    ASSERT_EQ(found.size(), 9U) << table;
    EXPECT_EQ(found[0], wanted.pod);
    EXPECT_EQ(found[1], wanted.container);
    EXPECT_EQ(found[3], std::to_string(wanted.bytes) + " B");
    EXPECT_EQ(found[4], std::to_string(wanted.lines));
    EXPECT_EQ(found[5], "0 B") << "missing";
    EXPECT_EQ(found[6], wanted.state);
  }
}

}  // namespace
}  // namespace flowtap::test
