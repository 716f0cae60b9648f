// The build of tomorrow (tests/next), as a service that relieves today's.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "tests/bpf/logtap/logtap_capture.hpp"
#include "tests/bpf/logtap/logtap_text.hpp"
#include "tests/support/paths/paths.hpp"

namespace flowtap::test {

// A new build's service, which prints which stream went on as which.
class NextService {
 public:
  enum class Until : std::uint8_t { kEnd, kRelieved };
  /// kRelieved: it dies before it has said anywhere what it has relieved.
  NextService(const std::string& bpffs, const std::string& file, Until until = Until::kEnd) {
    const std::string program = paths::in_build("tests/next/next_service");
    pid_ = ::fork();
    if (pid_ != 0) return;
    ::dup2(lives_.out.get(), 0);
    ::dup2(said_.in.get(), 1);
    const char* const dies = until == Until::kRelieved ? "dies" : nullptr;
    ::execl(program.c_str(), program.c_str(), bpffs.c_str(), file.c_str(), dies, nullptr);
    ::_exit(127);
  }

  /// Waits until it has relieved the older builds, or has ended.
  std::map<flow::StreamNo, flow::StreamNo> relieved() {
    std::string text;
    said_.in.reset();
    for (char c = 0; !text.ends_with("\n\n") && text != "\n" && ::read(said_.out.get(), &c, 1) == 1;)
      text += c;
    std::map<flow::StreamNo, flow::StreamNo> numbers;
    std::istringstream lines(text);
    for (flow::StreamNo older = 0, newer = 0; lines >> older >> newer;) numbers[older] = newer;
    return numbers;
  }

  /// It takes everything that is in its ring by now, and ends.
  int end() {
    lives_.in.reset();
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    return status;
  }

 private:
  Pipe said_;
  Pipe lives_;
  pid_t pid_ = 0;
};

inline Captured read_frames(const std::string& path) {
  Captured captured;
  std::ifstream in(path, std::ios::binary);
  std::uint32_t size = 0;
  std::string raw;
  while (in.read(reinterpret_cast<char*>(&size), sizeof(size))) {
    raw.resize(size);
    EXPECT_TRUE(in.read(raw.data(), size));
    captured.add({reinterpret_cast<const std::byte*>(raw.data()), raw.size()});
  }
  return captured;
}

}  // namespace flowtap::test
