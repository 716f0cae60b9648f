#include "why.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "api/routes/routes.hpp"
#include "api/routes/target.hpp"
#include "base/json/members.hpp"
#include "base/printable.hpp"
#include "explain/diagnosis/diagnosis.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/pod_name.hpp"
#include "tools/flowtap/terminal/terminal.hpp"
#include "why_answers.hpp"
#include "why_exits.hpp"
#include "why_files.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::Diagnosis;

// How often a pod's answer is read again, and how soon if there was none yet.
constexpr std::chrono::milliseconds kEvery{1000};
constexpr std::chrono::milliseconds kSoon{100};
constexpr int kTries = 50;

struct PodAnswer {
  Diagnosis diagnosis;
  std::string shown;
};

Answer<PodAnswer> ask_for_pod(const WhyOptions& options) {
  const PodName pod = pod_name(options.of).value_or(PodName{});
  auto body = ask(options.state_dir, fmt::format("{}/{}/pods/{}/schedulerlog{}", api::kNamespacesPath,
                                                 api::percent_encode(pod.ns), api::percent_encode(pod.name),
                                                 options.json && !options.evidence ? "" : "?evidence=true"));
  if (!body) return std::unexpected(std::move(body).error());
  auto diagnosis = diagnosis::diagnosis_from_json(*body);
  if (!diagnosis) return std::unexpected(Failure{std::move(diagnosis).error(), kFailure});
  std::string shown = shown_answer(options, *diagnosis, *body);
  return PodAnswer{std::move(*diagnosis), std::move(shown)};
}

ExitCode give_up(const Failure& failure) {
  complain(failure.error);
  return failure.exit;
}

// A pod that no scheduler of this node knows may still have crashed here.
ExitCode show_pod(const WhyOptions& options) {
  const auto answer = ask_for_pod(options);
  const bool unknown = !answer && (answer.error().exit == kNotFound || answer.error().not_yet);
  if (!answer && !unknown) return give_up(answer.error());
  // An older flowtapd does not report crashes.
  const auto crashes = ask_for_crashes(options.state_dir, pod_name(options.of).value_or(PodName{}));
  if (!crashes || crashes->empty()) return answer ? put_out(answer->shown) : give_up(answer.error());
  if (options.json) return put_out(with_crashes(answer ? answer->shown : "", *crashes) + '\n');
  return put_out((answer ? answer->shown + '\n' : "") + crashes_text(options.of, *crashes,
                                                                     std::chrono::system_clock::now(),
                                                                     style_of(STDOUT_FILENO, options.color)));
}

ExitCode show_list(const WhyOptions& options) {
  const auto body = ask(options.state_dir, std::string(api::kSchedulerLogsPath) + "?diagnosis=true");
  if (!body) return give_up(body.error());
  const auto list = parse_object(*body, "the list of pods");
  if (!list) return give_up({list.error(), kFailure});
  std::optional<Error> wrong;
  const ExitCode exit = put_out_list(options, [&](const TakePod& take) {
    each_object(*list, "items", [&](const boost::json::object& item) {
      const auto* answer = member(item, "diagnosis");
      const std::string text = answer != nullptr ? boost::json::serialize(*answer) : "";
      const auto diagnosis = diagnosis::diagnosis_from_json(text);
      if (diagnosis)
        take(text_member(item, "namespace"), text_member(item, "name"), *diagnosis, text);
      else
        wrong = diagnosis.error();
    });
  });
  return wrong ? give_up({*wrong, kFailure}) : exit;
}

ExitCode watch_pod(const WhyOptions& options) {
  auto keyboard = Keyboard::open(false);
  if (!keyboard) return give_up({keyboard.error(), kFailure});
  std::string last;
  for (int tries = 1;; ++tries) {
    const auto answer = ask_for_pod(options);
    const bool not_yet = !answer && answer.error().not_yet && last.empty() && tries < kTries;
    if (!answer && !not_yet) return give_up(answer.error());
    if (answer && answer->shown != last) {
      const std::string between = last.empty() || options.json ? "" : "\n";
      if (const ExitCode exit = put_out(between + answer->shown); exit != kOk) return exit;
      last = answer->shown;
    }
    if (answer && answer->diagnosis.status == Diagnosis::Status::kSucceeded) return kOk;
    if (keyboard->wait(not_yet ? kSoon : kEvery) == Event::kQuit) return kOk;
  }
}

}  // namespace

std::string wrong_why(const WhyOptions& options) {
  if (!options.of.empty() && !pod_name(options.of)) return in_quotes(options.of) + " is not NAMESPACE/POD";
  if (options.watch && options.of.empty()) return "--watch needs a pod";
  if (options.evidence && options.of.empty()) return "--evidence needs a pod";
  if (options.watch && !options.from.empty()) return "--watch asks the daemon and --from does not: take one";
  if (std::ranges::count(options.from, "-") > 1) return "standard input can be read only once";
  return {};
}

ExitCode run_why(const WhyOptions& options) {
  if (!options.from.empty()) return why_from_files(options);
  if (options.of.empty()) return show_list(options);
  return options.watch ? watch_pod(options) : show_pod(options);
}

}  // namespace flowtap::cli
