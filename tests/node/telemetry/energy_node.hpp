// A node whose energy a test draws itself, and a process that uses it.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/bpf/accounted.hpp"
#include "tests/support/containers/cgroup.hpp"
#include "tests/support/daemon/daemon.hpp"

namespace flowtap::test {

inline constexpr std::uint64_t kJoule = 1'000'000;
inline constexpr std::uint64_t kRange = 262143328850;  // in units of 2^-14 J
inline constexpr std::uint64_t kModulus = 262143328911;

// The machine's /sys with power capping zones of the test's own: two packages with dram, of 300 W together.
class Zones {
 public:
  explicit Zones(const ScratchRoot& root) : root_(root) {
    std::filesystem::remove(root.file("sys"));
    link_all("/sys", "sys", {"class"});
    link_all("/sys/class", "sys/class", {"powercap", "hwmon"});
    for (const Zone& zone : zones_) {
      std::filesystem::create_directories(directory(zone));
      write(zone, "name", zone.name);
      write(zone, "max_energy_range_uj", std::to_string(kRange));
      write(zone, "energy_uj", std::to_string(zone.at));
    }
    thread_ = std::jthread([this](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        std::this_thread::sleep_for(kStep);
        draw();
      }
    });
  }

  void lose_package() { lost_ = true; }
  void set_back() { back_ = true; }
  [[nodiscard]] unsigned wraps() const { return wraps_; }
  [[nodiscard]] double drawn() const { return static_cast<double>(drawn_) * 1e-6; }

 private:
  static constexpr auto kStep = std::chrono::milliseconds(50);

  struct Zone {
    const char* place;
    const char* name;
    std::uint64_t at;
    std::uint64_t step;  // it is odd, so that no sum comes out even by chance
  };

  [[nodiscard]] std::string directory(const Zone& zone) const {
    return root_.file(std::string("sys/class/powercap/") + zone.place);
  }
  void write(const Zone& zone, const char* name, const std::string& text) const {
    root_.write(std::string("sys/class/powercap/") + zone.place + "/" + name, text + "\n");
  }
  void link_all(const std::string& from, const std::string& to, const std::vector<std::string>& but) const {
    std::filesystem::create_directory(root_.file(to));
    for (const auto& entry : std::filesystem::directory_iterator(from))
      if (std::ranges::find(but, entry.path().filename().string()) == but.end())
        std::filesystem::create_symlink(entry.path(),
                                        root_.file(to) + "/" + entry.path().filename().string());
  }

  // Called by the thread.
  void draw() {
    if (lost_ && zones_.size() > 2) {
      for (const Zone& zone : std::vector(zones_.begin() + 2, zones_.end()))
        std::filesystem::remove_all(directory(zone));
      zones_.resize(2);
    }
    for (Zone& zone : zones_) {
      drawn_ += zone.step;
      zone.at += zone.step;
      wraps_ += zone.at >= kModulus ? 1 : 0;
      zone.at %= kModulus;
    }
    if (back_.exchange(false)) zones_.front().at = kModulus / 2;
    for (const Zone& zone : zones_) write(zone, "energy_uj", std::to_string(zone.at));
  }

  const ScratchRoot& root_;
  std::vector<Zone> zones_{{"intel-rapl:0", "package-0", kModulus - 200 * kJoule, 5'000'001},
                           {"intel-rapl:0:0", "dram", 3, 2'000'003},
                           {"intel-rapl:1", "package-1", kModulus / 3, 7'000'007},
                           {"intel-rapl:1:0", "dram", 11, 999'999}};
  std::atomic<bool> lost_ = false;
  std::atomic<bool> back_ = false;
  std::atomic<unsigned> wraps_ = 0;
  std::atomic<std::uint64_t> drawn_ = 0;
  std::jthread thread_;
};

// A process in a cgroup as Docker makes it. It works until the end, and then both are gone.
class Spinner {
 public:
  Spinner() : pid_(::fork()) {
    if (pid_ != 0) return;
    cgroup_->join();
    while (true) spin(std::chrono::seconds(1));
  }
  ~Spinner() { end(); }
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;
  [[nodiscard]] pid_t pid() const { return pid_; }
  void end() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = 0;
    cgroup_.reset();
  }

 private:
  std::optional<ScratchCgroup> cgroup_{"docker/" + std::string(64, 'e')};
  pid_t pid_;
};

}  // namespace flowtap::test
