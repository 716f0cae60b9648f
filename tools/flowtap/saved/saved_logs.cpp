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
#include <optional>
#include <set>
#include <utility>

#include "base/ascii.hpp"
#include "base/fd.hpp"
#include "base/trimmed.hpp"
#include "base/utf8.hpp"
#include "explain/diagnosis/facts/fact.hpp"
#include "kube_events.hpp"
#include "log_pieces.hpp"
#include "quoted/headerless_message.hpp"
#include "quoted/lines_without_records.hpp"
#include "quoted/quoted_text.hpp"
#include "saved_file.hpp"
#include "saved_output.hpp"
#include "tools/flowtap/client.hpp"
#include "tools/flowtap/terminal/text.hpp"
#include "unwrap/order/line_order.hpp"
#include "unwrap/saved_lines.hpp"

namespace flowtap::cli {
namespace {

// More logs than that are not in one file. What follows is read as one log more.
constexpr std::size_t kMostSources = 256;
constexpr std::size_t kMostEvents = 100'000;

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

// As klog writes a pod in text, "ns/name", and not as a part of a longer name.
bool names_in_text(std::string_view line, std::string_view of) {
  const auto is_of_name = [](char c) { return is_alphanumeric(c) || c == '-' || c == '/'; };
  // A dot may end the sentence.
  const auto goes_on = [is_of_name](std::string_view text) {
    if (text.starts_with('.')) text.remove_prefix(1);
    return !text.empty() && is_of_name(text.front());
  };
  for (std::size_t at = line.find(of); at != std::string_view::npos; at = line.find(of, at + 1)) {
    const bool begins = at == 0 || (!is_of_name(line[at - 1]) && line[at - 1] != '.');
    if (begins && !goes_on(line.substr(at + of.size()))) return true;
  }
  return false;
}

// As JSON has it, {"name":"NAME","namespace":"NS"}, perhaps quoted once more.
bool names_in_json(std::string_view line, std::string_view of) {
  const std::size_t slash = of.find('/');
  if (slash == std::string_view::npos || !line.contains("namespace")) return false;
  const auto has = [line](std::string_view key, std::string_view value) {
    return line.contains(fmt::format(R"("{}":"{}")", key, value)) ||
           line.contains(fmt::format(R"(\"{}\":\"{}\")", key, value));
  };
  return has("namespace", of.substr(0, slash)) && has("name", of.substr(slash + 1));
}

bool names_pod(std::string_view line, std::string_view of) {
  return !of.empty() && (names_in_text(line, of) || names_in_json(line, of));
}

std::string pod_of(const KubeEvent& event) {
  return event.ns + '/' + event.pod;
}

struct File {
  std::string name;
  Fd fd;
  PieceSpans spans;
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

/// What one output has without a record of its own.
class QuotingText {
 public:
  explicit QuotingText(LineOrder::Take take) : lines_(std::move(take)) {}

  void add(std::string_view line, std::uint64_t time) {
    time_ = time;
    quoted_.add(line, give_);
  }
  void finish() {
    quoted_.finish(give_);
    lines_.finish();
  }

 private:
  QuotedText quoted_;
  SavedLines lines_;
  std::uint64_t time_ = 0;
  const QuotedText::Take give_ = [this](std::string_view line) {
    const auto record = record_of_message(line);
    const std::uint64_t time = record ? record->time : time_;
    lines_.add(record ? record->text : line, time);
    lines_.add("\n", time);
  };
};

/// Reads the files, one after the other.
class Reading {
 public:
  Reading(diagnosis::DiagnosisStore& store, std::string_view of)
      : of_(of), state_(store), events_log_(store) {}

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
  void tell(std::optional<KubeEvent> event, std::string_view line);
  void end_outputs();
  [[nodiscard]] std::uint64_t telling() const;
  void read_quotations();
  void mark_cut_rows();
  void read_events();

