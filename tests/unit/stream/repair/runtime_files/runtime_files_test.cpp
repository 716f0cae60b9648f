// Which files are a container's, in which order, and how a rotation between two steps changes that.
#include "stream/repair/runtime_files/runtime_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <functional>

#include "tests/support/files/content.hpp"
#include "tests/unit/stream/repair/runtime_files/files_kit.hpp"

namespace flowtap::flow {
namespace {

using testing::ElementsAre;

std::vector<std::string> names_of(RuntimeFormat format, std::string_view base,
                                  const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (const RuntimeFileName& name : runtime_file_names(format, base, names)) {
    EXPECT_EQ(name.gz, name.name.ends_with(".gz"));
    found.push_back(name.name);
  }
  return found;
}

TEST(RuntimeFileNames, AreOrderedByAge) {
  EXPECT_THAT(names_of(RuntimeFormat::kCri, "0.log",
                       {"0.log.20260821-071230.gz", "10.log", "0.log.20260821-071240.gz.tmp", "0.log",
                        "1.log", "0.log.20260821-071240.gz", "0.log.20260821-071240", "0.log.20260821-071250",
                        "0.log.20251231-235959.gz", "0.log.1", "0.log.20260821-07125x", "0.log.tmp",
                        "0.log.gz", "0.logs"}),
              ElementsAre("0.log", "0.log.20260821-071250", "0.log.20260821-071240",
                          "0.log.20260821-071230.gz", "0.log.20251231-235959.gz"));
  EXPECT_THAT(names_of(RuntimeFormat::kJsonFile, "id-json.log",
                       {"id-json.log.10.gz", "id-json.log.2.gz", "id-json.log.1", "id-json.log.1.gz",
                        "id-json.log", "id-json.log.02", "id-json.log.0", "id-json.log.1234567",
                        "id-json.log.-1", "config.v2.json"}),
              ElementsAre("id-json.log", "id-json.log.1", "id-json.log.2.gz", "id-json.log.10.gz"));
  EXPECT_THAT(names_of(RuntimeFormat::kK8sFile, "ctr.log",
                       {"ctr.log.2", "ctr.log.new", "ctr.log.tmp", "ctr.log", "ctr.log.1"}),
              ElementsAre("ctr.log", "ctr.log.1", "ctr.log.2"));
}

// Does something between the steps of opening: before the step with each number.
class RotatedMeanwhile : public RuntimeDir {
 public:
  RotatedMeanwhile(Fd fd, std::function<void(int)> before)
      : dir_(std::move(fd)), before_(std::move(before)) {}

  Result<std::vector<std::string>> names() override {
    before_(step_++);
    return dir_.names();
  }
  Result<Fd> open(const std::string& name) override {
    before_(step_++);
    return dir_.open(name);
  }

 private:
  OpenedRuntimeDir dir_;
  std::function<void(int)> before_;
  int step_ = 0;
};

class RuntimeFilesTest : public testing::Test {
 protected:
  void move(const std::string& from, const std::string& to) const {
    if (std::filesystem::exists(dir_ / from)) std::filesystem::rename(dir_ / from, dir_ / to);
  }
  void zip(const std::string& name) const {
    const std::string text = test::content(dir_ / name);
    write_gz(dir_ / (name + ".tmp"), text);
    move(name + ".tmp", name + ".gz");
    std::filesystem::remove(dir_ / name);
  }
  static std::string content(const RuntimeFile& file) {
    char text[64] = {};
    const gzFile gz = ::gzdopen(::dup(file.fd.get()), "rb");  // plain files as they are
    const int n = ::gzread(gz, text, sizeof(text));
    ::gzclose(gz);
    return {text, static_cast<std::size_t>(n)};
  }
  static std::string content(const RuntimeFiles& files) {
    std::string all;
    for (const RuntimeFile& file : files.files) all += content(file);
    return all;
  }

