#include "saved_logs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <list>
#include <map>
#include <utility>

#include "base/fd.hpp"
#include "kube_events.hpp"
#include "log_pieces.hpp"
#include "saved_output.hpp"
#include "stream/repair/runtime_files/saved_log.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "unwrap/saved_lines.hpp"

namespace flowtap::cli {
namespace {

// More logs than that are not in one file. What follows is read as if it were the last one's.
constexpr std::size_t kMostSources = 256;

void warn(std::string what, std::string hint = {}) {
  complain({std::move(what), std::move(hint), 0});
}

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

struct File {
  std::string name;
  Fd fd;
  LogSpans spans;
};

/// The files in the order in which they are to be read.
Result<std::vector<File>> open_logs(const std::vector<std::string>& paths) {
  std::vector<File> files;
  for (const std::string& path : paths) {
    const bool is_input = path == "-";
    File file{.name = is_input ? "standard input" : path, .fd = Fd(), .spans = {}};
    if (is_input) {
      file.fd = Fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    } else {
      FTAP_TRY_ASSIGN(opened, open_log(path));
      file.fd = std::move(opened);
    }
    if (paths.size() > 1) {
      FTAP_TRY_ASSIGN(again, rereadable(std::move(file.fd), file.name));
      file.fd = std::move(again);
      file.spans = spans_of(file.fd.get(), file.name);
    }
    files.push_back(std::move(file));
  }
  std::ranges::stable_sort(files, begins_earlier, &File::spans);
  return files;
}

/// Reads the files, one after the other.
class Reading {
 public:
  explicit Reading(diagnosis::DiagnosisStore& store) : state_(store), events_log_(store) {}

  /// Reports the parts that cannot be read; an Error: nothing of it can be read.
  Status read(const File& file);
  [[nodiscard]] SavedRead finish();

 private:
  /// Those of one file, by what the runtime and the tools around them call them.
  using Outputs = std::map<std::string, SavedOutput*, std::less<>>;

  void take(const File& file, Outputs& outputs, std::string_view output, const SavedLine& line);
  SavedOutput& output_of(const File& file, Outputs& outputs, std::string_view output,
                         std::string_view source);
  [[nodiscard]] bool take_event(std::string_view text);

  SavedState state_;
  SavedRead read_;
  std::list<SavedOutput> outputs_;
  KubeEvents events_;
  diagnosis::SchedulerLog events_log_;
};

/// The log that the file's output continues, or a new one.
SavedOutput& Reading::output_of(const File& file, Outputs& outputs, std::string_view output,
                                std::string_view source) {
  const std::string name = log_name(output, source);
  const auto known = outputs.find(name);
  if (known != outputs.end()) return *known->second;
  if (outputs.size() >= kMostSources) return *outputs.rbegin()->second;
  const auto span = file.spans.find(name);
  const LogSpan piece = span != file.spans.end() ? span->second : LogSpan{};
  auto found = std::ranges::find_if(outputs_,
                                    [&](const SavedOutput& one) { return one.is_continued_by(name, piece); });
  if (found == outputs_.end()) found = outputs_.emplace(outputs_.end(), state_, name);
  found->begin_piece(file.name, piece);
  outputs.emplace(name, &*found);
  return *found;
}

bool Reading::take_event(std::string_view text) {
  const auto event = events_.read(text);
  if (!event) return false;
  const std::string record = klog_of(*event);
  flow::WholeRecord whole = flow::whole_record(record);
  whole.text = text;
  if (whole.klog) whole.klog->stamp = {};  // kubectl says how long ago it was, and not when
  events_log_.read(whole);
  return true;
}

void Reading::take(const File& file, Outputs& outputs, std::string_view output, const SavedLine& line) {
  using Kind = SavedLine::Kind;
  ++read_.lines;
  if ((line.kind == Kind::kLoose || line.kind == Kind::kStrange) && !line.text.empty()) {
    if (take_event(line.text)) return;
    ++read_.strange;
    state_.strangers.add_line(line.text);
  }
  if (is_schedulers(line.kind)) output_of(file, outputs, output, line.source).add(line);
}

Status Reading::read(const File& file) {
  Outputs outputs;
  std::map<std::string, SavedLines, std::less<>> lines;
  const auto take = [&](std::string_view output, std::string_view bytes, std::uint64_t time) {
    auto found = lines.find(output);
    if (found == lines.end())
      found = lines
                  .try_emplace(std::string(output),
                               [this, &file, &outputs, name = std::string(output)](const SavedLine& line) {
                                 this->take(file, outputs, name, line);
                               })
                  .first;
    found->second.add(bytes, time);
  };
  const flow::SavedLog read = flow::read_saved_log(file.fd.get(), file.name, take);
  std::uint64_t left_out = 0;
  for (auto& [output, of_output] : lines) {
    read.broken ? of_output.lose() : of_output.finish();
    left_out += of_output.left_out();
  }
  if (read.broken)
    for (const auto& [name, output] : outputs) output->lose();
  if (read.broken && read.bytes == 0) {
    Error error = *read.broken;
    if (error.hint.empty()) error.hint = "--from takes plain text, gzip, and what container runtimes keep";
    return std::unexpected(std::move(error));
  }
  if (read.broken) warn(read.broken->what, fmt::format("what came before it is used: {} bytes", read.bytes));
  if (read.skipped > 0)
    warn(
        fmt::format("{} of the lines of {} are not of its format and are left out", read.skipped, file.name));
  if (left_out > 0)
    warn(fmt::format("{} has its newest line first, and its oldest {} lines are too many to be turned round",
                     file.name, grouped(left_out)),
         "reverse it with tac, and name what that writes");
  return {};
}

SavedRead Reading::finish() {
  for (SavedOutput& output : outputs_) output.finish();
  for (const diagnosis::SchedulerLog& log : state_.logs) read_.telling += log.counts().telling;
  read_.telling += events_log_.counts().telling;
  read_.nameless = events_.nameless();
  if (events_.without_namespace() > 0)
    warn("the events do not say in which namespace their pods are, and these are shown as default",
         "kubectl get events -A says it");
  if (state_.seen.forgotten() > 0)
    warn(fmt::format("{} records are too many to tell whether they are also in another file",
                     grouped(state_.seen.forgotten())),
         "name each log only once");
  read_.strangers = std::move(state_.strangers);
  return std::move(read_);
}

}  // namespace

Result<SavedRead> read_saved_logs(const std::vector<std::string>& paths, diagnosis::DiagnosisStore& store) {
  FTAP_TRY_ASSIGN(files, open_logs(paths));
  Reading reading(store);
  for (const File& file : files) FTAP_TRY(reading.read(file));
  return reading.finish();
}

}  // namespace flowtap::cli
