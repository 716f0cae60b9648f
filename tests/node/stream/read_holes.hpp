// What is missing of a text: whole reads of a runtime, which a kernel kept from the log tap's programs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace flowtap::test {

/// How much of `written` is missing at each place where something is: what was got is the rest, in its order. Nothing: it is not, or
/// more than `most` bytes are missing at one place. Behind a hole so many bytes have to be the same that a few which happen to be
/// equal are not taken for its end.
[[nodiscard]] inline std::optional<std::vector<std::size_t>> holes_in(std::string_view got,
                                                                      std::string_view written,
                                                                      std::size_t most) {
  constexpr std::size_t kSame = 256;
  std::vector<std::size_t> holes;
  while (true) {
    const auto same = std::ranges::mismatch(got, written);
    got.remove_prefix(static_cast<std::size_t>(same.in1 - got.begin()));
    written.remove_prefix(static_cast<std::size_t>(same.in2 - written.begin()));
    if (got.empty()) {
      if (written.size() > most) return std::nullopt;
      if (!written.empty()) holes.push_back(written.size());
      return holes;
    }
    const std::string_view next = got.substr(0, kSame);
    const std::size_t hole = written.substr(0, std::min(written.size(), most + next.size())).find(next);
    if (hole == std::string_view::npos) return std::nullopt;
    holes.push_back(hole);
    written.remove_prefix(hole);
  }
}

}  // namespace flowtap::test
