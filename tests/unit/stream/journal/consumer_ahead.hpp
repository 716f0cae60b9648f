// A consumer whose ring holds more than whoever takes the journal has taken.
#pragma once

#include "tests/unit/stream/journal/consumer_kit.hpp"

namespace flowtap::flow {

class LogConsumerAhead : public LogConsumerTest {
 protected:
  // As many bytes as `journals` journals can have.
  void begin(std::chrono::milliseconds patience, std::uint64_t journals = 1) {
    taker_patience_ = patience;
    open();
    journal_->taken({});
    source_.push({1, enter_of(1, 2)});
    pieces_ = journals * journal_->max_bytes() / text_.size();
    for (std::uint64_t i = 0; i < pieces_; ++i) push(i);
  }
  void push(std::uint64_t piece) { source_.push({2, Bytes{1, piece * text_.size(), 0, bytes(text_)}}); }
  // A round brings one batch more than there should be, and others append, too. So it takes several steps until there is room again.
  void append_others() {
    Batch others;
    others.add(BytesEntry{50, 0, 1, 0, bytes(std::string(std::size_t{2} << 20U, 'o'))});
    ASSERT_TRUE(journal_->append(others));
  }
  // False: there was nothing more to take.
  bool take(std::size_t bytes) {
    const auto tail = journal_->tail(place_, bytes);
    EXPECT_TRUE(tail);
    if (!tail) return false;
    EXPECT_FALSE(tail->evicted) << "it was overrun";
    place_ = tail->next;
    journal_->taken(place_);
    return !tail->end;
  }
  void take_all() {
    while (take(1U << 20U)) continue;
  }
  // Takes the journal's bytes while rounds bring them. Returns how often it took some.
  std::uint64_t take_by(std::size_t bytes, std::chrono::milliseconds each) {
    std::uint64_t parts = 0;
    for (; source_.held() > 0 && parts < 100'000; ++parts) {
      take(bytes);
      now_ += each;
      rounds(1);
    }
    return parts;
  }

  const std::string text_ = std::string(60'000, 'x');
  std::uint64_t pieces_ = 0;
  JournalPlace place_{};
};

}  // namespace flowtap::flow
