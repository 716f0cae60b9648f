#include "telemetry/unit_success.hpp"

#include <string.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <utility>
#include <vector>

#include "base/trimmed.hpp"
#include "identity/root_dir.hpp"

namespace flowtap {
namespace {

// Where systemd looks for a unit, what counts more first (systemd.unit(5)).
constexpr std::array<std::string_view, 12> kFolders = {
    "etc/systemd/system.control",   "run/systemd/system.control",  "run/systemd/transient",
    "run/systemd/generator.early",  "etc/systemd/system",          "etc/systemd/system.attached",
    "run/systemd/system",           "run/systemd/system.attached", "run/systemd/generator",
    "usr/local/lib/systemd/system", "usr/lib/systemd/system",      "lib/systemd/system"};
constexpr std::size_t kLongestFile = std::size_t{1} << 18U;
constexpr std::size_t kMostDropIns = 64;
constexpr std::size_t kMostFiles = 1024;  // in a folder of drop-ins
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

// What all instances of a template share: "worker@.service" of "worker@1.service"; empty: it is no instance.
std::string template_of(std::string_view unit) {
  const std::size_t at = unit.find('@');
  if (at == std::string_view::npos || unit.substr(at + 1) == kService) return {};
  return std::string(unit.substr(0, at + 1)).append(kService);
}

// What all units share whose names begin alike up to a dash: "a-b-.service" of "a-b-c.service", and then "a-.service".
std::string prefix_of(std::string_view unit) {
  const std::size_t end = std::min(unit.find('@'), unit.size() - kService.size());
  const std::string_view prefix = unit.substr(0, end);
  const std::size_t dash = prefix.substr(0, prefix.find_last_not_of('-') + 1).rfind('-');
  if (dash == std::string_view::npos) return {};
  return std::string(prefix.substr(0, dash + 1)).append(unit.substr(end));
}

// The names under which a unit's drop-ins are found, the most important first (systemd.unit(5)).
void add_names(std::string unit, std::vector<std::string>& names) {
  while (!unit.empty() && std::ranges::find(names, unit) == names.end()) {
    names.push_back(unit);
    add_names(template_of(unit), names);
    unit = prefix_of(unit);
  }
}

// Each name of a drop-in counts once, in the first folder that has it; they are read in the order of their names.
std::vector<std::string> drop_ins(const identity::RootDir& root, const std::string& unit) {
  std::vector<std::string> names;
  add_names(unit, names);
  names.emplace_back(kService.substr(1));
  std::map<std::string, std::string> found;
  for (const std::string& name : names)
    for (const std::string_view folder : kFolders) {
      const std::string path = identity::joined({folder, name + ".d"});
      const auto files = root.list(path, kMostFiles);
      if (!files) continue;
      for (const std::string& file : *files)
        if (file.ends_with(".conf") && found.size() < kMostDropIns)
          found.emplace(file, identity::joined({path, file}));
    }
  std::vector<std::string> out;
  for (auto& [name, path] : found) out.push_back(std::move(path));
  return out;
}

// One that is there and cannot be read, as one that is masked, which is a link to /dev/null, hides those behind it.
std::optional<std::string> own_file(const identity::RootDir& root, const std::string& unit) {
  for (const std::string& name : {unit, template_of(unit)})
    for (const std::string_view folder : kFolders) {
      if (name.empty()) continue;
      auto file = root.read_linked(identity::joined({folder, name}), kLongestFile);
      if (file) return std::move(*file);
      if (file.error().code != ENOENT) return std::string();
    }
  return std::nullopt;
}

}  // namespace

bool UnitRule::is_success(int status) const {
  if (ignores_failure) return true;
  return WIFSIGNALED(status) ? signals.test(static_cast<std::size_t>(WTERMSIG(status)) % signals.size())
                             : codes.test(static_cast<std::size_t>(WEXITSTATUS(status)));
}

void UnitRuleReader::read(std::string_view file) {
  each_setting(file, [this](std::string_view section, std::string_view key, std::string_view value) {
    if (section != "[Service]") return;
    if (key == "SuccessExitStatus") {
      if (value.empty()) rule_.codes = {}, rule_.signals = {};
      each_word(value, [this](std::string_view word) { add_status(rule_, word); });
    } else if (key == "ExecStart") {
      commands_ = value.empty() ? 0 : commands_ + 1;
      ignored_ = value.empty() ? 0 : ignored_ + (ignores_failure(value) ? 1 : 0);
    }
  });
  rule_.ignores_failure = commands_ > 0 && commands_ == ignored_;
}

std::optional<UnitRule> UnitSuccess::read(const std::string& unit) const {
  if (unit.contains('/') || !unit.ends_with(kService) || unit.size() > NAME_MAX) return std::nullopt;
  const auto root = identity::RootDir::open(host_root_);
  if (!root) return std::nullopt;
  const auto own = own_file(*root, unit);
  if (!own) return std::nullopt;
  UnitRuleReader rule;
  rule.read(*own);
  for (const std::string& path : drop_ins(*root, unit))
    if (const auto file = root->read_linked(path, kLongestFile)) rule.read(*file);
  return rule.rule();
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
