// A flow with a gap between two lines, and fills for it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/stream/journal/tmpfs_dir.hpp"
#include "tests/unit/stream/store/store_kit.hpp"

namespace flowtap::flow {

// Filling a gap in the file, in memory, and over a start.
class FillTest : public testing::Test {
 protected:
  void SetUp() override {
    Writer writer(*store_, "f", 1);
    writer.say("one");
    at_ = writer.at();
    FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow("f");
    writing.add_gap(*flow, 1, "stdout", at_ + 100, 5);
    writing.add(*flow, 1, "stdout", {"two", true, at_ + 100, at_ + 104, 6});
  }
  // A fill for the gap of 100 bytes, or for a part of it.
  [[nodiscard]] GapFill fill(const std::string& text, std::uint64_t bytes) const {
    const std::string log = log_of(*store_, "f");
    const std::size_t at = log.find('\n') + 1;
    std::string filled;
    CriTime clock;
    put_cri_line(filled, clock, {5, "stdout", true, {}, text});
    return {at, log.substr(at, log.find('\n', at) + 1 - at), filled, bytes};
  }
  // Fills for all gaps, in this order.
  [[nodiscard]] std::vector<GapFill> fills_of(const std::vector<std::string>& texts) const {
    const std::string log = log_of(*store_, "f");
    std::vector<GapFill> fills;
    for (std::size_t line = 0; line < log.size(); line = log.find('\n', line) + 1) {
      const std::string text = log.substr(line, log.find('\n', line) + 1 - line);
      const auto parsed = parse_cri_line(std::string_view(text).substr(0, text.size() - 1));
      if (!parsed || !parsed->missing) continue;
      GapFill& fill = fills.emplace_back(line, text, std::string(), *parsed->missing);
      CriTime clock;
      put_cri_line(fill.text, clock,
                   {8, "stdout", true, {}, texts.at(std::min(fills.size(), texts.size()) - 1)});
    }
    return fills;
  }
  void open() {
    store_.reset();
    store_ = FlowStore::open({.dir = dir_ / ""});
  }

  TmpfsDir dir_;
  std::unique_ptr<FlowStore> store_ = FlowStore::open({.dir = dir_ / ""});
  std::uint64_t at_ = 0;
};

}  // namespace flowtap::flow
