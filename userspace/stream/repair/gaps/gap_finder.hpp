// Finds what a flow's gaps lack in what its runtime has kept, step by step.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "stream/repair/gaps/gapped_output.hpp"
#include "stream/repair/histories.hpp"
#include "stream/repair/runtime_files/runtime_file_reader.hpp"
#include "stream/store/flow_store.hpp"

namespace flowtap {

/// What became of bytes that were missing. The words stand in metrics.
enum class RefillResult : std::uint8_t {
  kExact,        ///< found between the captured bytes, exactly as many as were missing
  kApproximate,  ///< the best match, and marked so in the flow's file
  kUnfilled,     ///< what the runtime has kept does not tell the bytes
  kNoSource,     ///< the runtime keeps no file that can be read
  kNoRoom,       ///< newer lines would have to make room for them
};
constexpr std::size_t kRefillResults = 5;
[[nodiscard]] std::string_view to_string(RefillResult result);

/// Up to where it is known what became of each of a flow's gaps: filled or given up.
struct GapsDecided {
  std::uint64_t flow = 0;                     ///< FlowStore::Flow::number
  std::size_t edits = 0;                      ///< FlowStore::Bounds::edits when the positions were taken
  std::array<flow::LogPosition, 2> before{};  ///< of standard output and error
};

struct GapRound {
  std::array<std::uint64_t, kRefillResults> bytes{};  ///< bytes that are decided, by what became of them
  std::uint64_t open = 0;                             ///< bytes in gaps that may be found later

  void decide(RefillResult result, std::uint64_t count) {
    bytes.at(static_cast<std::size_t>(result)) += count;
  }
};

/// Reads the flow's log and the runtime's files, from a little before the first gap that is not decided. It holds at most kMostKept
/// bytes of each output, and half of what the store may have: where memory is scarce, the sizes of the store say so. What is
/// behind a gap that was found is looked for in the next round. It has many members, since it knows the log and the files, and
/// what was found in them.
class GapFinder {
 public:
  struct Options {
    bool last = false;  ///< the file is not waited for any longer: bytes that were not found are given up
  };

  /// All must outlive it. `decided` is moved to where the flow's gaps stand now, and behind them by settle().
  GapFinder(const flow::FlowStore& store, const Histories& histories, const std::string& id,
            GapsDecided& decided, const Options& options);

  /// Does a part of the work, mostly less than a millisecond's. True: it is done.
  [[nodiscard]] bool step();

  // When it is done:

  /// The flow whose gaps these are; empty: there is none.
  [[nodiscard]] const flow::FlowStore::Ref& flow() const { return flow_; }
  [[nodiscard]] GapRound& round() { return round_; }
  /// Lines for the places of gaps, in order.
  [[nodiscard]] std::vector<flow::GapFill>& fills() { return fills_; }
  [[nodiscard]] std::uint64_t exact() const { return exact_; }  ///< bytes of fills()
  [[nodiscard]] std::uint64_t approximate() const { return approximate_; }
  /// FlowStore::Bounds::edits of the positions in fills().
  [[nodiscard]] std::size_t edits() const { return edits_; }
  /// When nothing is open, or this was the last round, `decided` stands behind the gaps from now on. It does not stand behind a gap
  /// at the end of a flow that has not ended, since what such a gap lacks is known only from what comes behind it, or from the
  /// flow's end.
  void settle();

 private:
  enum class At : std::uint8_t { kBegin, kLog, kFiles, kSearch, kEnd };

  [[nodiscard]] At begin();
  [[nodiscard]] At read_log();
  [[nodiscard]] At open_kept();
  [[nodiscard]] At read_kept();
  [[nodiscard]] At search_next();
  [[nodiscard]] At no_source();
  void move_decided(std::size_t edits);
  void take(std::string_view text, flow::LogPosition at);
  void take_kept(const flow::RuntimeLine& line);
  [[nodiscard]] bool is_from_start(const GappedOutput& output) const;
  [[nodiscard]] std::uint64_t earliest_of(const GappedOutput& output) const;
  void search(GappedOutput& output);

  const flow::FlowStore& store_;
  const Histories& histories_;
  const std::string& id_;
  GapsDecided& decided_;
  Options options_;
  At at_ = At::kBegin;
  flow::FlowStore::Ref flow_;
  std::optional<identity::RuntimeFilePlace> place_;
  std::optional<flow::RuntimeFileReader> reader_;
  flow::RuntimeFormat format_ = flow::RuntimeFormat::kCri;
  std::size_t edits_ = 0;
  flow::LogPosition read_ = 0;     // up to here the log was read
  flow::LogPosition line_at_ = 0;  // where the line begins that `rest_` is the beginning of
  std::string rest_;
  flow::LogPosition read_to_ = 0;
  bool terminal_ = false;
  bool from_start_ = false;   // the flow begins with the first that its source wrote, as far as is known
  bool lacks_lines_ = false;  // some that the runtime has kept could not be read
  bool ended_ = false;
  bool is_settled_ = false;  // it was found out what the runtime has for each gap
  std::array<GappedOutput, 2> outputs_;
  std::size_t searched_ = 0;  // of these
  std::vector<flow::GapFill> fills_;
  std::uint64_t exact_ = 0;
  std::uint64_t approximate_ = 0;
  flow::CriTime clock_;
  GapRound round_;
};

}  // namespace flowtap
