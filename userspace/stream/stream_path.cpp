#include "stream/stream_path.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <spdlog/spdlog.h>
#include <sys/resource.h>

#include "base/wall_clock.hpp"
#include "stream/sources/v1_containers.hpp"

namespace flowtap {
namespace {

// Ahead of ordinary work: the longest wait for a CPU decides how much the ring has to hold.
constexpr int kNice = -10;

// Looking at every process of a large node takes some hundred milliseconds.
constexpr auto kV1Pause = std::chrono::minutes(5);

// Listed files are looked at within milliseconds; only a thread that hangs takes longer.
constexpr auto kFilesEnd = std::chrono::seconds(1);

}  // namespace

// Until there are some: once is enough to be told.
void StreamPath::look_for_v1() {
  if (!proc_ || Clock::now() < next_v1_look_) return;
  next_v1_look_ = Clock::now() + kV1Pause;
  const auto found = find_v1_containers(*proc_);
  if (!found || found->count == 0) return;
  warnings_.push_back(v1_warning(*found));
  proc_.reset();
}

std::vector<std::string> StreamPath::new_warnings() {
  const std::vector<std::string> fresh(warnings_.begin() + static_cast<std::ptrdiff_t>(told_),
                                       warnings_.end());
  told_ = warnings_.size();
  return fresh;
}

Status StreamPath::run(const SourceOptions& sources) {
  FTAP_TRY_ASSIGN(waker, ReaderWaker::start());
  waker_ = std::move(waker);
  if (files_) taps_ = std::make_unique<ProcessTaps>(*live_, *files_, *slots_, *consumer_);
  FTAP_TRY_ASSIGN(histories, Histories::open(host_root_, runtimes_));
  histories_ = std::move(histories);
  refiller_ = std::make_unique<Refiller>(lines_->store(), *histories_);
  auditor_ = std::make_unique<Auditor>(lines_->store(), *histories_);
  service_ = std::make_unique<FlowsService>(
      *journal_, lines_->store(), *waker_, suspicion_, taps_.get(), histories_.get(), auditor_.get(),
      [this](const std::string& flow) { return lines_->is_scheduler(flow); });
  FTAP_TRY(lines_->start());
  (void)find_running(std::chrono::nanoseconds(0));
  open_sources(sources);
  thread_ = std::thread([this] { drain(); });
  return {};
}

void StreamPath::open_sources(const SourceOptions& sources) {
  if (!files_) return;
  auto listed = ListedProcesses::open(host_root_, *live_, *files_, *slots_, *consumer_);
  if (listed)
    listed_.emplace(std::move(*listed));
  else
    warnings_.push_back("listed units and processes are not captured: " + listed.error().what);
  auto files = FileSources::open(host_root_, *files_, *slots_, *journal_, file_streams_);
  if (!files) {
    warnings_.push_back("listed files are not followed: " + files.error().what);
    return;
  }
  file_sources_ = std::move(*files);
  set_sources(sources);
  file_sources_->start();
}

void StreamPath::set_sources(const SourceOptions& sources) {
  // Files first: what a listed process writes to one of them is that file's.
  if (file_sources_) file_sources_->set(sources.files);
  if (listed_) note_listing(listed_->set(sources.units, sources.processes));
}

void StreamPath::set_flow_rules(const std::vector<flow::GroupRule>& rules) {
  // They have been asked when the configuration was read.
  if (auto parsed = flow::GroupRules::parse(rules)) service_->set_groups(std::move(*parsed));
}

StreamPath::~StreamPath() {
  file_sources_.reset();
  stop_drain();
}

void StreamPath::stop_drain() {
  stop_ = true;
  if (source_) source_->interrupt();
  if (thread_.joinable()) thread_.join();
}

bool StreamPath::stop() {
  if (!file_sources_ || file_sources_->stop(kFilesEnd)) return true;
  stop_drain();
  lines_->stop();
  return false;
}

void StreamPath::drain() noexcept {
  ::pthread_setname_np(::pthread_self(), "ftap-drain");
  ::setpriority(PRIO_PROCESS, 0, kNice);
  consumer_->run(stop_, failed_rounds_);
}

std::string StreamPath::how() const {
  std::string text =
      fmt::format("every container's output, through {}", kernel::backend_name(live_->backend()));
  // Its events are system calls' ends. Containers write into pipes, whose readers it sees as long as they use those.
  if (live_->backend() == kernel::LogBackend::kSysExit)
    text +=
        "; flowtapd does not see what io_uring writes to tapped files, terminals and sockets, or reads from "
        "pipes";
  if (live_->taken_over()) text += "; taken over from the previous flowtapd";
  for (const std::string& warning : warnings_) text += "; " + warning;
  return text;
}

void StreamPath::note_listing(const Status& listed) {
  if (!listed) spdlog::warn("stream: listed units and processes: {}", listed.error().what);
}

void StreamPath::look_at_recording() {
  const auto why = recording_ != nullptr ? recording_->cut_short() : std::nullopt;
  if (!why) return;
  warnings_.push_back("the recording is cut short: " + *why);
  recording_ = nullptr;  // once is enough to be told
}

void StreamPath::look_around(ReadErrors& errors) {
  look_for_v1();
  look_at_recording();
  const std::uint64_t drain_errors = consumer_->counts().drain_errors;
  errors["log_lines"] += lines_->take_failures();
  errors["log_ring"] += failed_rounds_.exchange(0) + drain_errors - drain_errors_;
  drain_errors_ = drain_errors;
  programs_.clear();
  const auto programs = live_->program_stats(false);
  for (const auto& program : programs) {
    if (!program) {
      ++errors["bpf_program"];
      continue;
    }
    api::ProgramStatus& status = programs_.emplace_back();
    status.name = program->name;
    status.attached = true;
    status.run_count = program->runs;
    status.recursion_misses = program->recursion_misses;
    if (program->name == kernel::program_of(kernel::kExecHook)) exec_misses_ = program->recursion_misses;
  }
  // What cannot be read of the programs is as it was: that there was no slot is known without it.
  const bool missed = find_missed();
  const bool released = taps_ && taps_->take_released();
  if (listed_) note_listing(listed_->look(released || missed));
  misses_ = kernel::count_misses(programs);
  misses_.unseen += slots_->kernel().unsure();
  suspicion_.look(misses_, wall_ns());
}

}  // namespace flowtap