  std::string_view of_;
  SavedState state_;
  SavedRead read_;
  std::list<SavedOutput> outputs_;
  /// An event, and the line that tells it.
  struct Told {
    KubeEvent event;
    std::string line;
    std::size_t file;  // its number
  };
  KubeEvents events_;
  std::vector<Told> told_;
  std::map<std::size_t, std::size_t>
      widest_;  // the width of a file's widest line of kubectl's, by its number
  std::vector<const File*> files_;
  LinesWithoutRecords without_records_;
  std::uint64_t untold_ = 0;  // events that were too many
  diagnosis::SchedulerLog events_log_;
};

/// The log that the file's output continues, or a new one.
SavedOutput& Reading::output_of(const File& file, Outputs& outputs, std::string_view output,
                                std::string_view source) {
  std::string name = log_name(output, source);
  if (outputs.size() >= kMostSources && !outputs.contains(name)) name = log_name(output, "others");
  const auto known = outputs.find(name);
  if (known != outputs.end()) return *known->second;
  const auto span = file.spans.find(name);
  const PieceSpan piece = span != file.spans.end() ? span->second : PieceSpan{};
  auto found = std::ranges::find_if(outputs_,
                                    [&](const SavedOutput& one) { return one.is_continued_by(name, piece); });
  if (found == outputs_.end()) found = outputs_.emplace(outputs_.end(), state_, name);
  found->begin_piece(file.name, piece);
  outputs.emplace(name, &*found);
  return *found;
}

/// Whether the line is of kubectl's tables and descriptions, and not another program's.
bool Reading::take_event(std::string_view text) {
  const std::uint64_t before = events_.lines();
  tell(events_.read(text), text);
  const bool is_kubectls = events_.lines() != before || events_.is_in_description();
  std::size_t& widest = widest_[files_.size()];
  if (is_kubectls) widest = std::max(widest, utf8_length(trimmed(text, "\r")));
  return is_kubectls;
}

void Reading::tell(std::optional<KubeEvent> event, std::string_view line) {
  if (event && told_.size() < kMostEvents)
    told_.push_back({std::move(*event), std::string(line), files_.size()});
  else if (event)
    ++untold_;
}

// Where a screen has cut one row it has cut each that is as wide, and a node's name may be the beginning of another one's. A line that
// is wider shows that no screen has cut a row that may be whole.
void Reading::mark_cut_rows() {
  using diagnosis::Ending;
  const auto place = [](const Told& one) {
    return std::pair(one.file, utf8_length(trimmed(one.line, "\r")));
  };
  const auto is_marked = [](const Told& one) { return one.event.message.ends_with(diagnosis::kCutOff); };
  const auto ending = [&](const Told& one) {
    const std::size_t mark = is_marked(one) ? diagnosis::kCutOff.size() : 0;
    return one.event.reason == kFailedScheduling
               ? diagnosis::ending_of(
                     std::string_view(one.event.message).substr(0, one.event.message.size() - mark))
               : Ending::kWhole;
  };
  std::set<std::pair<std::size_t, std::size_t>> cut;
  for (const Told& one : told_)
    if (is_marked(one) && (ending(one) != Ending::kCounted || place(one).second >= widest_[one.file]))
      cut.insert(place(one));
  for (Told& one : told_) {
    const bool at_cut = cut.contains(place(one)) && !trimmed(one.line, "\r").ends_with(' ');
    const bool may_be = one.event.reason == kScheduled || ending(one) == Ending::kBare;
    if (is_marked(one) && ending(one) == Ending::kCounted && !cut.contains(place(one)))
      one.event.message.resize(one.event.message.size() - diagnosis::kCutOff.size());
    else if (!is_marked(one) && may_be && at_cut)
      one.event.message += diagnosis::kCutOff;
  }
}

// kubectl sorts by other things than time. What a log says of a pod is more, and dated.
void Reading::read_events() {
  mark_cut_rows();
  for (Told& one : told_) events_.settle(one.event);
  std::ranges::stable_sort(told_, [](const Told& one, const Told& other) {
    return one.event.age != other.event.age ? one.event.age > other.event.age
                                            : one.event.time < other.event.time;
  });
  // A scheduler's own event says more of a pod than those of its extender.
  std::set<std::string> by_scheduler;
  for (const Told& one : told_)
    if (one.event.beside.empty() && !one.event.of_phase) by_scheduler.insert(pod_of(one.event));
  const auto is_known = [&](const Told& one) {
    const std::string pod = pod_of(one.event);
    return (one.event.beside.empty() && state_.store->peek(pod).has_value()) ||
           (one.event.of_phase && by_scheduler.contains(pod));
  };
  std::erase_if(told_, is_known);
  for (const Told& one : told_) {
    const std::string record = klog_of(one.event);
    flow::WholeRecord whole = flow::whole_record(record, one.event.time);
    whole.text = one.line;
    // kubectl says how long ago it was, and not when.
    if (whole.klog && one.event.time == 0) whole.klog->stamp = {};
    events_log_.set_profile(one.event.beside.empty() ? std::string_view(one.event.from) : std::string_view());
    events_log_.read(whole);
  }
}

void Reading::take(const File& file, Outputs& outputs, std::string_view output, const SavedLine& line) {
  using Kind = SavedLine::Kind;
  read_.naming += names_pod(line.text, of_) ? 1 : 0;
  read_.lines += 1 + static_cast<std::uint64_t>(std::ranges::count(line.text, '\n'));
  if (line.kind == Kind::kRecord || line.kind == Kind::kEvent)
    without_records_.drop();
  else
    without_records_.add(files_.size() - 1, output, line.text, line.time);
  if ((line.kind == Kind::kLoose || line.kind == Kind::kStrange) && !line.text.empty()) {
    if (take_event(line.text)) {
      ++read_.kubectl;
      return without_records_.drop();
    }
    ++read_.strange;
    read_.quotations += quotes_verdict(line.text) ? 1 : 0;
    state_.strangers.add_line(line.text);
  }
  if (line.kind == Kind::kEvent) tell(events_.judge(*line.event), line.text);
  if (is_schedulers(line.kind)) output_of(file, outputs, output, line.source).add(line);
}

Status Reading::read(const File& file) {
  Outputs outputs;
  files_.push_back(&file);
  events_.begin_file();
  const auto [read, left_out, late_parts] = read_saved_file(
      file.fd.get(), file.name,
      [&](std::string_view output, const SavedLine& line) { take(file, outputs, output, line); });
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
  if (late_parts > 0)
    warn(fmt::format(
             "the times in {} go back {}, and flowtap puts its parts in order only if that begins within "
             "{} MiB: what is shown of a pod may be old",
             file.name, late_parts == 1 ? "once" : fmt::format("{} times", grouped(late_parts)),
             LineOrder::kPutInOrder >> 20U),
         "divide it where its times go back, and name each part with a --from of its own: they are read in "
         "the order of their times");
  return {};
}

void Reading::end_outputs() {
  for (SavedOutput& output : outputs_) output.finish();
  for (SavedOutput& output : outputs_) output.tell_cut();
}

std::uint64_t Reading::telling() const {
  std::uint64_t telling = events_log_.counts().telling;
  for (const diagnosis::SchedulerLog& log : state_.logs) telling += log.counts().telling;
  return telling;
}

// Beside a scheduler's own records, what somebody quotes is not believed. An issue or a mail has nothing else.
void Reading::read_quotations() {
  const std::vector<LinesWithoutRecords::Line> lines = without_records_.take();
  if (lines.empty()) return;
  SavedRead before = std::exchange(read_, {});
  Strangers strangers = std::exchange(state_.strangers, {});
  outputs_.clear();
  for (std::size_t number = 0; number < files_.size(); ++number) {
    const File& file = *files_[number];
    Outputs outputs;
    std::map<std::string, QuotingText> texts;  // by output
    for (const LinesWithoutRecords::Line& line : lines) {
      if (line.file != number) continue;
      const auto read = [&, output = line.output](const SavedLine& one) { take(file, outputs, output, one); };
      texts.try_emplace(line.output, read).first->second.add(line.text, line.time);
    }
    for (auto& [output, text] : texts) text.finish();
  }
  end_outputs();
  read_.quoted = state_.store->size() > 0;
  if (read_.quoted) return;
  // Records that name no pod tell nothing.
  outputs_.clear();
  state_.logs.clear();
  read_ = std::move(before);
  state_.strangers = std::move(strangers);
}

SavedRead Reading::finish() {
  end_outputs();
  read_quotations();
  read_events();
  read_.telling = telling();
  read_.nameless = events_.nameless();
  if (untold_ > 0)
    warn(fmt::format("{} events are left out: more than {} are too many to keep", grouped(untold_),
                     grouped(kMostEvents)),
         "read fewer of them at a time");
  if (events_.without_namespace() > 0)
    warn("the events do not say in which namespace their pods are, and these are shown as default",
         "kubectl get events -A says it");
  if (state_.seen.forgotten() > 0)
    warn(fmt::format("cannot tell whether {} records are also in another file: they are too many",
                     grouped(state_.seen.forgotten())),
         "name each log only once");
  read_.strange += state_.strangers.others_records();
  read_.strangers = std::move(state_.strangers);
  return std::move(read_);
}

}  // namespace

Result<SavedRead> read_saved_logs(const std::vector<std::string>& paths, diagnosis::DiagnosisStore& store,
                                  std::string_view of) {
  FTAP_TRY_ASSIGN(files, open_logs(paths));
  Reading reading(store, of);
  for (const File& file : files) FTAP_TRY(reading.read(file));
  return reading.finish();
}

}  // namespace flowtap::cli
