// A store in a directory of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "stream/store/flow_store.hpp"
#include "tests/unit/stream/journal/tmpfs_dir.hpp"
#include "tests/unit/stream/store/store_kit.hpp"

namespace flowtap::flow {

using Lines = std::vector<std::string>;

class FlowStoreTest : public testing::Test {
 protected:
  FlowStoreTest() { options_.dir = (dir_ / "flows"), std::filesystem::create_directory(options_.dir); }

  FlowStore& open() {
    store_.reset();
    store_ = FlowStore::open(options_);
    EXPECT_TRUE(store_->said().empty());
    return *store_;
  }
  void flush(bool all = true, FlowStore::Clock::time_point now = {}, std::uint64_t wall = 0) {
    store_->flush(now, wall, all);
  }
  [[nodiscard]] std::string file(const std::string& flow) const { return file_of(options_.dir, flow); }
  [[nodiscard]] Lines lines(const std::string& flow) const { return lines_of(log_of(*store_, flow, 37)); }
  [[nodiscard]] std::uint64_t evicted(Eviction reason) const {
    return store_->stats().evicted_bytes.at(static_cast<std::size_t>(reason));
  }
  [[nodiscard]] std::uint64_t evicted_flows(Eviction reason) const {
    return store_->stats().evicted_flows.at(static_cast<std::size_t>(reason));
  }

  TmpfsDir dir_;
  StoreOptions options_;
  std::unique_ptr<FlowStore> store_;
};

}  // namespace flowtap::flow
