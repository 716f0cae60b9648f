// Random output, as a runtime keeps it from its first byte on, and as it was captured from any write on: the log of both is what the
// runtime's own tool shows, byte by byte, and the audit finds no difference.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "stream/lines/line_assembler.hpp"
#include "stream/repair/flow_audit.hpp"
#include "tests/support/seed.hpp"
#include "tests/unit/stream/repair/history_kit.hpp"

namespace flowtap {
namespace {

enum class Runtime : std::uint8_t { kContainerd, kConmon };

/// What a runtime has read of one output and not kept yet.
struct Unkept {
  std::string bytes;
  std::uint64_t time = 0;  // of the last write
};

class KeptLog : public HistoryTest {
 protected:
  struct Write {
    std::size_t output = 0;
    std::string bytes;
    std::uint64_t time = 0;
  };
  static constexpr std::array<std::string_view, 2> kOutputs{"stdout", "stderr"};

  unsigned any(unsigned below) { return static_cast<unsigned>(random_() % below); }

  // No two places of it are the same.
  std::string text(std::size_t size) {
    std::string text;
    while (text.size() < size) text += (any(50) == 0 ? "\r" : "") + std::to_string(++words_) + " ";
    return text;
  }
  // `sizes`: how long pieces may be; `ends`: one piece in so many ends its line.
  void say(unsigned count, unsigned sizes, unsigned ends) {
    writes_.clear();
    std::uint64_t time = kBegin;
    std::size_t size = 0;
    for (unsigned i = 0; i < count && size < kMostBytes; ++i) {
      // Programs and libraries write pages, and runtimes divide lines where a page ends.
      const bool pages = sizes > kPage && any(2) == 0;
      const std::size_t bytes = pages ? std::size_t{kPage} * (1 + any(4)) : 1 + any(sizes);
      Write write{any(3) == 0 ? 1U : 0U, text(bytes), time += 5'000'000 + any(1'000'000'000)};
      if (pages) write.bytes.resize(bytes);
      if (ends > 0 && any(ends) == 0) write.bytes += std::string(returns_ ? any(4) : 0, '\r') + "\n";
      size += write.bytes.size();
      writes_.push_back(std::move(write));
    }
  }

  // The runtime reads a write a moment later, or together with the one behind it.
  void keep() {
    std::string file;
    std::array<Unkept, 2> unkept;
    std::array<std::string, 2> amid;
    const auto read = [&](std::size_t output) {
      const std::string bytes = std::exchange(unkept.at(output).bytes, {});
      const std::string head = rfc3339_nano(std::chrono::system_clock::time_point(
                                   std::chrono::nanoseconds(unkept.at(output).time + 50'000))) +
                               " " + std::string(kOutputs.at(output)) + " ";
      if (runtime_ == Runtime::kContainerd)
        keep_as_containerd(file, head, amid.at(output) += bytes);
      else
        for (std::size_t at = 0; at < bytes.size(); at += kConmonRead)
          keep_as_conmon(file, head, std::string_view(bytes).substr(at, kConmonRead));
      return head;
    };
    for (const Write& write : writes_) {
      unkept.at(write.output).bytes += write.bytes;
      unkept.at(write.output).time = write.time;
      if (any(4) != 0) read(write.output);
    }
    for (std::size_t output = 0; output < kOutputs.size(); ++output) {
      const std::string head = read(output);
      if (!amid.at(output).empty()) file += head + "P " + amid.at(output) + "\n";
    }
    tree_.file("var/log/pods/shop_web-0_" + kUid + "/app/0.log", file);
  }
  // `bytes`: all that it has read and not kept. It holds back a line until its newline comes or it is too long.
  static void keep_as_containerd(std::string& file, const std::string& head, std::string& bytes) {
    for (std::size_t newline = 0; (newline = bytes.find('\n')) != std::string::npos;) {
      std::string line = without_return(bytes.substr(0, newline));
      bytes.erase(0, newline + 1);
      keep_parts(file, head, line);
      file += head + "F " + line + "\n";
    }
    keep_parts(file, head, bytes);
  }
  static void keep_parts(std::string& file, const std::string& head, std::string& line) {
    for (; line.size() > flow::kMaxLine; line.erase(0, flow::kMaxLine))
      file += head + "P " + line.substr(0, flow::kMaxLine) + "\n";
  }
  static void keep_as_conmon(std::string& file, const std::string& head, std::string_view bytes) {
    while (!bytes.empty()) {
      const std::size_t newline = bytes.find('\n');
      file += head + (newline == std::string_view::npos ? "P " : "F ");
      file.append(bytes.substr(0, newline)).append("\n");
      bytes.remove_prefix(newline == std::string_view::npos ? bytes.size() : newline + 1);
    }
  }
  static std::string without_return(std::string line) {
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }

  // Writes from this one on were captured. Their streams may be handed over amid a line.
  void capture(std::size_t from) {
    store_ = flow::FlowStore::open({.dir = dir_ / std::to_string(++stores_)});
    history_ = std::move(*Histories::open(tree_.root()));
    has_captured_.fill(false);
    flow::FlowStore::Writing writing(*store_, {});
    const auto flow = writing.flow(kFlow);
    std::array<flow::LineAssembler, 2> lines;
    const auto finish = [&](std::size_t output) {
      lines.at(output).finish(
          [&](const flow::LineView& line) { writing.add(*flow, output + 1, kOutputs.at(output), line); });
    };
    for (std::size_t i = from; i < writes_.size(); ++i) {
      const std::size_t output = writes_[i].output;
      has_captured_.at(output) = true;
      lines.at(output).add(writes_[i].bytes, writes_[i].time, [&](const flow::LineView& line) {
        writing.add(*flow, output + 1, kOutputs.at(output), line);
      });
      if (any(20) == 0) finish(output);
    }
    for (std::size_t output = 0; output < kOutputs.size(); ++output) finish(output);
  }

  [[nodiscard]] std::string shown(std::size_t output) const {
    std::string all;
    for (const Write& write : writes_)
      if (write.output == output) all += write.bytes;
    if (runtime_ == Runtime::kConmon) return all;
    std::string shown;
    for (std::size_t at = 0; at < all.size(); ++at)
      if (all[at] != '\r' || at + 1 == all.size() || all[at + 1] != '\n') shown += all[at];
    return shown;
  }
  void expect_shown(std::size_t from) {
    for (std::size_t output = 0; output < kOutputs.size(); ++output) {
      const std::string got = log({.outputs = output == 0 ? api::Outputs::kStdout : api::Outputs::kStderr},
                                  {.drops_returns = runtime_ == Runtime::kContainerd});
      const std::string want = shown(output);
      EXPECT_TRUE(got == want) << kOutputs.at(output) << " from write " << from << " of " << writes_.size()
                               << ": " << got.size() << " of " << want.size() << " bytes";
    }
    const FlowAudit audit = audit_flow(*store_, *history_, kFlow, [] { return true; });
    // Of an output that was silent then, nobody knows whether what was kept is older.
    if (!has_captured_[0] || !has_captured_[1]) return;
    EXPECT_EQ(to_string(audit.result), to_string(AuditResult::kEqual)) << audit.difference;
  }

  static constexpr std::uint64_t kBegin = 1'000'000'000'000;  // ns since 1970
  // An output that is silent for longer than this is known by its times alone (seam_keys()).
  static constexpr std::size_t kMostBytes = 200'000;
  static constexpr std::size_t kConmonRead = 8192;
  static constexpr unsigned kPage = 4096;
  std::mt19937 random_;
  Runtime runtime_ = Runtime::kConmon;
  bool returns_ = false;
  std::uint64_t words_ = 0;
  int stores_ = 0;
  std::array<bool, 2> has_captured_{};
  std::vector<Write> writes_;
};

TEST_F(KeptLog, IsJoinedByteByByte) {
  const unsigned seed = test::seed();
  SCOPED_TRACE("FTAP_SEED=" + std::to_string(seed));
  random_.seed(seed);
  for (unsigned round = 0; round < 100 && !HasFailure(); ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    runtime_ = any(2) == 0 ? Runtime::kContainerd : Runtime::kConmon;
    returns_ = any(2) == 0;
    constexpr std::array<unsigned, 4> kSizes{20, 300, 9000, 40'000};
    constexpr std::array<unsigned, 4> kEnds{0, 1, 3, 60};
    say(2 + any(60), kSizes.at(any(4)), kEnds.at(any(4)));
    keep();
    const std::size_t from = any(3) == 0 ? 0 : any(static_cast<unsigned>(writes_.size()));
    capture(from);
    expect_shown(from);
  }
}

}  // namespace
}  // namespace flowtap
