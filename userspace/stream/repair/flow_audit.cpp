#include "stream/repair/flow_audit.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "base/wall_clock.hpp"
#include "stream/lines/cri_line.hpp"
#include "stream/lines/output_index.hpp"
#include "stream/repair/kept_comparison.hpp"
#include "stream/repair/runtime_files/kept_form.hpp"
#include "stream/repair/runtime_files/refill.hpp"

namespace flowtap {
namespace {

constexpr std::array<std::string_view, kAuditResults> kAuditNames{"equal", "differs", "incomplete",
                                                                  "no_source", "gone"};
constexpr std::size_t kAuditPart = std::size_t{64} << 10U;

/// One output's text in the form in which both sides are compared, since containerd drops a "\r" before a newline.
class ComparedText {
 public:
  explicit ComparedText(bool drops) : drops_(drops) {}

  void add(std::string& out, std::string_view text, bool full) {
    if (drops_)
      form_.add(out, text, full);
    else
      out.append(text).append(full ? 1 : 0, '\n');
  }
  /// How many bytes more the text has if this comes next.
  [[nodiscard]] std::size_t more_before(std::string_view next) const { return form_.kept_before(next); }

 private:
  bool drops_;
  flow::WithoutReturns form_;
};

std::string compared(std::string_view bytes, bool drops) {
  std::string out;
  ComparedText text(drops);
  for (std::size_t newline = 0; (newline = bytes.find('\n')) != std::string_view::npos;
       bytes.remove_prefix(newline + 1))
    text.add(out, bytes.substr(0, newline), true);
  text.add(out, bytes, false);
  return out;
}

/// One output of the flow, from its first line on.
class Captured {
 public:
  Captured(const flow::FlowStore& store, const flow::FlowStore::Flow& flow,
           const flow::FlowStore::Bounds& bounds, std::size_t output, bool drops)
      : store_(store), flow_(flow), at_(bounds.begin), bounds_(bounds), output_(output), text_(drops) {}

  // False: the flow has changed. Adds nothing at the flow's end or at a gap.
  bool read(std::string& out) {
    while (out.empty() && at_ < bounds_.end && !gap_) {
      const auto part = store_.read(flow_, at_, std::min<std::size_t>(kAuditPart, bounds_.end - at_));
      if (!part || part->gone || part->text.empty() || part->from != at_ || part->edits != bounds_.edits)
        return false;
      std::string_view text = part->text;
      const std::size_t last = text.rfind('\n');
      if (last == std::string_view::npos) return false;
      at_ += last + 1;
      for (text = text.substr(0, last + 1); !text.empty() && !gap_; text.remove_prefix(text.find('\n') + 1)) {
        const auto line = flow::parse_cri_line(text.substr(0, text.find('\n')));
        if (!line || flow::output_index(line->output) != output_) continue;
        gap_ = line->missing.has_value();
        if (!gap_) text_.add(out, line->text, line->full);
      }
    }
    return true;
  }
  [[nodiscard]] bool has_gap() const { return gap_; }

 private:
  const flow::FlowStore& store_;
  const flow::FlowStore::Flow& flow_;
  flow::LogPosition at_;
  flow::FlowStore::Bounds bounds_;
  std::size_t output_;
  ComparedText text_;
  bool gap_ = false;
};

class Audit {
 public:
  Audit(const flow::FlowStore& store, const std::function<bool()>& go_on) : store_(store), go_on_(go_on) {}

  FlowAudit run(const Histories& histories, const std::string& id) {
    const AuditResult result = look(histories, id);
    return {result, result == AuditResult::kDiffers ? std::move(difference_) : std::string()};
  }

 private:
  AuditResult look(const Histories& histories, const std::string& id) {
    flow_ = store_.find(id);
    const auto bounds = flow_ ? store_.bounds(*flow_) : std::nullopt;
    if (!bounds) return AuditResult::kGone;
    bounds_ = *bounds;
    const auto log = histories.find(id);
    if (!log) return AuditResult::kNoSource;
    drops_ = runtime_format(*log) == flow::RuntimeFormat::kCri;
    replaces_ = runtime_format(*log) == flow::RuntimeFormat::kJsonFile;
    auto keys = seam_keys(store_, *flow_, bounds_.begin, bounds_.end, wall_ns());
    if (!keys) return AuditResult::kGone;
    if (replaces_ && !keep_comparable(*keys)) return AuditResult::kIncomplete;
    if (const auto found = find_beginnings(*log, *keys)) return *found;
    AuditResult result = AuditResult::kEqual;
    for (std::size_t output = 0; output < before_.size(); ++output) {
      const AuditResult one = (*keys)[output].bytes.empty() ? silent(output) : compare(*log, output);
      if (one == AuditResult::kGone || one == AuditResult::kNoSource || one == AuditResult::kDiffers)
        return one;
      result = std::max(result, one);
    }
    return result;
  }

  // What Docker has made of other bytes cannot be looked for. False: too little is left.
  static bool keep_comparable(SeamKeys& keys) {
    for (flow::SeamKey& key : keys) {
      const std::size_t size = flow::ascii_prefix(key.bytes).size();
      if (size < std::min(key.bytes.size(), flow::kLeastSide)) return false;
      key.bytes.resize(size);
    }
    return true;
  }

  AuditResult differs(std::size_t output, const std::string& how) {
    difference_ = std::string(output == 1 ? "stderr" : "stdout") + how;
    return AuditResult::kDiffers;
  }

