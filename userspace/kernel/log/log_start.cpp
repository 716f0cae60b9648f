// What start_log_tap() finds pinned, and what it makes of it.
//
//   nothing                                   load, attach, pin
//   hooks that lead to this layout's handlers  take over, unless a newer build has relieved it (log_found.hpp)
//   hooks that lead to another's               load, and relieve() leads them here; the others' wait in older()
//
// A process that dies at any point of this leaves one of these three.
#include <algorithm>
#include <iterator>
#include <utility>

#include "kernel/log/log_found.hpp"
#include "kernel/log/log_programs.hpp"
#include "kernel/preemption.hpp"
#include "kernel/requirements.hpp"
#include "kernel/ring_reader.hpp"

namespace flowtap::kernel {

namespace {

// The gap between our numbers and those of an older build, which counts on until it is relieved.
constexpr flow::StreamNo kNumbersApart = 1U << 20U;

// The build whose bytes are captured now. A build that died while it removed hooks may have left only its handlers.
LogBackend backend_of(const std::vector<LogHook>& hooks, const std::vector<LogOlder>& others) {
  const bool calls = std::ranges::find(hooks, kCallsHook, &LogHook::name) != hooks.end() ||
                     (!others.empty() && others.back().generation().handler(kCallsHook) != nullptr);
  return calls ? LogBackend::kSysExit : LogBackend::kFunctions;
}

}  // namespace

class LogStart {
 public:
  explicit LogStart(const LogOptions& options) : options_(options), pins_(options.bpffs) {}

  Result<LogLive> start() {
    FTAP_TRY(check_bpf_requirements());
    if (options_.bpffs.empty()) return begin(fail("pinning is switched off"));
    if (Status pinnable = pins_.check(); !pinnable) return begin(std::move(pinnable));
    FTAP_TRY_ASSIGN(found, pins_.find(LogPins::kHooks));
    if (found.empty()) return begin({});
    FTAP_TRY_ASSIGN(hooks, open_hooks(std::move(found)));
    return go_on(std::move(hooks));
  }

 private:
  Result<LogLive> begin(Status pinnable) {
    // A start that was killed between two folders has left this.
    if (pinnable) pinnable = pins_.remove_folder(log_abi());
    FTAP_TRY_ASSIGN(live, attach_chosen());
    if (pinnable) pinnable = pins_.pin(log_abi(), live.generation_.pins());
    // The hooks come last: without them the rest is worthless.
    if (pinnable) pinnable = pins_.pin(LogPins::kHooks, pins_of(live.hooks_));
    if (!pinnable) {
      if (!options_.bpffs.empty()) static_cast<void>(pins_.remove_folder(log_abi()));
      live.unpinned_ = std::move(pinnable).error();
      return live;
    }
    live.pinned_ = pins_;
    // A folder without hooks, or with its own hooks as the first builds had them, captures for nobody.
    if (Status removed = pins_.remove_all_but(LogPins::kHooks, log_abi()); !removed)
      live.left_over_ = std::move(removed).error();
    return live;
  }

  Result<LogLive> attach(LogBackend backend, std::string why) const {
    LogOptions options = options_;
    options.backend = backend;
    FTAP_TRY_ASSIGN(opened, LogOpened::open(options));
    FTAP_TRY_ASSIGN(loaded, load(std::move(opened)));
    FTAP_TRY_ASSIGN(live, std::move(loaded).attach());
    live.why_ = std::move(why);
    return live;
  }

  // Programs at functions cost other calls nothing and see io_uring. But where tasks are preempted in the kernel, they
  // miss some of what the preempting tasks do. That is little, thanks to their second programs, but it is better to
  // make a call take 40 ns longer, unless the program at the call's end may be preempted, too. That one has no second
  // program, and misses more.
  Result<LogLive> attach_chosen() const {
    if (options_.backend) return attach(*options_.backend, "as configured");
    const auto mode = preemption_mode(options_.host_root);
    if (may_preempt(mode) && !preempts_tracepoints())
      return attach(
          LogBackend::kSysExit,
          mode ? "fexit would miss events where tasks are preempted in the kernel (" + *mode + ")"
               : "fexit would miss events if tasks are preempted in the kernel; without debugfs it does "
                 "not say whether they are");
    auto live = attach(LogBackend::kFunctions,
                       may_preempt(mode)
                           ? "it loads, and has a second program where tasks are preempted in the kernel (" +
                                 mode.value_or("without debugfs nobody can tell whether they are") + ")"
                           : "it loads, and this kernel does not preempt it (" + *mode + ")");
    if (live) return live;
    return attach(LogBackend::kSysExit, "fexit was tried first: " + live.error().what);
  }

