#include "saved_logs.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <functional>
#include <list>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/fd.hpp"
#include "explain/diagnosis/scheduler_log.hpp"
#include "log_pieces.hpp"
#include "stream/lines/line_assembler.hpp"
#include "stream/lines/whole_records.hpp"
#include "stream/repair/runtime_files/saved_log.hpp"
#include "tools/flowtap/client.hpp"

namespace flowtap::cli {
namespace {

using diagnosis::DiagnosisStore;

void warn(std::string what, std::string hint = {}) {
  complain({std::move(what), std::move(hint), 0});
}

/// One output of a scheduler. It is a log of its own, in one file or in several pieces.
class Output {
  [[nodiscard]] auto reads() {
    return [this](const flow::WholeRecord& record) { log_.read(record); };
  }

 public:
  Output(DiagnosisStore& store, std::string_view name) : name_(name), log_(store) {}

  [[nodiscard]] bool is_continued_by(std::string_view name, const LogSpan& piece) const {
    return name == name_ && piece.follows(end_);
  }
  void begin_piece(const std::string& file, const LogSpan& piece) {
    files_ += (files_.empty() ? "" : ", ") + file;
    const auto scheduler = piece.scheduler ? piece.scheduler : end_.scheduler;
    end_ = piece;
    end_.scheduler = scheduler;
    begins_ = true;
  }
  void add(std::string_view bytes, std::uint64_t time) {
    // A piece may begin in the middle of a line, unless a record begins there.
    if (std::exchange(begins_, false) && flow::begins_klog_record(bytes)) finish_line();
    lines_.add(bytes, time, [this](const flow::LineView& line) { records_.add(line, reads()); });
  }
  /// What comes next is not the rest of the piece that was cut off.
  void lose() {
    lines_ = {};
    records_.lose(reads());
  }
  /// Reports the parts that are left out.
  void finish() {
    finish_line();
    records_.flush(reads());
    if (const std::uint64_t cut = log_.counts().cut; cut > 0)
      warn(fmt::format("{} of the records of {} are longer than {} bytes, and are read up to there", cut,
                       files_, flow::RecordRules().most));
  }

 private:
  void finish_line() {
    lines_.finish([this](const flow::LineView& line) { records_.add(line, reads()); });
  }

  std::string name_;
  std::string files_;
  LogSpan end_;
  bool begins_ = false;
  diagnosis::SchedulerLog log_;
  flow::LineAssembler lines_;
  flow::WholeRecords records_;
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

/// The log that the file's output continues, or a new one.
Output& output_of(std::list<Output>& all, DiagnosisStore& store, const File& file, std::string_view name) {
  const auto span = file.spans.find(name);
  const LogSpan piece = span != file.spans.end() ? span->second : LogSpan{};
  auto found =
      std::ranges::find_if(all, [&](const Output& output) { return output.is_continued_by(name, piece); });
  if (found == all.end()) found = all.emplace(all.end(), store, name);
  found->begin_piece(file.name, piece);
  return *found;
}

/// Reports the parts that cannot be read; an Error: nothing of it can be read.
Status read_log(const File& file, std::list<Output>& all, DiagnosisStore& store) {
  const std::string& name = file.name;
  std::map<std::string, Output*, std::less<>> outputs;
  const auto take = [&](std::string_view output, std::string_view bytes, std::uint64_t time) {
    auto found = outputs.find(output);
    if (found == outputs.end()) found = outputs.emplace(output, &output_of(all, store, file, output)).first;
    found->second->add(bytes, time);
  };
  const flow::SavedLog read = flow::read_saved_log(file.fd.get(), name, take);
  if (read.broken)
    for (const auto& [name_of, output] : outputs) output->lose();
  if (read.broken && read.bytes == 0) {
    Error error = *read.broken;
    if (error.hint.empty()) error.hint = "--from takes plain text, gzip, and what container runtimes keep";
    return std::unexpected(std::move(error));
  }
  if (read.broken) warn(read.broken->what, fmt::format("what came before it is used: {} bytes", read.bytes));
  if (read.skipped > 0)
    warn(fmt::format("{} of the lines of {} are not of its format and are left out", read.skipped, name));
  return {};
}

}  // namespace

Status read_saved_logs(const std::vector<std::string>& paths, DiagnosisStore& store) {
  FTAP_TRY_ASSIGN(files, open_logs(paths));
  std::list<Output> outputs;
  for (const File& file : files) FTAP_TRY(read_log(file, outputs, store));
  for (Output& output : outputs) output.finish();
  return {};
}

}  // namespace flowtap::cli