  // Finds how much of each output the runtime has from before the flow. Returns a result only if that cannot be found.
  std::optional<AuditResult> find_beginnings(const identity::RuntimeFilePlace& log, const SeamKeys& keys) {
    auto files = open_files(log);
    if (!files) return AuditResult::kNoSource;
    flow::RuntimeFileReader reader(std::move(files->files), runtime_format(log), bounds_.terminal);
    reader.keep_to(files->run);
    std::array<flow::Seam, 2> seams{flow::Seam(keys[0], runtime_format(log)),
                                    flow::Seam(keys[1], runtime_format(log))};
    std::optional<std::uint64_t> oldest;
    std::array<std::string, 2> firsts;
    std::array<ComparedText, 2> before{ComparedText(drops_), ComparedText(drops_)};
    const auto count = [&](const flow::RuntimeLine& line) {
      const std::size_t output = flow::output_index(line.output);
      std::string bytes;
      before.at(output).add(bytes, line.text, line.full);
      before_.at(output) += bytes.size();
    };
    bool more = true;
    while (more && !(seams[0].passed() && seams[1].passed())) {
      if (!go_on_()) return AuditResult::kGone;
      more = reader.read(kAuditPart, [&](const flow::RuntimeLine& line) {
        if (!oldest) oldest = line.time;
        std::string& first = firsts.at(flow::output_index(line.output));
        if (first.empty()) ComparedText(drops_).add(first, line.text, line.full);
        seams.at(flow::output_index(line.output)).add(line, count);
      });
    }
    for (std::size_t i = 0; i < seams.size(); ++i) {
      seams.at(i).finish(count);
      before_.at(i) += before.at(i).more_before(keys.at(i).bytes);
      if (keys.at(i).bytes.empty() || seams.at(i).found()) continue;
      // If the file begins later, rotation has taken the captured bytes from it.
      const bool begins_later = oldest && *oldest > keys.at(i).time &&
                                !compared(keys.at(i).bytes, drops_).starts_with(firsts.at(i));
      return begins_later ? AuditResult::kIncomplete
                          : differs(i, " begins with bytes that the runtime's file does not have");
    }
    return std::nullopt;
  }

  // Nothing of this output was captured. What the runtime has may be older than the flow, unless the flow is there from the
  // start.
  [[nodiscard]] AuditResult silent(std::size_t output) {
    if (before_.at(output) == 0) return AuditResult::kEqual;
    const bool from_start =
        bounds_.from_start && bounds_.begin == 0 && bounds_.end > 0 && before_.at(1 - output) == 0;
    return from_start ? differs(output, ": only the runtime's file has any, " +
                                            std::to_string(before_.at(output)) + " bytes")
                      : AuditResult::kIncomplete;
  }

  AuditResult compare(const identity::RuntimeFilePlace& log, std::size_t output) {
    auto files = open_files(log);
    if (!files) return AuditResult::kNoSource;
    flow::RuntimeFileReader reader(std::move(files->files), runtime_format(log), bounds_.terminal);
    reader.keep_to(files->run);
    Captured captured(store_, *flow_, bounds_, output, drops_);
    ComparedText kept(drops_);
    std::uint64_t skip = before_.at(output);
    flow::KeptComparison comparison(replaces_);
    bool more = true;
    while (true) {
      if (!go_on_()) return AuditResult::kGone;
      std::string part;
      using Result = flow::KeptComparison::Result;
      switch (comparison.go_on()) {
        case Result::kNeedsWritten:
          if (!captured.read(part)) return AuditResult::kGone;
          if (part.empty() && captured.has_gap()) return AuditResult::kIncomplete;
          if (part.empty()) comparison.end_written();
          comparison.add_written(part);
          break;
        case Result::kNeedsKept: {
          if (more)
            more = reader.read(kAuditPart, [&](const flow::RuntimeLine& line) {
              if (flow::output_index(line.output) == output) kept.add(part, line.text, line.full);
            });
          else
            comparison.end_kept();
          const std::size_t skipped = std::min<std::uint64_t>(skip, part.size());
          comparison.add_kept(std::string_view(part).substr(skipped));
          skip -= skipped;
          break;
        }
        case Result::kEqual:
          return AuditResult::kEqual;
        case Result::kDiffers:
          return differs(output, " differs" + after(comparison));
        case Result::kOnlyWritten:
          return differs(output, ": the runtime's file ends" + after(comparison));
        case Result::kOnlyKept:
          return differs(output, ": only the runtime's file goes on" + after(comparison));
      }
    }
  }
  static std::string after(const flow::KeptComparison& comparison) {
    return " after " + std::to_string(comparison.equal()) + " equal bytes";
  }

  const flow::FlowStore& store_;
  const std::function<bool()>& go_on_;
  flow::FlowStore::Ref flow_;
  flow::FlowStore::Bounds bounds_;
  bool drops_ = false;
  bool replaces_ = false;                  // bytes that are not UTF-8
  std::array<std::uint64_t, 2> before_{};  // bytes
  std::string difference_;
};

}  // namespace

std::string_view to_string(AuditResult result) {
  return kAuditNames.at(static_cast<std::size_t>(result));
}

FlowAudit audit_flow(const flow::FlowStore& store, const Histories& histories, const std::string& id,
                     const std::function<bool()>& go_on) {
  return Audit(store, go_on).run(histories, id);
}

}  // namespace flowtap
