#include "other_tools.hpp"

#include <algorithm>
#include <array>

namespace flowtap::cli {
namespace {

constexpr std::string_view kNoServer =
    "flowtap asks the flowtapd of this machine, and no API server: leave it out";
constexpr std::string_view kGroup =
    "--group GROUP prints the pods of a group: flowtap flows lists the groups, and stream.flow_rules makes "
    "them";
constexpr std::string_view kMarks =
    "--all-containers puts the container in front of each line, and --group the pod";
constexpr std::string_view kWithoutPod = "without a pod, all pods are shown";

// A row for a command counts before one for any.
constexpr std::array kFlags = {
    // kubectl logs, stern
    OtherTools{"logs", "-l --selector --all-pods --all-namespaces -A --field-selector --node", kGroup},
    OtherTools{"logs", "--pod-running-timeout", "-f with --group or with --all-containers waits for pods"},
    OtherTools{"logs", "--init-containers --ephemeral-containers",
               "--all-containers prints these, too, and -c NAME one of them"},
    OtherTools{"logs", "-E --exclude-container --exclude-pod", "-c NAME prints one container"},
    OtherTools{"logs", "-s", "--since 5m prints the last five minutes"},
    OtherTools{"logs", "-i --include --grep -H --highlight",
               "| grep PATTERN prints the lines that match a pattern"},
    OtherTools{"logs", "--exclude", "| grep -v PATTERN leaves out the lines that match a pattern"},
    OtherTools{"logs", "--template --template-file --only-log-lines --timezone --output-fields",
               "-o json prints an object for each line"},
    // docker logs, podman logs, docker compose logs
    OtherTools{
        "logs", "-U --until",
        "--timestamps puts its time in front of each line, and | awk '$1 < \"2026-01-02T03:04\"' ends there"},
    OtherTools{"logs", "--latest", "flowtap flows lists what is captured, and flowtap logs NAME prints it"},
    OtherTools{"logs", "--details",
               "-o json with --group or --all-containers names the pod and the container"},
    OtherTools{"logs", "--names", kMarks},
    OtherTools{"logs", "--no-log-prefix", "-c NAME prints one container, without its name in front"},
    OtherTools{"logs", "--index", "flowtap flows lists the pods, and flowtap logs NAMESPACE/POD prints one"},
    // journalctl
    OtherTools{"logs", "-r --reverse", "| tac prints the newest line first"},
    OtherTools{"logs", "-e --pager-end", "| less +G shows the end, and --tail 100 the last 100 lines"},
    OtherTools{
        "logs", "-b --boot --list-boots",
        "logs are not split by boots: --since \"$(uptime -s)\" leaves out what is older than this one"},
    OtherTools{"logs", "-k --dmesg", "journalctl -k prints the kernel's log"},
    OtherTools{"logs", "--priority",
               "--stream stderr prints what was written to standard error; lines have no priority here"},
    OtherTools{
        "logs",
        "--identifier --facility -T --exclude-identifier --user-unit -M --machine -N --fields -F --field",
        "flowtap flows lists what is captured, and flowtap logs NAME prints it"},
    OtherTools{"logs",
               "-x --catalog -a --all --no-full --truncate-newline --case-sensitive --system -m --merge",
               "all lines are printed, and whole: leave it out"},
    OtherTools{"logs", "--cursor --after-cursor --show-cursor --cursor-file",
               "--since TIME goes on at the time of a line, which --timestamps shows"},
    OtherTools{
        "logs", "-D --directory --file --root --image",
        "flowtap why --from FILE reads a scheduler's saved log; --state-dir DIR names another flowtapd"},
    OtherTools{"logs", "--disk-usage --header --verify", "flowtap flows shows how much each log has"},
    OtherTools{"logs", "--vacuum-size --vacuum-time --vacuum-files --rotate --flush --sync",
               "flowtapd bounds the logs itself: stream.flows_bytes in its configuration"},
    // kubectl top, docker stats, top
    OtherTools{"top", "--sort-by", "--pods --sort WORD sorts: flowtap top --help has the words"},
    OtherTools{"top", "-d --delay -i -s --seconds", "--interval 2s shows it every two seconds"},
    OtherTools{"top", "-b --batch", "what is written to a file or pipe is plain: leave it out"},
    OtherTools{"top", "--no-stream --once -1", "-n 1 shows it once"},
    OtherTools{"top", "-A --all-namespaces", "--pods shows all namespaces, and --namespace NS one"},
    OtherTools{"top", "-a --all", "--pods --ended also shows what ended"},
    OtherTools{"top", "-l --selector --filter", "--pods --namespace NS shows one namespace"},
    OtherTools{"top", "-p --pid -u --user -H --sum --use-protocol-buffers",
               "flowtap top --pods shows pods and containers; top shows processes"},
    OtherTools{"top", "-w --watch -f --follow --no-trunc --no-reset",
               "it is live, and names are whole: leave it out"},
    OtherTools{"top", "-r --reverse", "--pods --sort WORD shows the largest first"},
    // kubectl get, docker ps
    OtherTools{"flows", "-A --all-namespaces -a --all --no-trunc", "all flows are listed: leave it out"},
    OtherTools{"flows", "-w --watch", "watch flowtap flows lists them every two seconds"},
    OtherTools{"flows", "-f --follow", "flowtap logs -f NAMESPACE/POD prints lines as they come"},
    OtherTools{"flows", "-l --selector --filter --field-selector --latest -c --container",
               "--namespace, --pod, --group and --kind choose"},
    OtherTools{"flows", "-q --quiet --show-labels -s --size --sort-by -L --label-columns",
               "-o json has all that is known of each flow"},
    // kubectl describe, kubectl get events
    OtherTools{"why", "-A --all-namespaces -l --selector --for --field-selector --types", kWithoutPod},
    OtherTools{"why", "-f --file --filename",
               "--from FILE reads a saved log, and --watch follows the answer"},
    OtherTools{"why", "--follow", "--watch shows the answer again whenever it changes"},
    OtherTools{"why", "-v --verbose --show-events --details",
               "--evidence adds the log line behind each verdict"},
    OtherTools{"why", "-c --container -p --previous --tail --since --since-time",
               "the answer has all containers, and all that is kept of them: leave it out"},
    // systemctl status
    OtherTools{"status", "-w --watch -f --follow", "watch flowtap status shows it every two seconds"},
    OtherTools{"status", "-l --full -a --all -n --lines", "all is shown: leave it out"},
    OtherTools{"tap", "-p --pid", "flowtap tap PID"},
    OtherTools{"tap", "-f --follow", "it follows: leave it out"},
    OtherTools{"tap", "-s --string-limit -e --trace", "whole lines are shown: leave it out"},
    // Any
    OtherTools{
        "",
        "--context --kubeconfig --cluster --server --token --as --as-group --user --username --password "
        "--request-timeout --insecure-skip-tls-verify --certificate-authority --client-key "
        "--client-certificate --tls-server-name --cache-dir --profile --host -H --url --remote",
        kNoServer},
    OtherTools{"", "-v --v --verbose -d --debug -D --log-level",
               "journalctl -u flowtapd has flowtapd's own log"},
    OtherTools{"", "-q --quiet", "2>/dev/null hides what is said beside the output"},
    OtherTools{"", "-j --json", "-o json prints JSON"},
    OtherTools{"", "--no-color --no-ansi --ansi", "--color never"},
    OtherTools{"", "--no-headers --noheading --format --template --columns", "-o json prints JSON"},
    OtherTools{"", "-V", "--version prints the version"},
    OtherTools{"", "-?", "--help prints all commands and flags"},
};

constexpr std::array kCommands = {
    OtherTools{"top", "pods pod po containers container", "flowtap top --pods shows pods"},
    OtherTools{"top", "nodes node no",
               "flowtap top shows how this node's CPUs are taken; flowtap top --pods what pods use"},
    OtherTools{"", "help", "flowtap --help lists all commands and flags"},
    OtherTools{"", "version", "flowtap --version prints the version"},
    OtherTools{"", "log tail journal journalctl", "flowtap logs NAMESPACE/POD prints a log"},
    OtherTools{"", "ps ls list get containers pods", "flowtap flows lists what is captured"},
    OtherTools{"", "stats stat", "flowtap top --pods shows what pods use"},
    OtherTools{"", "describe events explain diagnose", "flowtap why NAMESPACE/POD explains a pod"},
    OtherTools{"", "attach strace trace", "flowtap tap PID shows what a process writes"},
    OtherTools{"", "info health ping", "flowtap status shows what runs and what is missing"},
};

bool has_word(std::string_view words, std::string_view word) {
  for (std::size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return false;
}

// "-l" of "-lapp=web", and "--until" of "--until=5m".
std::string_view name_of(std::string_view word) {
  if (word.starts_with('-') && !word.starts_with("--")) return word.substr(0, 2);
  return word.substr(0, word.find('='));
}

}  // namespace

std::span<const OtherTools> flags_of_other_tools() {
  return kFlags;
}

std::span<const OtherTools> commands_of_other_tools() {
  return kCommands;
}

const OtherTools* find_other_tools(std::span<const OtherTools> rows, std::string_view command,
                                   std::string_view word) {
  const std::string_view name = name_of(word);
  if (name.empty()) return nullptr;
  for (const std::string_view of : {command, std::string_view()}) {
    const auto at = std::ranges::find_if(
        rows, [&](const OtherTools& row) { return row.command == of && has_word(row.words, name); });
    if (at != rows.end()) return &*at;
  }
  return nullptr;
}

}  // namespace flowtap::cli
