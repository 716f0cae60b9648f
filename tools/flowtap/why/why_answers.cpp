#include "why_answers.hpp"

#include <unistd.h>

#include <cstdio>
#include <vector>

#include "base/json/members.hpp"
#include "base/printable.hpp"
#include "why_text.hpp"

namespace flowtap::cli {
namespace {

std::string as_json(std::string_view text) {
  const std::string safe = utf8(text);
  return boost::json::serialize(boost::json::string_view(safe));
}

}  // namespace

std::string shown_answer(const WhyOptions& options, const diagnosis::Diagnosis& diagnosis,
                         const std::string& body) {
  if (options.json) return body + '\n';
  return why_text(options.of, diagnosis, style_of(STDOUT_FILENO, options.color), options.evidence);
}

ExitCode put_out(std::string_view text) {
  const bool written =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  return written ? kOk : kFailure;
}

ExitCode put_out_list(const WhyOptions& options, const std::function<void(const TakePod& take)>& each) {
  if (!options.json) {
    std::vector<PodState> pods;
    each([&](std::string_view ns, std::string_view name, const diagnosis::Diagnosis& diagnosis,
             const std::string&) {
      if (!options.ns.empty() && ns != options.ns) return;
      pods.push_back(pod_state(std::string(ns).append(1, '/').append(name), diagnosis));
    });
    return put_out(why_list_text(pods, style_of(STDOUT_FILENO, options.color)));
  }
  // Pod by pod, as there may not be memory for all of them twice.
  ExitCode exit = put_out("[");
  bool first = true;
  each([&](std::string_view ns, std::string_view name, const diagnosis::Diagnosis&, const std::string& body) {
    if (!options.ns.empty() && ns != options.ns) return;
    std::string item = first ? "" : ",";
    first = false;
    item.append(R"({"namespace":)").append(as_json(ns)).append(R"(,"name":)").append(as_json(name));
    item.append(R"(,"diagnosis":)").append(body).append(1, '}');
    if (exit == kOk) exit = put_out(item);
  });
  return exit == kOk ? put_out("]\n") : exit;
}

}  // namespace flowtap::cli
