// The rules for text values of config_values.hpp.
#include <sys/un.h>

#include <algorithm>
#include <ranges>

#include "base/ascii.hpp"
#include "daemon/config/config_values.hpp"
#include "identity/patterns/scheduler_match.hpp"
#include "stats/backends/sending/address.hpp"
#include "stats/compat/compat.hpp"

namespace flowtap {
namespace {

// The longest name in the state directory that must fit into a socket address, and the NUL after it.
constexpr std::size_t kMaxStateDirBytes = sizeof(sockaddr_un::sun_path) - sizeof("/api.sock.new.4194304");
static_assert(kMaxStateDirBytes >= 80);

constexpr std::size_t kMaxPathBytes = 1024;  // for a path that names a flow

bool absolute(std::string_view path) {
  return path.starts_with('/');
}

bool only(std::string_view text, std::string_view extra) {
  return std::ranges::all_of(text, [extra](char c) { return is_alphanumeric(c) || extra.contains(c); });
}

// Each place has only one such text: names between single slashes, none of them "." or "..".
bool plain_path(std::string_view path) {
  if (!absolute(path) || path.size() > kMaxPathBytes) return false;
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::string_view name = path.substr(0, path.find('/'));
    if (name.empty() || name == "." || name == "..") return false;
    path.remove_prefix(name.size());
  }
  return true;
}

// systemd.unit(5), "Description": the characters of names.
bool service_name(std::string_view name) {
  constexpr std::string_view kSuffix = ".service";
  return name.size() > kSuffix.size() && name.size() <= kMaxUnitBytes && name.ends_with(kSuffix) &&
         only(name, ":-_.\\@");
}

// The backend's own parser decides, so that an address passes here if and only if it will pass there.
bool listen_address(std::string_view text) {
  return stats::parse_listen_address(text).has_value();
}
bool datagram_address(std::string_view text) {
  return stats::parse_datagram_address(text).has_value();
}
bool stream_address(std::string_view text) {
  return stats::parse_stream_address(text).has_value();
}

}  // namespace

const TextRule kStateDirRule = {
    "a short absolute path", "an absolute path of at most 86 bytes, such as /run/flowtap",
    [](std::string_view t) { return absolute(t) && t.size() <= kMaxStateDirBytes; }};
static_assert(kMaxStateDirBytes == 86);

const TextRule kDirectoryRule = {"an absolute path", "an absolute path, such as / or /host", absolute};

const TextRule kOptionalPathRule = {"an absolute path", "an absolute path; may be empty",
                                    [](std::string_view t) { return t.empty() || absolute(t); }};

const TextRule kTapBackendRule = {"a way to capture", "auto, fexit or sys_exit", [](std::string_view t) {
                                    return t == "auto" || t == "fexit" || t == "sys_exit";
                                  }};

const TextRule kHierarchyRule = {"a hierarchy of cgroups", "auto, v1 or v2", [](std::string_view t) {
                                   return t == identity::kAnyHierarchy || t == identity::kHierarchyOfV1 ||
                                          t == identity::kHierarchyOfV2;
                                 }};

namespace {
std::string scheduler_words() {
  std::string words(kSchedulerChoices.front());
  for (const std::string_view name : kSchedulerChoices | std::views::drop(1))
    words.append(name == kSchedulerChoices.back() ? " or " : ", ").append(name);
  return words;
}
const std::string kSchedulerWords = scheduler_words();
}  // namespace

const TextRule kSchedulerNameRule = {
    "a scheduler of flowtap's", kSchedulerWords,
    [](std::string_view t) { return std::ranges::find(kSchedulerChoices, t) != kSchedulerChoices.end(); }};

const TextRule kListenRule = {"an address to listen on", "ADDRESS:PORT, such as 0.0.0.0:9000 or [::1]:9000",
                              listen_address};

const TextRule kOptionalListenRule = {"an address to listen on",
                                      "ADDRESS:PORT, such as 127.0.0.1:31994 or [::1]:31994; may be empty",
                                      [](std::string_view t) { return t.empty() || listen_address(t); }};

const TextRule kExportersRule = {
    "a list of exporters",
    "cadvisor, node, kepler and dcgm, or some of them, separated by commas without spaces; may be empty",
    [](std::string_view t) { return stats::compat::parse_exporters(t).has_value(); }};

const TextRule kKubernetesRule = {
    "the address of an API server", "https://HOST:PORT, or pod; may be empty", [](std::string_view t) {
      constexpr std::string_view kScheme = "https://";
      return t.empty() || t == kube::kOfThisPod ||
             (t.starts_with(kScheme) && t.size() > kScheme.size() && t.size() <= kMaxPathBytes &&
              only(t.substr(kScheme.size()), ".:-_[]/"));
    }};

const TextRule kReceiverRule = {"the address of a receiver",
                                "udp://HOST:PORT or unix:///PATH, such as udp://127.0.0.1:8125",
                                datagram_address};

const TextRule kOutputRule = {"a place to write to",
                              "- for standard output, /PATH, unix-stream:///PATH or tcp://HOST:PORT",
                              stream_address};

const TextRule kPrefixRule = {"a prefix",
                              "at most 64 letters, digits, and the characters . _ -; may be empty",
                              [](std::string_view t) { return t.size() <= 64 && only(t, "._-"); }};

const TextRule kGroupRule = {
    "the name of a group", "the name of a group on this machine; empty for root alone",
    [](std::string_view t) { return t.size() <= 32 && only(t, "._-") && !t.starts_with('-'); }};

const TextRule kUnitRule = {"the name of a service",
                            "the name of a systemd service of at most 127 bytes, such as kubelet.service",
                            service_name};
static_assert(kMaxUnitBytes == 127);

const TextRule kSchedulerRule = {
    "whose log a scheduler's is",
    "pod/NAMESPACE/POD/CONTAINER, unit/NAME, container/NAME or file/PATH, such as "
    "pod/kube-system/kube-scheduler-*/kube-scheduler",
    [](std::string_view t) { return flow::SchedulerMatch::parse({std::string(t)}).has_value(); }};

const TextRule kLogKeyRule = {"a key of klog", "a word such as pod or logID", [](std::string_view t) {
                                return !t.empty() && t.size() <= 64 && only(t, "._- ");
                              }};

const TextRule kMainLogRule = {
    "where the main log goes", "off, stderr or an absolute path",
    [](std::string_view t) { return t == "off" || t == "stderr" || plain_path(t); }};

const TextRule kExecutableRule = {"the path of an executable",
                                  "an absolute path of at most 1024 bytes, such as /usr/bin/kube-scheduler",
                                  plain_path};

const TextRule kLogFileRule = {"the path of a file",
                               "an absolute path of at most 1024 bytes, such as /var/log/kube-scheduler.log",
                               plain_path};
static_assert(kMaxPathBytes == 1024);

}  // namespace flowtap
