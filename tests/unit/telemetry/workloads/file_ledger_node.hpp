// A kernel of the test's own with its cgroups' files, and a ledger of what they tell.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "telemetry/workloads/files/file_ledger.hpp"
#include "tests/support/files/file_tree.hpp"

namespace flowtap::telemetry {

// A cgroup as the kernel has it; after its end another one may get its path.
struct FileKernel {
  struct Cgroup {
    CgroupValues values;
    bool gone = false;
    std::uint64_t unread = 0;
  };
  std::map<std::string, std::shared_ptr<Cgroup>> there;
  int opened = 0;
  int open = 0;
  int reads = 0;

  Cgroup& make(const std::string& path, std::uint64_t bytes = 0) {
    there[path] = std::make_shared<Cgroup>();
    there[path]->values[CgroupCounter::kPageFaults] = bytes;
    there[path]->values[CgroupGauge::kMemory] = static_cast<double>(bytes);
    return *there[path];
  }
  void remove(const std::string& path) {
    there.at(path)->gone = true;
    there.erase(path);
  }
};

class FileKernelSource final : public CgroupSource {
 public:
  explicit FileKernelSource(FileKernel& kernel) : kernel_(kernel) {}
  [[nodiscard]] std::unique_ptr<OpenCgroup> open(const std::string& path,
                                                 std::uint64_t& /*unread*/) override {
    const auto at = kernel_.there.find(path);
    if (at == kernel_.there.end()) return nullptr;
    return std::make_unique<Open>(kernel_, at->second);
  }

 private:
  class Open final : public OpenCgroup {
   public:
    Open(FileKernel& kernel, std::shared_ptr<FileKernel::Cgroup> cgroup)
        : kernel_(kernel), cgroup_(std::move(cgroup)) {
      ++kernel_.opened;
      ++kernel_.open;
    }
    ~Open() override { --kernel_.open; }
    [[nodiscard]] bool read(CgroupValues& out, std::uint64_t& unread) override {
      out = cgroup_->values;
      ++kernel_.reads;
      unread += cgroup_->unread;
      return !cgroup_->gone;
    }

   private:
    FileKernel& kernel_;
    std::shared_ptr<FileKernel::Cgroup> cgroup_;
  };

  FileKernel& kernel_;
};

inline WorkloadName named(const std::string& container) {
  return {.kind = WorkloadKind::kContainer, .ns = {}, .pod = {}, .container = container, .workload = {}};
}

struct FileNode {
  FileNode() : ledger(std::make_unique<FileKernelSource>(kernel), BlockNames(sysfs.root())) {}
  void call(BlockDevice device, const std::string& name) const {
    const std::string links = sysfs.root() + "/dev/block/";
    const std::string link = fmt::format("{}{}:{}", links, device.major, device.minor);
    std::filesystem::create_directories(links);
    std::filesystem::remove(link);
    std::filesystem::create_symlink("../../devices/block/" + name, link);
  }
  void round(std::chrono::milliseconds later = FileLedger::kEvery) {
    ledger.round(workloads, now += later, unread);
  }
  std::set<std::string>& tops(const std::string& name) { return workloads[named(name)].tops; }
  [[nodiscard]] std::optional<std::uint64_t> bytes(const std::string& name) const {
    const auto at = ledger.workloads().find(named(name));
    return at == ledger.workloads().end() ? std::nullopt : at->second.values[CgroupCounter::kPageFaults];
  }
  [[nodiscard]] std::optional<double> gauge(const std::string& name,
                                            CgroupGauge of = CgroupGauge::kMemory) const {
    return ledger.workloads().at(named(name)).values[of];
  }

  test::FileTree sysfs;
  FileKernel kernel;
  std::map<WorkloadName, Workload> workloads;
  std::uint64_t unread = 0;
  FileLedger::Clock::time_point now{};
  FileLedger ledger;
};

}  // namespace flowtap::telemetry
