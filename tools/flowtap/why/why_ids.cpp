#include "why_ids.hpp"

#include <algorithm>
#include <array>
#include <ranges>
#include <vector>

#include "api/json/flows_json.hpp"
#include "api/routes/routes.hpp"
#include "base/ascii.hpp"
#include "base/printable.hpp"

namespace flowtap::cli {
namespace {

constexpr std::string_view kProcess = "proc/";
constexpr std::string_view kFile = "file/";

std::vector<std::string_view> parts_of(std::string_view id) {
  std::vector<std::string_view> parts;
  for (const auto part : std::views::split(id, '/')) parts.emplace_back(part.begin(), part.end());
  return parts;
}

// PID-START. A pod may be called so, in a namespace that is called proc.
bool is_process(std::string_view of) {
  if (!of.starts_with(kProcess)) return false;
  of.remove_prefix(kProcess.size());
  const auto is_number = [](std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, is_digit);
  };
  const std::size_t dash = of.find('-');
  return dash != std::string_view::npos && is_number(of.substr(0, dash)) && is_number(of.substr(dash + 1));
}

}  // namespace

std::string pod_of_id(std::string_view of) {
  const auto parts = parts_of(of);
  if (parts.empty()) return {};
  const bool is_pods = parts.front() == "pod" && parts.size() >= 6;
  const bool is_about_pod = parts.front() == "sched" && parts.size() == 3 && parts[1] != "other";
  if (!is_pods && !is_about_pod) return std::string(of);
  return std::string(parts[1]).append("/").append(parts[2]);
}

bool is_id_of_listed(std::string_view of) {
  return is_process(of) || (of.starts_with(kFile) && of.size() > kFile.size());
}

std::optional<Failure> why_no_exit(const std::string& state_dir, const std::string& of) {
  if (!is_id_of_listed(of)) return std::nullopt;
  const bool is_of_process = of.starts_with(kProcess);
  const auto body =
      ask(state_dir, std::string(api::kFlowsPath) + "?kind=" + (is_of_process ? "proc" : "file"));
  const auto flows = body ? api::flows_from_json(*body) : fail("");
  if (!flows || std::ranges::find(*flows, of, &api::FlowStatus::id) == flows->end()) return std::nullopt;
  return Failure{Error{in_quotes(of) + " is the flow of a " + (is_of_process ? "process" : "file") +
                           ", and why tells only of pods, containers and services",
                       "flowtap logs " + of + " has its log", 0},
                 kNotFound};
}

}  // namespace flowtap::cli