  TmpfsDir dir_;
};

TEST_F(RuntimeFilesTest, AreOpenedOldestFirst) {
  write_gz(dir_ / "0.log.20260821-071230.gz", "a");
  write_file(dir_ / "0.log.20260821-071240", "b");
  write_gz(dir_ / "0.log.20260821-071240.gz", "b");
  write_file(dir_ / "0.log", "c");
  write_file(dir_ / "1.log", "d");
  OpenedRuntimeDir dir(open_dir(dir_));
  const auto files = open_runtime_files(RuntimeFormat::kCri, dir, "0.log");
  ASSERT_TRUE(files);
  EXPECT_EQ(content(*files), "abc");
  EXPECT_FALSE(files->unsettled);
  EXPECT_EQ(files->unreadable, "");
  EXPECT_EQ(open_runtime_files(RuntimeFormat::kCri, dir, "2.log")->files.size(), 0U);
}

TEST_F(RuntimeFilesTest, AreTheNewestOfMany) {
  write_file(dir_ / "ctr.log", "0");
  for (std::size_t i = 1; i < kMostGenerations + 5; ++i)
    write_file(dir_ / ("ctr.log." + std::to_string(i)), std::to_string(i));
  OpenedRuntimeDir dir(open_dir(dir_));
  const auto files = open_runtime_files(RuntimeFormat::kK8sFile, dir, "ctr.log");
  ASSERT_TRUE(files);
  EXPECT_EQ(files->files.size(), kMostGenerations);
  EXPECT_EQ(content(files->files.front()), std::to_string(kMostGenerations - 1));
  EXPECT_EQ(content(files->files.back()), "0");
}

TEST_F(RuntimeFilesTest, NothingLeadsAway) {
  write_file(dir_ / "elsewhere", "x");
  std::filesystem::create_symlink("elsewhere", dir_ / "0.log");
  ASSERT_EQ(::mkfifo((dir_ / "0.log.20260821-071230").c_str(), 0600), 0);
  std::filesystem::create_directory(dir_ / "0.log.20260821-071240");
  OpenedRuntimeDir dir(open_dir(dir_));
  const auto files = open_runtime_files(RuntimeFormat::kCri, dir, "0.log");
  ASSERT_TRUE(files);
  EXPECT_EQ(files->files.size(), 0U);
  EXPECT_NE(files->unreadable, "");
  EXPECT_FALSE(
      dir.open("../" + std::filesystem::path(dir_ / "").parent_path().filename().string() + "/elsewhere"));
}

// kubelet rotates before any one of the steps: the files are those from before the rotation, or those from after it.
TEST_F(RuntimeFilesTest, KubeletRotatesMeanwhile) {
  for (int when = 0; when < 12; ++when) {
    const TmpfsDir fresh;
    const auto file = [&fresh](const std::string& name) { return fresh / name; };
    write_gz(file("0.log.20260821-071230.gz"), "a");
    write_file(file("0.log.20260821-071240"), "b");
    write_file(file("0.log"), "c");
    RotatedMeanwhile dir(open_dir(fresh), [&](int step) {
      if (step != when) return;
      write_gz(file("0.log.20260821-071240.gz"), "b");
      std::filesystem::remove(file("0.log.20260821-071240"));
      std::filesystem::rename(file("0.log"), file("0.log.20260821-071250"));
      write_file(file("0.log"), "d");
    });
    const auto files = open_runtime_files(RuntimeFormat::kCri, dir, "0.log");
    ASSERT_TRUE(files);
    // Four steps are a round. By the last step of the second round, all files that are moved have been opened twice.
    EXPECT_EQ(content(*files), when < 7 ? "abcd" : "abc") << when;
    EXPECT_FALSE(files->unsettled) << when;
  }
}

// Docker shifts the names of all files, and zips one. Each of its steps may come before any step of ours.
TEST_F(RuntimeFilesTest, DockerRotatesMeanwhile) {
  for (int when = 0; when < 14; ++when)
    for (int apart = 0; apart < 4; ++apart) {
      for (const auto& entry : std::filesystem::directory_iterator(dir_ / ""))
        std::filesystem::remove(entry.path());
      write_gz(dir_ / "x.log.2.gz", "a");
      write_gz(dir_ / "x.log.1.gz", "b");
      write_file(dir_ / "x.log", "c");
      int done = 0;
      RotatedMeanwhile dir(open_dir(dir_), [&](int step) {
        while (done < 5 && step >= when + done * apart) {
          if (done == 0) move("x.log.2.gz", "x.log.3.gz");
          if (done == 1) move("x.log.1.gz", "x.log.2.gz");
          if (done == 2) move("x.log", "x.log.1");
          if (done == 3) write_file(dir_ / "x.log", "d");
          if (done == 4) zip("x.log.1");
          ++done;
        }
      });
      const auto files = open_runtime_files(RuntimeFormat::kJsonFile, dir, "x.log");
      ASSERT_TRUE(files);
      EXPECT_FALSE(files->unsettled);
      EXPECT_THAT(content(*files), testing::AnyOf("abc", "abcd")) << when << ' ' << apart;
    }
}

TEST_F(RuntimeFilesTest, ARotationWithoutEndIsSaid) {
  write_file(dir_ / "ctr.log", "0");
  int round = 0;
  RotatedMeanwhile dir(open_dir(dir_), [&](int) {
    move("ctr.log.1", "ctr.log.2");
    move("ctr.log", "ctr.log.1");
    write_file(dir_ / "ctr.log", std::to_string(++round % 10));
  });
  const auto files = open_runtime_files(RuntimeFormat::kK8sFile, dir, "ctr.log");
  ASSERT_TRUE(files);
  EXPECT_TRUE(files->unsettled);
  EXPECT_FALSE(files->files.empty());
}

TEST_F(RuntimeFilesTest, AFileIsOpenedOnce) {
  write_file(dir_ / "ctr.log", "a");
  std::filesystem::create_hard_link(dir_ / "ctr.log", dir_ / "ctr.log.1");
  OpenedRuntimeDir dir(open_dir(dir_));
  EXPECT_EQ(content(*open_runtime_files(RuntimeFormat::kK8sFile, dir, "ctr.log")), "a");
}

}  // namespace
}  // namespace flowtap::flow
