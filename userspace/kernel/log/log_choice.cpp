#include "kernel/log/log_choice.hpp"

#include <bpf/libbpf.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "kernel/functions.hpp"

namespace flowtap::kernel {
namespace {

constexpr std::string_view kFunction = "fexit/";

// A second program must be attached before the first (the kernel runs them in the reverse order), or both would handle
// each event. A program that is attached needs a handler.
bool is_second_wanted(std::string_view second, bool wanted, const std::vector<LogHook>& hooks) {
  const auto is_there = [&hooks](std::string_view hook) {
    return std::ranges::find(hooks, hook, &LogHook::name) != hooks.end();
  };
  return is_there(second) || (wanted && !is_there(first_of(second)));
}

// Empty: the program is at no function's end.
std::string function_of(const bpf_program* program) {
  const std::string_view section = bpf_program__section_name(program);
  return std::string(section.starts_with(kFunction) ? section.substr(kFunction.size()) : "");
}

std::set<std::string> functions_to_attach_to(const bpf_object* object) {
  std::set<std::string> named;
  bpf_program* on = nullptr;
  bpf_object__for_each_program(on, object) {
    std::string function = function_of(on);
    if (!function.empty()) named.insert(std::move(function));
  }
  return kernel_functions(named);
}

bool is_wanted(const bpf_program* program, LogBackend backend, const std::set<std::string>& functions) {
  if (std::string_view(bpf_program__section_name(program)) == "tp_btf/sys_exit")
    return backend == LogBackend::kSysExit;
  const std::string function = function_of(program);
  return function.empty() || functions.contains(function);
}

void use_map(bpf_object* object, const std::string& name, bool wanted) {
  if (bpf_map* map = bpf_object__find_map_by_name(object, name.c_str()); map != nullptr)
    bpf_map__set_autocreate(map, wanted);
}

}  // namespace

std::optional<std::string> hook_of(const bpf_program* program) {
  const std::string_view name = bpf_program__name(program);
  if (!name.starts_with(kAttached)) return std::nullopt;
  return std::string(name.substr(kAttached.size()));
}

bool choose_programs(bpf_object* object, LogBackend backend, bool seconds,
                     const std::vector<LogHook>& hooks) {
  bool any_second = false;
  std::set<std::string> functions;
  if (backend == LogBackend::kFunctions) functions = functions_to_attach_to(object);
  bpf_program* on = nullptr;
  bpf_object__for_each_program(on, object) {
    const auto hook = hook_of(on);
    if (!hook) continue;
    const bool second = is_second(*hook);
    const bool wanted =
        is_wanted(on, backend, functions) && (!second || is_second_wanted(*hook, seconds, hooks));
    any_second = any_second || (wanted && second);
    const bool is_there = std::ranges::find(hooks, *hook, &LogHook::name) != hooks.end();
    bpf_program__set_autoload(on, wanted && !is_there);
    use_map(object, "ftap_at_" + *hook, wanted && !is_there);
    use_map(object, "ftap_old_" + *hook, wanted);
    if (bpf_program* handler = bpf_object__find_program_by_name(object, ("ftap_" + *hook).c_str());
        handler != nullptr)
      bpf_program__set_autoload(handler, wanted);
  }
  return any_second;
}

}  // namespace flowtap::kernel
