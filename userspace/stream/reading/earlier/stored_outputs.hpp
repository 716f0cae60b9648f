// What the store's log of a flow has of each output.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/result.hpp"
#include "component/views/flow_views.hpp"
#include "stream/lines/shown_lines.hpp"
#include "stream/reading/earlier/journal_lines.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// Adds up what its lines stand for, from the first to the last, in one state of the log. It begins anew if the log makes room
/// meanwhile or gets a gap filled, and gives up if that never ends. Used by one thread.
class StoredOutputs {
 public:
  /// All must outlive it.
  StoredOutputs(const flow::FlowStore& store, const flow::FlowStore::Ref& flow,
                const api::LogReadOptions& options)
      : store_(store), flow_(flow), options_(options), numbers_(options.whole_lines) {}

  /// Does some of it. False: call it again. An Error: the log has gone, or makes room too fast.
  [[nodiscard]] Result<bool> step();

  // When step() has come to the end:

  /// The state of the log that was added up.
  [[nodiscard]] const flow::FlowStore::Standing& standing() const { return *standing_; }
  /// Bytes of the outputs' streams, with those in gaps.
  [[nodiscard]] const OfOutputs& bytes() const { return bytes_; }
  /// How many lines count as last lines.
  [[nodiscard]] std::uint64_t lines() const { return numbers_.last(); }
  /// Bytes in those gaps that are asked for.
  [[nodiscard]] std::uint64_t missing() const { return missing_; }
  /// Whether the first that it has of an output is a line, or the part of one.
  [[nodiscard]] bool begins_with_line(std::size_t output) const {
    return begins_.at(output) == Begins::kWithLine;
  }

 private:
  enum class Begins : std::uint8_t { kNotYet, kWithLine, kWithGap };

  [[nodiscard]] Status look();
  void add(std::string_view text);

  const flow::FlowStore& store_;
  const flow::FlowStore::Ref& flow_;
  const api::LogReadOptions& options_;
  int looks_ = 0;
  std::optional<flow::FlowStore::Standing> standing_;
  flow::LogPosition at_ = 0;
  std::string rest_;  // of a line
  OfOutputs bytes_{};
  flow::LineNumbers numbers_;
  std::uint64_t missing_ = 0;
  std::array<Begins, 2> begins_{};
};

}  // namespace flowtap
