// Paths of the configuration that lead to something else than they are for.
#include "stream/unfit_paths.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "tests/support/files/file_tree.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;
using All = std::vector<std::string>;

StreamOptions listed(const std::vector<std::string>& files, const std::vector<std::string>& processes = {}) {
  StreamOptions options;
  options.sources.files = files;
  options.sources.processes = processes;
  return options;
}

TEST(UnfitPaths, FilesThatAreNone) {
  test::FileTree root;
  root.file("log/x.log", "");
  ASSERT_EQ(::mkfifo((root.root() + "/log/pipe").c_str(), 0600), 0);
  EXPECT_EQ(unfit_paths(listed({"/log/x.log", "/log/none.log", "/log/x.log/none"}), root.root()), All());
  EXPECT_EQ(
      unfit_paths(listed({"/log", "/log/pipe"}), root.root()),
      (All{
          R"(stream.files: "/log" is a directory; list each file in it)",
          R"(stream.files: "/log/pipe" is a named pipe, of which nothing is captured; list a regular file)"}));
  EXPECT_EQ(
      unfit_paths(listed({"/dev/null", "/proc/self/status"}), "/"),
      (All{
          R"(stream.files: "/dev/null" is a device, of which nothing is captured; list a regular file)",
          R"(stream.files: "/proc/self/status" is a file of the kernel (proc), to which no process writes a log; )"
          "list another one"}));
}

TEST(UnfitPaths, ExecutablesThatAreNone) {
  test::FileTree root;
  root.file("bin/program",
            "\x7f"
            "ELF");
  root.file("bin/script", "#!/bin/sh\n");
  root.file("bin/text", "hello");
  for (const char* name : {"program", "script"})
    fs::permissions(root.root() + "/bin/" + name, fs::perms::owner_all);
  EXPECT_EQ(unfit_paths(listed({}, {"/bin/program", "/bin/none"}), root.root()), All());
  EXPECT_EQ(
      unfit_paths(listed({}, {"/bin", "/bin/text", "/bin/script"}), root.root()),
      (All{
          R"(stream.processes: "/bin" is a directory; list each executable in it)",
          R"(stream.processes: "/bin/text" is not executable, so that no process can run it; list an )"
          "executable",
          R"(stream.processes: "/bin/script" is a script, and what runs is its interpreter; list its service )"
          "in stream.units, or the file that it writes in stream.files"}));
}

TEST(UnfitPaths, OfFlowtapdsOwn) {
  test::FileTree tree;
  tree.file("there", "x");
  fs::create_symlink("there", tree.root() + "/link");
  StreamOptions options;
  options.lines.schedulers.main_log = tree.root() + "/main.log";
  EXPECT_EQ(unfit_paths(options, "/"), All());
  options.lines.schedulers.main_log = tree.root() + "/none/main.log";
  options.record = tree.root() + "/there";
  EXPECT_EQ(unfit_paths(options, "/"),
            (All{"stream.main_log: \"" + tree.root() + "/none/main.log\" is in no directory; make " +
                     tree.root() + "/none first, or name another file",
                 "stream.record: \"" + tree.root() +
                     "/there\" is there already, and nothing is recorded over it; name another file"}));
  options.record.clear();
  options.lines.schedulers.main_log = tree.root() + "/link";
  options.bpffs = tree.root() + "/there";
  const All told = unfit_paths(options, "/");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_TRUE(
      told[0].ends_with("/link\" cannot be written: a symbolic link stands there, and flowtapd follows none "
                        "(remove the link)"))
      << told[0];
  EXPECT_TRUE(
      told[1].starts_with("stream.bpffs: \"" + tree.root() + "/there\" is no directory (move away what"))
      << told[1];
}

}  // namespace
}  // namespace flowtap
