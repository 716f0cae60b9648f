#include "count/scx_stats.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <utility>

namespace flowtap {
namespace {

constexpr std::chrono::seconds kPatience{10};  // for an answer, and before the next try
// scx_lavd answers only the reader that came last, and refuses the one before. The pause lets a person look at its
// numbers by hand without being chased away at once.
constexpr std::chrono::minutes kAfterRefusal{10};

}  // namespace

void ScxStats::look(const std::optional<kernel::SchedExt>& now, Clock::time_point at, ReadErrors& errors) {
  if (!now || now->scheduler.empty() || now->state != "enabled") return end();
  // The next scheduler has a socket of its own at the same path.
  if (now->enable_sequence && now->enable_sequence != run_) {
    end();
    run_ = now->enable_sequence;
    ended_ = false;
  }
  if (at < again_) return;
  const Status done = step(*now, at, errors);
  if (done) return;
  // It ended, and the kernel says so in a moment. Otherwise it is a scheduler that does not talk.
  if (done.error().code == ECONNRESET && !std::exchange(ended_, true)) return end();
  end();
  health_ = std::unexpected(done.error());
  again_ = at + (done.error().code == EINVAL ? std::chrono::seconds(kAfterRefusal) : kPatience);
  ++errors[kName];
}

Status ScxStats::step(const kernel::SchedExt& now, Clock::time_point at, ReadErrors& errors) {
  if (!client_.connected()) {
    FTAP_TRY_ASSIGN(there, client_.connect());
    if (!there) {
      health_.reset();
      return {};
    }
    return ask("stats_meta", at);
  }
  FTAP_TRY_ASSIGN(line, client_.answer());
  if (line) {
    FTAP_TRY(take(now, *line, errors));
    return ask("stats", at);
  }
  if (at < answer_by_) return {};
  return fail("the scheduler did not answer for " + std::to_string(kPatience.count()) + " s");
}

Status ScxStats::ask(const char* request, Clock::time_point at) {
  answer_by_ = at + kPatience;
  return client_.ask(request);
}

Status ScxStats::take(const kernel::SchedExt& now, std::string_view line, ReadErrors& errors) {
  FTAP_TRY_ASSIGN(body, parse_scx_answer(line));
  if (!schema_) {
    FTAP_TRY_ASSIGN(schema, ScxSchema::parse(body));
    schema_ = std::move(schema);
    first_ = true;
    return {};
  }
  FTAP_TRY_ASSIGN(got, schema_->values(body));
  const std::uint64_t refused = totals_.refused();
  totals_.note(now.scheduler, now.enable_sequence, std::exchange(first_, false), got.values);
  errors[kName] += totals_.refused() - refused + got.left_out;
  health_ = Status{};
  return {};
}

void ScxStats::end() {
  client_.close();
  schema_.reset();
  totals_.forget();
  health_.reset();
  again_ = {};
}

std::string ScxStats::how() const {
  return fmt::format("{} values of the scheduler that runs, from {}", totals_.shown(), client_.path());
}

}  // namespace flowtap
