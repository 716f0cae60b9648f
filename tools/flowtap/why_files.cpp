#include "why_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <map>
#include <optional>

#include "base/fd.hpp"
#include "base/printable.hpp"
#include "client.hpp"
#include "diagnosis/diagnosis_store.hpp"
#include "diagnosis/scheduler_log.hpp"
#include "flow/history/saved_log.hpp"
#include "flow/lines/line_assembler.hpp"
#include "flow/lines/record_assembler.hpp"
#include "pod_name.hpp"
#include "why_answers.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::Diagnosis;
using diagnosis::DiagnosisStore;

// More than a cluster's schedulers speak of in any log that is kept. What exceeds it is told.
constexpr std::size_t kMostPods = 100'000;
constexpr std::size_t kMostBytes = std::size_t{512} << 20U;
constexpr std::size_t kMostNear = 3;

/// One output of a scheduler, which is a log of its own.
class Output {
 public:
  explicit Output(DiagnosisStore& store) : log_(store) {}

  void add(std::string_view bytes, std::uint64_t time) {
    lines_.add(bytes, time, [this](const flow::LineView& line) { log_.add(records_.add(line)); });
  }
  /// `whole`: nothing was cut off behind what came last.
  void finish(bool whole) {
    if (whole) lines_.finish([this](const flow::LineView& line) { log_.add(records_.add(line)); });
    log_.flush();
  }
  [[nodiscard]] std::uint64_t cut() const { return log_.counts().cut; }

 private:
  diagnosis::SchedulerLog log_;
  flow::LineAssembler lines_;
  flow::RecordAssembler records_;
};

Result<Fd> open_log(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    const int error = errno;
    return fail_errno(error, "cannot open " + path,
                      error == ENOENT ? "--from takes the path of a scheduler's log, or - for standard input"
                                      : "it has to be a file that this user may read");
  }
  struct stat status{};
  if (::fstat(fd.get(), &status) == 0 && S_ISDIR(status.st_mode))
    return fail(path + " is a directory", "name the logs in it, each with a --from of its own");
  return fd;
}

void warn(std::string what, std::string hint = {}) {
  complain({std::move(what), std::move(hint), 0});
}

/// What of it cannot be read is told; an Error: that is all of it.
Status read_log(const std::string& path, DiagnosisStore& store) {
  const bool is_input = path == "-";
  const std::string name = is_input ? "standard input" : path;
  Fd file;
  if (!is_input) {
    FTAP_TRY_ASSIGN(opened, open_log(path));
    file = std::move(opened);
  }
  std::map<std::string_view, Output> outputs;
  const flow::SavedLog read =
      flow::read_saved_log(is_input ? STDIN_FILENO : file.get(), name,
                           [&](std::string_view output, std::string_view bytes, std::uint64_t time) {
                             outputs.try_emplace(output, store).first->second.add(bytes, time);
                           });
  std::uint64_t cut = 0;
  for (auto& [output, log] : outputs) {
    log.finish(!read.broken);
    cut += log.cut();
  }
  if (read.broken && read.bytes == 0) {
    Error error = *read.broken;
    if (error.hint.empty()) error.hint = "--from takes plain text, gzip, and what container runtimes keep";
    return std::unexpected(std::move(error));
  }
  if (read.broken) warn(read.broken->what, fmt::format("what came before it is used: {} bytes", read.bytes));
  if (read.skipped > 0)
    warn(fmt::format("{} of the lines of {} are not of its format and are left out", read.skipped, name));
  if (cut > 0)
    warn(fmt::format("{} of the records of {} are longer than {} bytes, and are read up to there", cut, name,
                     flow::RecordText::kMost));
  return {};
}

/// Pods that may be meant: of this name in other namespaces, or of names that begin so.
std::string near(const DiagnosisStore& store, const PodName& wanted) {
  std::string out;
  std::size_t found = 0;
  for (const std::string& pod : store.pods()) {
    const auto other = pod_name(pod);
    if (!other || found == kMostNear) continue;
    const bool same = other->name == wanted.name;
    const bool begins = other->ns == wanted.ns && other->name.starts_with(wanted.name);
    if (!same && !begins) continue;
    ++found;
    out += (out.empty() ? "" : ", ") + pod;
  }
  return out;
}

ExitCode not_found(const DiagnosisStore& store, const WhyOptions& options, const PodName& wanted) {
  const std::string what = "no scheduler speaks of " + in_quotes(options.of, 300) + " in what --from names";
  const std::size_t pods = store.size();
  if (pods == 0)
    complain(
        {what + ", nor of any other pod",
         "it takes logs of kube-scheduler, of the NUMA-aware scheduler and of HAMi's extender, from -v=2 on",
         0});
  else if (const std::string names = near(store, wanted); !names.empty())
    complain({fmt::format("{}, but of {} others", what, pods), "is it one of these: " + names, 0});
  else
    complain(
        {fmt::format("{}, but of {} others", what, pods), "without a pod, flowtap why --from lists them", 0});
  return kNotFound;
}

}  // namespace

ExitCode why_from_files(const WhyOptions& options) {
  DiagnosisStore store(kMostPods, kMostBytes);
  for (const std::string& path : options.from)
    if (const Status read = read_log(path, store); !read) {
      complain(read.error());
      return kFailure;
    }
  if (store.evicted() > 0)
    warn(fmt::format("{} pods are left out: of more than {} at once there is too much to be kept",
                     grouped(store.evicted()), grouped(store.size())),
         "read fewer or shorter logs at a time");
  if (options.of.empty())
    return put_out_list(options, [&store](const TakePod& take) {
      store.each([&take](const std::string& pod, const Diagnosis& diagnosis) {
        const auto name = pod_name(pod);
        if (name) take(name->ns, name->name, diagnosis, to_json(diagnosis));
      });
    });
  const auto wanted = pod_name(options.of).value_or(PodName{});
  const auto found = store.find(wanted.ns, wanted.name);
  if (!found) return not_found(store, options, wanted);
  return put_out(shown_answer(options, *found, to_json(*found, options.evidence)));
}

}  // namespace flowtap::cli
