// Cgroups of one process each, by their paths.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "telemetry/workloads/files/cgroup_source.hpp"

namespace flowtap::test {

class OneProcessCgroups final : public telemetry::CgroupSource {
 public:
  /// `pids` is read each time; a cgroup that is no longer in it has gone.
  explicit OneProcessCgroups(std::map<std::string, double>& pids) : pids_(pids) {}
  [[nodiscard]] std::unique_ptr<telemetry::OpenCgroup> open(const std::string& path,
                                                            std::uint64_t& /*unread*/) override {
    return pids_.contains(path) ? std::make_unique<Open>(pids_, path) : nullptr;
  }

 private:
  class Open final : public telemetry::OpenCgroup {
   public:
    Open(std::map<std::string, double>& pids, std::string path) : pids_(pids), path_(std::move(path)) {}
    [[nodiscard]] bool read(telemetry::CgroupValues& out, std::uint64_t& /*unread*/) override {
      const auto at = pids_.find(path_);
      if (at == pids_.end()) return false;
      out[telemetry::CgroupGauge::kFirstPid] = at->second;
      return true;
    }

   private:
    std::map<std::string, double>& pids_;
    std::string path_;
  };
  std::map<std::string, double>& pids_;
};

}  // namespace flowtap::test
