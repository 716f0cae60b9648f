// The part of tomorrow's flowtapd that relieves today's: `next_service BPFFS FILE` writes what the older rings still give,
// then a line "OLDER NEWER" per stream and an empty one to standard output, then what its own ring gives until standard input
// ends. In the file each record has its size in front (4 bytes). With a third argument, whatever it is, it ends as soon as it has
// relieved them. Ends with 1 and a sentence when something is not as it should be.
#include <poll.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

#include "kernel/log/log_programs.hpp"

namespace flowtap {
namespace {

template <typename T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().what.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

void drain(kernel::RingReader& ring, std::ofstream& out) {
  while (true) {
    const auto end = must(ring.drain(std::size_t{1} << 20U, [&](std::span<const std::byte> raw) {
      const auto size = static_cast<std::uint32_t>(raw.size());
      out.write(reinterpret_cast<const char*>(&size), sizeof(size));
      out.write(reinterpret_cast<const char*>(raw.data()), size);
    }));
    if (end == ring.position()) return;
    ring.commit(end);
  }
}

bool input_has_ended() {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, 0) != 0;
}

int serve(const char* bpffs, const char* file, bool dies) {
  std::ofstream out(file, std::ios::binary);
  auto live = must(kernel::start_log_tap({.bpffs = bpffs}));
  std::vector<std::unique_ptr<kernel::RingReader>> older;
  for (const kernel::LogOlder& build : live.older()) older.push_back(must(build.ring()));
  if (older.empty()) {
    std::fprintf(stderr, "there is no older build\n");
    return 1;
  }
  for (const auto& ring : older) drain(*ring, out);
  for (const kernel::Relieved& stream : must(live.relieve()))
    std::printf("%llu %llu\n", static_cast<unsigned long long>(stream.before.stream),
                static_cast<unsigned long long>(stream.number));
  std::puts("");
  std::fflush(stdout);
  if (dies) return 0;
  for (const auto& ring : older) drain(*ring, out);
  live.forget_older();
  auto streams = must(live.streams());
  const auto ring = must(live.ring());
  for (bool last = false; !last; streams.beat()) {
    static_cast<void>(ring->wait(std::chrono::milliseconds(5)));
    last = input_has_ended();
    drain(*ring, out);
  }
  return 0;
}

}  // namespace
}  // namespace flowtap

int main(int argc, char** argv) {
  return argc == 3 || argc == 4 ? flowtap::serve(argv[1], argv[2], argc == 4) : 2;
}
