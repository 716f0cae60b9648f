#include "identity/runtimes/pod_logs.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/files/file_tree.hpp"
#include "tests/unit/identity/golden.hpp"

namespace flowtap::identity {
namespace {

using flowtap::test::FileTree;
using test::kUid;

TEST(PodLogs, NamesOfDirectories) {
  EXPECT_EQ(parse_pod_log_directory("default_real-logger_82a9c79c-7b82-4530-b485-39aded24b5be"),
            (PodLogs{"default", "real-logger", "82a9c79c-7b82-4530-b485-39aded24b5be"}));
  const auto fixed =
      parse_pod_log_directory("kube-system_etcd-node.example.org_09a70ae9ccc491e651e5c773579b3490");
  ASSERT_TRUE(fixed);
  EXPECT_EQ(fixed->pod, "etcd-node.example.org");
  EXPECT_TRUE(is_static_pod_uid(fixed->uid));
  EXPECT_FALSE(is_static_pod_uid(kUid));
  for (const char* name : {"", "_", "__", "a_b", "a_b_", "_b_c", "a__c", "a_b_c_d", "a_b_c/d", "A_b_c",
                           "a_.._c", "a_b c_d", "a_b_c.d", "a_b_\xff"})
    EXPECT_FALSE(parse_pod_log_directory(name)) << name;
}

TEST(PodLogs, NamesOfFiles) {
  EXPECT_EQ(restart_of_log_file("0.log"), 0U);
  EXPECT_EQ(restart_of_log_file("/var/log/pods/a_b_c/web/17.log"), 17U);
  for (const char* name : {"", ".log", "x.log", "1", "1.log.20261121-010203", "1.log.gz", "007.log", "-1.log",
                           "1x.log", "+1.log", " 1.log", "99999999999.log", "1.log/"})
    EXPECT_FALSE(restart_of_log_file(name)) << name;
}

TEST(PodLogs, TheNewestFileIsTheContainersOwn) {
  FileTree tree;
  const std::string pod = "var/log/pods/shop_web-0_" + kUid;
  for (const char* name : {"9.log", "10.log", "10.log.20261121-010203", "11.log.gz", "99x.log"})
    tree.file(pod + "/web/" + name, "");
  tree.file(pod + "/side/0.log", "");
  const auto root = RootDir::open(tree.root());
  ASSERT_TRUE(root);
  const auto newest = newest_log(*root, "/" + pod, "web").value();
  ASSERT_TRUE(newest);
  EXPECT_EQ(newest->restart, 10U);
  EXPECT_EQ(newest->path, "/" + pod + "/web/10.log");
  EXPECT_EQ(newest_log(*root, "/" + pod, "side").value()->restart, 0U);
  EXPECT_FALSE(newest_log(*root, "/" + pod, "none").value()) << "not yet";
  EXPECT_FALSE(newest_log(*root, "/" + pod, "../side"));
}

TEST(PodLogs, LinksAndTheirTargetsAgree) {
  const std::string row = test::golden("symlinks.tsv");
  const std::string name = row.substr(row.find("hami"), row.find('\t') - row.find("hami"));
  const std::string target = row.substr(row.find('\t') + 1, row.find('\n') - row.find('\t') - 1);
  const auto link = parse_container_link(name, target);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->pod, (PodLogs{"kube-system", "hami-scheduler-6c9d8f7b5-2xk4q",
                                "3f2c1b7a-8d4e-4c6f-9a51-7e0b2d4c6f88"}));
  EXPECT_EQ(link->container, "vgpu-scheduler-extender");
  EXPECT_EQ(link->id, "7d1f0a9b3c5e4d2f8a6b1c0d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f");
  EXPECT_EQ(link->restart, 0U);
  EXPECT_EQ(link->log_path, target);

  const std::string good = "/var/log/pods/b_a_u/c/1.log";
  EXPECT_TRUE(parse_container_link("a_b_c-id.log", good));
  for (const char* bad :
       {"/var/log/pods/x_a_u/c/1.log", "/var/log/pods/b_x_u/c/1.log", "/var/log/pods/b_a_u/x/1.log",
        "/var/log/pods/b_a_u/c/x.log", "b_a_u/c/1.log", "1.log", "/1.log", "", "/"})
    EXPECT_FALSE(parse_container_link("a_b_c-id.log", bad)) << bad;
  for (const char* bad :
       {"", ".log", "a_b_c-.log", "a_b-id.log", "a-b_c_id.log", "a_b_c-id", "a_b_c-i/d.log"})
    EXPECT_FALSE(parse_container_link(bad, good)) << bad;
}

TEST(PodLogs, FindsALinkById) {
  FileTree tree;
  const std::string links = "var/log/containers/";
  tree.file(links + "other_shop_web-" + std::string(64, 'e') + ".log", "no link");
  std::filesystem::create_symlink("/var/log/pods/shop_web-0_" + kUid + "/web/2.log",
                                  tree.root() + "/" + links + "web-0_shop_web-" + test::kContainer + ".log");
  const auto root = RootDir::open(tree.root());
  ASSERT_TRUE(root);
  const auto link = find_container_link(*root, test::kContainer).value();
  ASSERT_TRUE(link);
  EXPECT_EQ(link->restart, 2U);
  EXPECT_FALSE(find_container_link(*root, std::string(64, 'e')).value());
  EXPECT_FALSE(find_container_link(*root, "none").value());
  EXPECT_FALSE(find_container_link(*root, "../x"));
}

}  // namespace
}  // namespace flowtap::identity