  Result<LogLive> go_on(std::vector<LogHook> hooks) {
    FTAP_TRY_ASSIGN(found, find_log(pins_, std::move(hooks)));
    LogLive live;
    if (found.own) {
      live.generation_ = std::move(*found.own);
      // A build that kept no names has left none.
      if (live.generation_.make_names())
        static_cast<void>(
            pins_.add(log_abi(), std::string(kLogMaps.back().first), live.generation_.maps.names.get()));
      live.taken_over_ = true;
      live.why_ = "taken over from the previous flowtapd";
    } else {
      FTAP_TRY_ASSIGN(loaded, load_beside(found.hooks, found.others));
      live = std::move(loaded);
      live.why_ = "took over from another build";
      // These are to be attached in front of the programs that exist.
      if (live.backend() == LogBackend::kFunctions && !live.has_seconds() && wants_seconds(options_))
        live.why_ += ", which has no second programs; flowtapd --detach makes room for them";
    }
    std::ranges::move(found.hooks, std::back_inserter(live.hooks_));
    live.older_ = std::move(found.others);
    live.left_over_ = std::move(found.unreadable);
    live.pins_ = pins_;
    live.pinned_ = pins_;
    FTAP_TRY_ASSIGN(streams, live.streams());
    streams.raise_next(first_number(live.older_));
    return live;
  }

  Result<LogLoaded> load(LogOpened opened) const {
    FTAP_TRY_ASSIGN(loaded, std::move(opened).load());
    if (options_.before_attach) {
      FTAP_TRY_ASSIGN(streams, loaded.streams());
      options_.before_attach(streams);
    }
    return loaded;
  }

  // Greater than what any build has used or will use before it is relieved.
  [[nodiscard]] flow::StreamNo first_number(const std::vector<LogOlder>& others) const {
    flow::StreamNo first = options_.first_stream;
    for (const LogOlder& older : others) first = std::max(first, older.next_stream() + kNumbersApart);
    return first;
  }

  // Loads this build's handlers. New hooks lead to them; the others do not yet.
  Result<LogLive> load_beside(const std::vector<LogHook>& hooks, const std::vector<LogOlder>& others) {
    LogOptions options = options_;
    options.backend = backend_of(hooks, others);
    options.first_stream = first_number(others);
    // All builds share this one map, so that an event which comes to two of them is handled only once.
    int notes = -1;
    for (const LogOlder& older : others)
      if (const Fd& theirs = older.generation().maps.notes; theirs.valid()) notes = theirs.get();
    FTAP_TRY_ASSIGN(opened, LogOpened::open(options, hooks, notes));
    FTAP_TRY_ASSIGN(loaded, load(std::move(opened)));
    for (const LogHandler& handler : loaded.generation_.handlers) FTAP_TRY(pass_on(handler, hooks, others));
    FTAP_TRY(pins_.pin(log_abi(), loaded.generation_.pins()));
    FTAP_TRY_ASSIGN(live, std::move(loaded).attach());
    for (const LogHook& hook : live.hooks_) FTAP_TRY(add_hook(pins_, hook));
    return live;
  }

  // The handler that the hook leads to now.
  static Status pass_on(const LogHandler& handler, const std::vector<LogHook>& hooks,
                        const std::vector<LogOlder>& others) {
    const auto hook = std::ranges::find(hooks, handler.hook, &LogHook::name);
    if (hook == hooks.end()) return {};
    for (const LogOlder& older : others) {
      const LogHandler* theirs = older.generation().handler(handler.hook);
      if (theirs == nullptr) continue;
      FTAP_TRY_ASSIGN(leads, leads_to(*hook, theirs->program.get()));
      if (leads) return put_program(handler.older.get(), theirs->program.get());
    }
    return {};
  }

  const LogOptions& options_;
  LogPins pins_;
};

Result<LogLive> start_log_tap(const LogOptions& options) {
  return LogStart(options).start();
}

Result<Detached> detach_log_tap(const std::string& bpffs) {
  const LogPins pins(bpffs);
  FTAP_TRY_ASSIGN(mounted, pins.mounted());
  if (!mounted) return Detached{};
  Detached detached{.found = pins.any()};
  const auto rings = pins.rings();
  FTAP_TRY(pins.remove_all());
  // The kernel may free the programs a moment later, so this is the least that was lost.
  for (const Fd& ring : rings)
    if (const auto reader = RingReader::open(ring.get())) detached.waiting += (*reader)->backlog();
  return detached;
}

}  // namespace flowtap::kernel
