// The script of the fake libnvidia-ml.so.1.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "tests/support/files/file_tree.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {

inline const std::string kFakeNvml =
    paths::in_build("tests/unit/telemetry/libfake_nvml.so");  ///< all that we use
inline const std::string kFakeNvmlOld =
    paths::in_build("tests/unit/telemetry/libfake_nvml_old.so");  ///< only the first versions

/// One script at a time, since the environment names it.
class FakeNvml {
 public:
  FakeNvml() {
    write();
    ::setenv("FAKE_NVML", (tree_.root() + "/script").c_str(), 1);
  }
  ~FakeNvml() { ::unsetenv("FAKE_NVML"); }
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;

  FakeNvml& set(const std::string& key, const std::string& values) {
    script_[key] = values;
    write();
    return *this;
  }
  /// 0.sample.`i`: of `pid`, stamped `stamp` microseconds after 1970.
  FakeNvml& sample(int i, int pid, std::uint64_t stamp, const std::string& percents) {
    return set("0.sample." + std::to_string(i),
               std::to_string(pid) + " " + std::to_string(stamp) + " " + percents);
  }
  FakeNvml& unset(const std::string& key) {
    script_.erase(key);
    write();
    return *this;
  }

 private:
  void write() {
    std::string text;
    for (const auto& [key, values] : script_) text.append(key).append(" ").append(values).append("\n");
    tree_.file("script", text);
  }

  FileTree tree_;
  std::map<std::string, std::string> script_;
};

}  // namespace flowtap::test
