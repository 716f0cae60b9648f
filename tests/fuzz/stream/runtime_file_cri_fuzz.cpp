// Any bytes as a file of the CRI's format or of podman's: lines, or none. What is in podman's format is in the CRI's too.
#include "stream/lines/cri_line.hpp"
#include "stream/repair/runtime_files/runtime_line_parser.hpp"
#include "tests/fuzz/stream/runtime_file_kit.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace flowtap::flow;
  check_runtime_lines(RuntimeFormat::kCri, data, size);
  check_runtime_lines(RuntimeFormat::kK8sFile, data, size);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string_view first = text.substr(0, text.find('\n'));
  const auto podman = parse_k8s_file_line(first);
  if (!podman) return 0;
  const auto cri = parse_cri_line(first);
  if (!cri || cri->time != podman->time || cri->text != podman->text) std::abort();
  std::string again;
  CriTime clock;
  put_cri_line(again, clock, {podman->time, podman->output, podman->full, {}, podman->text});
  const auto same = parse_k8s_file_line(std::string_view(again).substr(0, again.size() - 1));
  if (!same || same->time != podman->time || same->output != podman->output || same->full != podman->full ||
      same->text != podman->text)
    std::abort();
  return 0;
}
