// Any bytes as a file of Docker's json-file: lines, or none.
#include "tests/fuzz/stream/runtime_file_kit.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  flowtap::flow::check_runtime_lines(flowtap::flow::RuntimeFormat::kJsonFile, data, size);
  return 0;
}
