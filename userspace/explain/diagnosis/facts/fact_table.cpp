#include "explain/diagnosis/facts/fact_table.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "explain/diagnosis/chosen_node.hpp"
#include "explain/diagnosis/counted_as.hpp"
#include "explain/diagnosis/diagnosis.hpp"
#include "explain/diagnosis/facts/schedulers.hpp"
#include "explain/diagnosis/failed_nodes.hpp"

namespace flowtap::diagnosis {
namespace {

using Form = FactRow::Form;

#define SAYS(what, text, ...) {.kind = FactKind::what, .message = text, .keys = {{__VA_ARGS__}}},
#define SAYS_WITH(what, text, present, ...) \
  {.kind = FactKind::what, .message = text, .keys = {{__VA_ARGS__}}, .with = present},
#define SAYS_WITHOUT(what, text, absent, ...) \
  {.kind = FactKind::what, .message = text, .keys = {{__VA_ARGS__}}, .without = absent},
#define REASON(what, text, reason, ...) \
  {.kind = FactKind::what, .message = text, .keys = {{__VA_ARGS__}}, .says = reason},
#define VERDICT(what, text, heavy, summary) \
  {.kind = FactKind::what, .message = text, .says = summary, .weight = heavy},
#define ERROR(text, ...)                            \
  {.kind = FactKind::kBindFailed,                   \
   .message = text,                                 \
   .keys = {{{"err", Field::kError}, __VA_ARGS__}}, \
   .with = "err",                                   \
   .says = text,                                    \
   .weight = 1},
#define EVENT(what, heavy, reason, text) EVENT_AS(what, heavy, reason, text, "")
#define EVENT_TOO(what, reason, text, ...) \
  {.kind = FactKind::what,                 \
   .message = "Event occurred",            \
   .keys = {{__VA_ARGS__}},                \
   .with = "reason",                       \
   .value = reason,                        \
   .apart = "message",                     \
   .pattern = text},
#define EVENT_AS(what, heavy, reason, text, summary) \
  {.kind = FactKind::what,                           \
   .message = "Event occurred",                      \
   .with = "reason",                                 \
   .value = reason,                                  \
   .apart = "message",                               \
   .pattern = text,                                  \
   .says = summary,                                  \
   .weight = heavy,                                  \
   .ends = true},
#define APART(what, text, key, all, ...) \
  {.kind = FactKind::what,               \
   .message = text,                      \
   .keys = {{__VA_ARGS__}},              \
   .apart = key,                         \
   .pattern = all,                       \
   .ends = true},
#define FREED(text) FREED_TO(text, "Active") FREED_TO(text, "Backoff")
#define FREED_TO(text, name) {.kind = FactKind::kReleased, .message = text, .with = "queue", .value = name},
#define FAILED_SCHEDULING(what, text)        \
  {.kind = FactKind::what,                   \
   .message = "Event occurred",              \
   .keys = {{{"message", Field::kSummary}}}, \
   .with = "reason",                         \
   .value = "FailedScheduling",              \
   .apart = "message",                       \
   .pattern = text,                          \
   .ends = true},
#define NO_NODE(text) FAILED_SCHEDULING(kFilterFailed, text)
#define AT_BIND(text)                           \
  {.kind = FactKind::kBindFailed,               \
   .message = "Error scheduling pod; retrying", \
   .keys = {{{"err", Field::kSummary}}},        \
   .apart = "err",                              \
   .pattern = text,                             \
   .ends = true},                               \
      FAILED_SCHEDULING(kBindFailed, text)
#define TOO_LATE(what, text)                                                                      \
  APART_TOO(kBindFailed, "Error scheduling pod; retrying", "err", text, {"err", Field::kSummary}) \
  APART(what, "Error scheduling pod; retrying", "err", text)                                      \
  EVENT_TOO(kBindFailed, "FailedScheduling", text, {"message", Field::kSummary})                  \
  EVENT(what, 0, "FailedScheduling", text)
#define GROUP_FAILED(text)                                                                             \
  APART(kBindFailed, "Unable to schedule pod; no fit; waiting", "err", text, {"err", Field::kSummary}) \
  APART(kBindFailed, "Unable to schedule pod belonging to a pod group; waiting", "err", text,          \
        {"err", Field::kSummary})                                                                      \
  AT_BIND(text)
#define APART_TOO(what, text, key, all, ...) \
  {.kind = FactKind::what, .message = text, .keys = {{__VA_ARGS__}}, .apart = key, .pattern = all},
#define TEXT(what, beginning, all) \
  {.form = Form::kText, .kind = FactKind::what, .message = beginning, .pattern = all},
#define TEXT_AS(what, beginning, all, reason) \
  {.form = Form::kText, .kind = FactKind::what, .message = beginning, .pattern = all, .says = reason},
#define ALIGN(what, text, present, is, heavy, reason)                  \
  {.kind = FactKind::what,                                             \
   .message = text,                                                    \
   .keys = {{{"node", Field::kNode}, {"resource", Field::kResource}}}, \
   .with = present,                                                    \
   .value = is,                                                        \
   .apart = "logID",                                                   \
   .pattern = "<>/<>/<container>",                                     \
   .says = reason,                                                     \
   .weight = heavy,                                                    \
   .ends = true},                                                      \
      {.kind = FactKind::what,                                         \
       .message = text,                                                \
       .keys = {{{"node", Field::kNode},                               \
                 {"resource", Field::kResource},                       \
                 {"container", Field::kContainer},                     \
                 {"numaCell", Field::kCell},                           \
                 {"podUID", Field::kUid}}},                            \
       .with = present,                                                \
       .value = is,                                                    \
       .says = reason,                                                 \
       .weight = heavy},
#define RESOURCE(text)                         \
  {.kind = FactKind::kAlignFails,              \
   .message = text,                            \
   .keys = {{{"node", Field::kNode},           \
             {"reason", Field::kResource},     \
             {"container", Field::kContainer}, \
             {"podUID", Field::kUid}}},        \
   .with = "node",                             \
   .says = text},
#define CELL(what, text, has)                     \
  {.kind = FactKind::what,                        \
   .message = text,                               \
   .keys = {{{"node", Field::kNode},              \
             {"resource", Field::kResource},      \
             {"container", Field::kContainer},    \
             {"numaCell", Field::kCell},          \
             {"quantity", Field::kRequested},     \
             {"numaQuantity", Field::kAvailable}, \
             {"podUID", Field::kUid}}},           \
   .with = "numaCell",                            \
   .says = has},
#define CELL_OF_LOGID(what, text)                                                                  \
  {.kind = FactKind::what,                                                                         \
   .message = text,                                                                                \
   .keys = {{{"node", Field::kNode}, {"resource", Field::kResource}, {"NUMA", Field::kCell}}},     \
   .with = "NUMA",                                                                                 \
   .apart = "logID",                                                                               \
   .pattern = "<>/<>/<container>",                                                                 \
   .ends = true},                                                                                  \
      {.kind = FactKind::what,                                                                     \
       .message = text,                                                                            \
       .keys = {{{"node", Field::kNode}, {"resource", Field::kResource}, {"NUMA", Field::kCell}}}, \
       .with = "NUMA"},
constexpr FactRow kHamiRows[] = {
#include "explain/diagnosis/facts/hami.def"
};
constexpr FactRow kKubeRows[] = {
#include "explain/diagnosis/facts/kube_scheduler.def"
#include "explain/diagnosis/facts/numa_scheduler.def"
};
#undef SAYS
#undef SAYS_WITH
#undef SAYS_WITHOUT
#undef REASON
#undef VERDICT
#undef ERROR
#undef EVENT
#undef EVENT_AS
#undef EVENT_TOO
#undef APART
#undef APART_TOO
#undef FREED
#undef FREED_TO
#undef GROUP_FAILED
#undef TOO_LATE
#undef AT_BIND
#undef NO_NODE
#undef FAILED_SCHEDULING
#undef TEXT
#undef TEXT_AS
#undef ALIGN
#undef RESOURCE
#undef CELL
#undef CELL_OF_LOGID

#define SCHEDULER(called, is, table, ...) \
  {.name = called, .role = Scheduler::Role::is, .rows = table, __VA_ARGS__},
constexpr Scheduler kBuiltIn[] = {
#include "explain/diagnosis/facts/schedulers.def"
};
#undef SCHEDULER

constexpr std::pair<std::string_view, Field> kNames[] = {
    {"node", Field::kNode},           {"nodes", Field::kNodes}, {"reason", Field::kReason},
    {"container", Field::kContainer}, {"cards", Field::kCards}, {"summary", Field::kSummary},
    {"vendor", Field::kVendor},       {"by", Field::kPod},
};

}  // namespace

const Schedulers& Schedulers::built_in() {
  static const Schedulers kAll(kBuiltIn);
  return kAll;
}

const Field* field_named(std::string_view name) {
  const auto* const found = std::ranges::find(kNames, name, &std::pair<std::string_view, Field>::first);
  return found == std::end(kNames) ? nullptr : &found->second;
}

}  // namespace flowtap::diagnosis
