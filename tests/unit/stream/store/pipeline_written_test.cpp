// Writers are counted for what they wrote, once, whatever becomes of their flows.
#include <map>

#include "tests/unit/stream/store/pipeline_kit.hpp"

namespace flowtap::flow {
namespace {

struct Counts {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t missing = 0;
  bool operator==(const Counts&) const = default;
};

class PipelineWrittenTest : public PipelineTest {
 protected:
  PipelineWrittenTest() { count(); }

  /// Counts as a start of the service does.
  void count(std::size_t flows = 100) {
    StoreOptions options;
    options.dir = dir_ / "flows";
    options.flows = flows;
    pipeline_.reset(), store_.reset(), journal_.reset();
    journal_ = open_journal(dir_ / "journal", kJournal);
    store_ = FlowStore::open(options);
    written_.clear();
    pipeline_ = std::make_unique<Pipeline>(*journal_, *store_, kJournal, SchedulerOptions{},
                                           [this](const std::string& flow) -> std::shared_ptr<Written> {
                                             if (flow.starts_with("proc/")) return nullptr;
                                             auto& written = written_[flow];
                                             if (!written) written = std::make_shared<Written>();
                                             return written;
                                           });
    pipeline_->replay(1);
  }
  [[nodiscard]] Counts of(const std::string& flow) const {
    const auto at = written_.find(flow);
    return at == written_.end() ? Counts{}
                                : Counts{at->second->bytes, at->second->lines, at->second->missing};
  }

  std::map<std::string, std::shared_ptr<Written>> written_;
};

TEST_F(PipelineWrittenTest, BytesLinesAndWhatIsMissing) {
  name(1, "pod/a"), name(2, "pod/a", "stderr"), name(3, "proc/1-1");
  bytes(1, 0, "one\ntw"), bytes(2, 0, "err\n"), bytes(3, 0, "nobody's\n");
  append();
  EXPECT_EQ(of("pod/a"), (Counts{10, 2, 0})) << "a line that is not whole yet is no line";
  bytes(1, 6, "o\n"), end(1, 20), end(2, 4);
  append();
  EXPECT_EQ(of("pod/a"), (Counts{24, 3, 12})) << "the last twelve bytes did not come";
  EXPECT_EQ(written_.size(), 1U);
}

TEST_F(PipelineWrittenTest, WhatCameBeforeTheNameIsCounted) {
  bytes(1, 0, "early\n");
  append();
  name(1, "pod/a");
  bytes(1, 6, "late\n");
  append();
  EXPECT_EQ(of("pod/a"), (Counts{11, 2, 0}));
}

TEST_F(PipelineWrittenTest, AFlowThatMakesRoomTakesNothingAlong) {
  count(1);
  name(1, "pod/a");
  bytes(1, 0, "one\n"), end(1, 4);
  append();
  name(2, "pod/b");
  bytes(2, 0, "b\n", 9'000'000'000);
  append();
  store_->flush({}, 1, true);
  ASSERT_FALSE(store_->find("pod/a"));
  EXPECT_EQ(of("pod/a"), (Counts{4, 1, 0}));
  name(3, "pod/a");
  bytes(3, 0, "two\n");
  append();
  EXPECT_EQ(of("pod/a"), (Counts{8, 2, 0}));
}

TEST_F(PipelineWrittenTest, WhatTheProcessBeforeHasCountedIsNotCountedAgain) {
  name(1, "pod/a");
  bytes(1, 0, "one\n");
  append();
  EXPECT_EQ(of("pod/a"), (Counts{4, 1, 0}));
  count();
  EXPECT_EQ(of("pod/a"), Counts{});
  bytes(1, 4, "two\n");
  append();
  EXPECT_EQ(of("pod/a"), (Counts{4, 1, 0}));
}

TEST_F(PipelineWrittenTest, IsHeldAsLongAsAStreamIsOpen) {
  name(1, "pod/a"), name(2, "pod/a", "stderr");
  append();
  EXPECT_EQ(written_.at("pod/a").use_count(), 3);
  end(1, 0);
  append();
  EXPECT_EQ(written_.at("pod/a").use_count(), 2);
  end(2, 0);
  append();
  EXPECT_EQ(written_.at("pod/a").use_count(), 1);
}

}  // namespace
}  // namespace flowtap::flow
