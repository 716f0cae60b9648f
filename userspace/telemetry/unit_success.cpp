#include "telemetry/unit_success.hpp"

#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/trimmed.hpp"

namespace flowtap {
namespace {

namespace fs = std::filesystem;

// Where systemd looks for a unit, what counts more first (systemd.unit(5)).
constexpr std::array<std::string_view, 12> kFolders = {
    "etc/systemd/system.control",   "run/systemd/system.control",  "run/systemd/transient",
    "run/systemd/generator.early",  "etc/systemd/system",          "etc/systemd/system.attached",
    "run/systemd/system",           "run/systemd/system.attached", "run/systemd/generator",
    "usr/local/lib/systemd/system", "usr/lib/systemd/system",      "lib/systemd/system"};
constexpr std::size_t kLongestFile = std::size_t{1} << 18U;
constexpr std::size_t kMostDropIns = 64;
constexpr std::string_view kService = ".service";
constexpr std::string_view kSpace = " \t\r";

struct NamedCode {
  std::string_view name;
  unsigned code;
};
// systemd.exec(5), "Process Exit Codes": those that a program itself ends with.
constexpr std::array<NamedCode, 24> kCodes = {{
    {"SUCCESS", 0},      {"FAILURE", 1},      {"INVALIDARGUMENT", 2}, {"NOTIMPLEMENTED", 3},
    {"NOPERMISSION", 4}, {"NOTINSTALLED", 5}, {"NOTCONFIGURED", 6},   {"NOTRUNNING", 7},
    {"USAGE", 64},       {"DATAERR", 65},     {"NOINPUT", 66},        {"NOUSER", 67},
    {"NOHOST", 68},      {"UNAVAILABLE", 69}, {"SOFTWARE", 70},       {"OSERR", 71},
    {"OSFILE", 72},      {"CANTCREAT", 73},   {"IOERR", 74},          {"TEMPFAIL", 75},
    {"PROTOCOL", 76},    {"NOPERM", 77},      {"CONFIG", 78},         {"EXCEPTION", 255},
}};

std::optional<std::size_t> signal_named(std::string_view name) {
  if (name.starts_with("SIG")) name.remove_prefix(3);
  for (int signal = 1; signal <= 64; ++signal)
    if (const char* known = ::sigabbrev_np(signal); known != nullptr && name == known)
      return static_cast<std::size_t>(signal);
  return std::nullopt;
}

void add_status(UnitRule& rule, std::string_view word) {
  unsigned code = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), code);
  if (error == std::errc{} && end == word.data() + word.size() && code < rule.codes.size()) {
    rule.codes.set(code);
  } else if (const auto* const named = std::ranges::find(kCodes, word, &NamedCode::name);
             named != kCodes.end()) {
    rule.codes.set(named->code);
  } else if (const auto signal = signal_named(word)) {
    rule.signals.set(*signal);
  }
}

template <typename Take>
void each_word(std::string_view text, Take take) {
  while (!(text = text.substr(std::min(text.find_first_not_of(kSpace), text.size()))).empty()) {
    const std::string_view word = text.substr(0, text.find_first_of(kSpace));
    take(word);
    text.remove_prefix(word.size());
  }
}

/// Gives take(section, key, value) each setting. A backslash at its end joins a line with the next.
template <typename Take>
void each_setting(std::string_view text, Take take) {
  std::string section;
  std::string line;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view part = trimmed(text.substr(0, end), kSpace);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (part.starts_with('#') || part.starts_with(';')) continue;
    const bool goes_on = part.ends_with('\\');
    if (goes_on) part.remove_suffix(1);
    line += part;
    if (goes_on && !text.empty()) {
      line += ' ';
      continue;
    }
    const std::string whole = std::exchange(line, {});
    if (whole.starts_with('[') && whole.ends_with(']')) section = whole;
    if (const std::size_t equals = whole.find('='); equals != std::string::npos)
      take(std::string_view(section), trimmed(std::string_view(whole).substr(0, equals), kSpace),
           trimmed(std::string_view(whole).substr(equals + 1), kSpace));
  }
}

// "@-/bin/sh" has the prefixes "@" and "-".
bool ignores_failure(std::string_view command) {
  return command.substr(0, command.find_first_not_of("@-:+!|")).contains('-');
}

// What all instances of a template share: "worker@.service" of "worker@1.service".
std::string template_of(std::string_view unit) {
  const std::size_t at = unit.find('@');
  return at == std::string_view::npos ? std::string() : std::string(unit.substr(0, at + 1)).append(kService);
}

// By their names, each of which counts once. `folders` come in the order in which they count.
std::vector<fs::path> drop_ins(const std::vector<fs::path>& folders) {
  std::map<std::string, fs::path> found;
  for (const fs::path& folder : folders) {
    std::error_code error;
    for (fs::directory_iterator at(folder, error); !error && at != fs::directory_iterator();
         at.increment(error))
      if (at->path().extension() == ".conf" && found.size() < kMostDropIns)
        found.emplace(at->path().filename(), at->path());
  }
  std::vector<fs::path> out;
  for (auto& [name, path] : found) out.push_back(std::move(path));
  return out;
}

}  // namespace

bool UnitRule::is_success(int status) const {
  if (ignores_failure) return true;
  return WIFSIGNALED(status) ? signals.test(static_cast<std::size_t>(WTERMSIG(status)) % signals.size())
                             : codes.test(static_cast<std::size_t>(WEXITSTATUS(status)));
}

UnitRule unit_rule(std::string_view text) {
  UnitRule rule;
  std::size_t commands = 0;
  std::size_t ignored = 0;
  each_setting(text, [&](std::string_view section, std::string_view key, std::string_view value) {
    if (section != "[Service]") return;
    if (key == "SuccessExitStatus") {
      if (value.empty()) rule.codes = {}, rule.signals = {};
      each_word(value, [&rule](std::string_view word) { add_status(rule, word); });
    } else if (key == "ExecStart") {
      commands = value.empty() ? 0 : commands + 1;
      ignored = value.empty() ? 0 : ignored + (ignores_failure(value) ? 1 : 0);
    }
  });
  rule.ignores_failure = commands > 0 && commands == ignored;
  return rule;
}

std::optional<UnitRule> UnitSuccess::read(const std::string& unit) const {
  if (unit.contains('/') || !unit.ends_with(kService)) return std::nullopt;
  const fs::path root(host_root_);
  std::optional<std::string> text;
  for (const std::string& name : {unit, template_of(unit)})
    for (const std::string_view folder : kFolders)
      if (!text && !name.empty())
        if (auto file = read_file(root / folder / name, kLongestFile)) text = std::move(*file);
  if (!text) return std::nullopt;
  std::vector<fs::path> folders;
  for (const std::string& name : {unit, template_of(unit), std::string(kService.substr(1))})
    for (const std::string_view folder : kFolders)
      if (!name.empty()) folders.push_back(root / folder / (name + ".d"));
  for (const fs::path& path : drop_ins(folders))
    if (const auto file = read_file(path, kLongestFile)) text->append("\n").append(*file);
  return unit_rule(*text);
}

void UnitSuccess::note(const std::string& unit) {
  const auto rule = read(unit);
  if (!rule || *rule == UnitRule{}) {
    known_.erase(unit);
    return;
  }
  if (known_.size() >= kMost) known_.clear();
  known_.insert_or_assign(unit, *rule);
}

bool UnitSuccess::is_success(const std::string& unit, int status) const {
  if (const auto rule = read(unit)) return rule->is_success(status);
  const auto known = known_.find(unit);
  return known != known_.end() && known->second.is_success(status);
}

}  // namespace flowtap
