// A service of flows over a real journal and store.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "stream/reading/flows_service.hpp"
#include "tests/support/files/temp_dir.hpp"

namespace flowtap {

class FlowsServiceTest : public testing::Test {
 protected:
  // Adds a flow whose bytes came at these times, and that has ended or not.
  void add(const std::string& flow, std::vector<std::uint64_t> times, bool ended) {
    const flow::StreamNo stream = ++streams_;
    flow::Batch batch;
    batch.add(flow::StreamEntry{
        stream, {.flow = flow, .output = "stdout", .identity = {}, .inode = stream, .kind = FTAP_KIND_PIPE}});
    std::uint64_t offset = 0;
    for (const std::uint64_t time : times)
      batch.add(flow::BytesEntry{stream, offset++, time, 0, std::as_bytes(std::span("x", 1))});
    if (ended) batch.add(flow::EndEntry{stream, offset, times.empty() ? 0 : times.back(), {}});
    ASSERT_TRUE(journal_->append(batch));
  }

  std::map<std::string, bool> suspects() {
    std::map<std::string, bool> all;
    for (const api::FlowStatus& flow :
         FlowsService(*journal_, *store_, *waker_, suspicion_, nullptr).flows({}))
      all[flow.id] = flow.suspect;
    return all;
  }

  test::TempDir dir_;
  std::unique_ptr<flow::Journal> journal_ = std::move(*flow::Journal::open({.dir = dir_ / "journal"}));
  std::unique_ptr<flow::FlowStore> store_ = flow::FlowStore::open({.dir = dir_ / "journal"});
  std::unique_ptr<ReaderWaker> waker_ = std::move(*ReaderWaker::start());
  Suspicion suspicion_;
  flow::StreamNo streams_ = 0;
};

}  // namespace flowtap
