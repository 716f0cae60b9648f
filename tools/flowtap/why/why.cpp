#include "why.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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
#include "why_here.hpp"
#include "why_ids.hpp"
#include "why_next.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::Diagnosis;

// How often a pod's answer is read again, and how soon if there was none yet.
constexpr std::chrono::milliseconds kEvery{1000};
constexpr std::chrono::milliseconds kSoon{100};
constexpr int kTries = 50;

// The first part of the ids of flows that have a name of their own.
constexpr std::array<std::string_view, 2> kNamed = {"container/", "unit/"};

bool is_named_flow(std::string_view of) {
  return std::ranges::any_of(kNamed, [of](std::string_view kind) { return of.starts_with(kind); });
}

std::optional<PodName> pod_asked(std::string_view of) {
  return is_named_flow(of) ? std::nullopt : pod_name(of);
}

bool can_be_name(std::string_view of) {
  return is_named_flow(of) || is_id_of_listed(of) || !of.contains('/');
}

struct PodAnswer {
  Diagnosis diagnosis;
  std::string shown;
};

Answer<PodAnswer> ask_for_pod(const WhyOptions& options, const PodName& pod) {
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

Style own_style(const WhyOptions& options) {
  return style_of(STDOUT_FILENO, options.color);
}

/// What the node itself knows of a pod, beside its schedulers.
struct OnNode {
  Ends ends;
  Here here;
  [[nodiscard]] bool any() const { return !ends.empty() || here.any(); }
};

OnNode ask_node(const WhyOptions& options, const PodName& pod) {
  // An older flowtapd does not report ends.
  auto ends = ask_for_ends(options.state_dir, pod);
  OnNode node{.ends = ends ? std::move(*ends) : Ends{}, .here = ask_for_here(options.state_dir, pod)};
  note_silent(node.ends, node.here);
  return node;
}

std::string node_text(const WhyOptions& options, const PodName& pod, const Diagnosis& diagnosis,
                      const OnNode& node) {
  const auto now = std::chrono::system_clock::now();
  const Style style = own_style(options);
  std::string text;
  if (diagnosis.status == Diagnosis::Status::kSucceeded && !diagnosis.lifecycle.over())
    text = bound_text(pod, diagnosis.node, node.here, node.ends, now, style);
  if (const std::string ends = ends_text(options.of, node.ends, false, now, style); !ends.empty())
    text += '\n' + ends;
  return text;
}

/// A pod that no scheduler of this node knows may still run here, or have ended here.
ExitCode show_unexplained(const WhyOptions& options, const Failure& why, const OnNode& node) {
  if (options.json) return put_out(with_here(with_ends("", node.ends), node.here) + '\n');
  const auto now = std::chrono::system_clock::now();
  const Style style = own_style(options);
  std::string text = style.paint("1", printable(options.of) + " is on this node") + '\n' +
                     here_text(node.here, node.ends, now, style);
  text += "\n  not explained: " + printable(why.error.what) + '\n';
  if (!why.error.hint.empty()) text += todo_text(why.error.hint, style);
  if (const std::string ends = ends_text(options.of, node.ends, false, now, style); !ends.empty())
    text += '\n' + ends;
  return put_out(text);
}

ExitCode show_pod(const WhyOptions& options, const PodName& pod) {
  const auto answer = ask_for_pod(options, pod);
  const bool unknown = !answer && (answer.error().exit == kNotFound || answer.error().not_yet);
  if (!answer && !unknown) return give_up(answer.error());
  const OnNode node = ask_node(options, pod);
  if (!answer) return node.any() ? show_unexplained(options, answer.error(), node) : give_up(answer.error());
  if (!options.json) return put_out(answer->shown + node_text(options, pod, answer->diagnosis, node));
  return put_out(node.ends.empty() ? answer->shown : with_ends(answer->shown, node.ends) + '\n');
}

/// A container that is in no pod, or a service.
ExitCode show_named(const WhyOptions& options) {
  auto ends = ask_for_ends(options.state_dir, options.of);
  if (!ends) return give_up(ends.error());
  const Here here = ask_for_here(options.state_dir, options.of);
  note_silent(*ends, here);
  if (ends->empty() && !here.any())
    return give_up(
        {Error{"no container or service " + in_quotes(options.of) + " was seen on this node",
               "a pod is NAMESPACE/POD; flowtap flows lists what is captured, and flowtap top --pods "
               "what runs",
               0},
         kNotFound});
  if (options.json) return put_out(with_here(with_ends("", *ends), here) + '\n');
  const auto now = std::chrono::system_clock::now();
  const Style style = own_style(options);
  std::string text = ends_text(options.of, *ends, true, now, style);
  if (const std::string words = named_words(here, *ends); !words.empty())
    text += style.paint("1", printable(options.of)) + ' ' + words + '\n';
  return put_out(text);
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

ExitCode watch_pod(const WhyOptions& options, const PodName& pod) {
  auto keyboard = Keyboard::open(false);
  if (!keyboard) return give_up({keyboard.error(), kFailure});
  std::string last;
  for (int tries = 1;; ++tries) {
    const auto answer = ask_for_pod(options, pod);
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
  const std::string of = pod_of_id(options.of);
  const bool is_pod = pod_asked(of).has_value();
  const bool is_name = !options.of.empty() && !is_pod;
  if (is_name && !can_be_name(options.of))
    return in_quotes(options.of) + " is neither NAMESPACE/POD nor a name";
  if (is_name && !options.from.empty()) return in_quotes(options.of) + " is not NAMESPACE/POD";
  if (options.watch && !is_pod) return "--watch needs a pod";
  if (options.evidence && !is_pod) return "--evidence needs a pod";
  if (options.watch && !options.from.empty()) return "--watch asks the daemon and --from does not: take one";
  if (std::ranges::count(options.from, "-") > 1) return "standard input can be read only once";
  return {};
}

ExitCode run_why(const WhyOptions& asked) {
  WhyOptions options = asked;
  options.of = pod_of_id(asked.of);
  if (!options.from.empty()) return why_from_files(options);
  if (options.of.empty()) return show_list(options);
  if (const auto failure = why_no_exit(options.state_dir, options.of)) return give_up(*failure);
  const auto pod = pod_asked(options.of);
  if (!pod) return show_named(options);
  return options.watch ? watch_pod(options, *pod) : show_pod(options, *pod);
}

}  // namespace flowtap::cli
