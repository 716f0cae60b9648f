#include "status_stream.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/printable.hpp"
#include "base/rfc3339.hpp"
#include "tools/flowtap/terminal/table.hpp"

namespace flowtap::cli {
namespace {

/// Appends ", PART", or "PART" if the list is empty.
void join(std::string& list, const std::string& part) {
  list += (list.empty() ? "" : ", ") + part;
}

Table::Cell capture_cell(const api::StreamStatusReport& stream) {
  if (!stream.backend) return {"nothing is captured: " + printable(stream.reason), "1;31"};
  std::string text = printable(*stream.backend);
  if (!stream.reason.empty()) text += fmt::format(" ({})", printable(stream.reason));
  const char* pinned = ", not pinned: capture ends with flowtapd";
  if (stream.pinned) pinned = ", pinned";
  if (stream.pinned && stream.pinned_in_namespace)
    pinned = ", pinned: capture ends with the last process of flowtapd's mount namespace";
  return {text + pinned};
}

/// Bytes that an earlier flowtapd has lost, of flows that are kept. Their causes are told where they are missing.
std::uint64_t lost_before(const api::StreamStatusReport& stream) {
  const api::RecoveryStatus& of = stream.recovery;
  const std::uint64_t all = of.found + of.sought + of.missing;
  return all - std::min(all, stream.lost_bytes.total());
}

/// Lost bytes by cause, and other losses; all counts are since the programs were loaded, but what was lost before.
Table::Cell lost_cell(const api::StreamStatusReport& stream) {
  const api::LossStatus& lost = stream.lost_bytes;
  struct Cause {
    const char* name;
    std::uint64_t bytes;
  };
  std::string causes;
  for (const Cause& cause : std::array{Cause{"ring_full", lost.ring_full}, Cause{"fault", lost.fault},
                                       Cause{"uncaptured", lost.uncaptured}, Cause{"quiet", lost.quiet},
                                       Cause{"unread", lost.unread}})
    if (cause.bytes > 0) join(causes, fmt::format("{} {}", cause.name, bytes_text(cause.bytes)));
  std::string text;
  if (lost.total() > 0) join(text, fmt::format("{} bytes ({})", grouped(lost.total()), causes));
  if (stream.lost_events > 0) join(text, grouped(stream.lost_events) + " events");
  if (stream.no_slot > 0) join(text, grouped(stream.no_slot) + " streams without a slot");
  if (stream.recursion_misses.value_or(0) > 0)
    join(text, grouped(*stream.recursion_misses) + " runs left out by the kernel");
  if (const std::uint64_t before = lost_before(stream); before > 0)
    text = fmt::format("{} since the start, {} bytes before it", text.empty() ? "nothing" : text,
                       grouped(before));
  if (text.empty()) return {"nothing"};
  return {text, "33"};
}

/// What became of the lost bytes: they may stand in the logs by now.
void add_recovery(Table& table, const api::StreamStatusReport& stream) {
  const api::RecoveryStatus& of = stream.recovery;
  if (stream.lost_bytes.total() + of.found + of.sought + of.missing == 0) return;
  if (of.found > 0) table.add({{"found", "2"}, {grouped(of.found) + " bytes again, in the runtimes' files"}});
  std::string missing = of.missing > 0 ? grouped(of.missing) + " bytes for good" : "nothing";
  if (of.sought > 0) missing += fmt::format(", {} bytes are still looked for", grouped(of.sought));
  table.add({{"missing", "2"}, {missing, of.missing > 0 ? "1;31" : of.sought > 0 ? "33" : ""}});
}

/// "keep the state directory until 2 streams have ended: to a flowtapd with another one they would have no name (1 name is too long,
/// ...)". Empty: all have theirs.
std::string unkept_names(const api::UnkeptNames& names) {
  if (names.total() == 0) return {};
  const auto name = [](std::uint64_t count) { return grouped(count) + (count == 1 ? " name" : " names"); };
  std::string why;
  if (names.too_long > 0)
    join(why, name(names.too_long) + (names.too_long == 1 ? " is too long" : " are too long"));
  if (names.no_map > 0) join(why, "the kernel refused a table for " + name(names.no_map));
  if (names.no_room > 0) join(why, "the kernel had no room for " + name(names.no_room));
  const bool is_one = names.total() == 1;
  return fmt::format(
      "keep the state directory until {} {} ended: with another one, {} would have no name ({})",
      grouped(names.total()), is_one ? "stream has" : "streams have", is_one ? "it" : "they", why);
}

std::string differing_text(const std::vector<std::string>& flows) {
  std::string text;
  for (const std::string& flow : flows) join(text, printable(flow));
  return text;
}

Table::Cell journal_cell(const api::JournalStatus& journal) {
  std::string text = fmt::format("{} of {} in {} {}", bytes_text(journal.bytes), bytes_text(journal.limit),
                                 grouped(journal.segments), journal.segments == 1 ? "segment" : "segments");
  const bool bad = journal.write_errors > 0 || journal.torn > 0;
  if (journal.write_errors > 0)
    join(text,
         grouped(journal.write_errors) + (journal.write_errors == 1 ? " write error" : " write errors"));
  if (journal.torn > 0)
    join(text, grouped(journal.torn) + (journal.torn == 1 ? " torn record" : " torn records"));
  return {text, bad ? "33" : ""};
}

std::string missing_sources(const api::SourcesStatus& sources) {
  std::string text;
  for (const std::string& name : sources.not_found) join(text, printable(name) + " not found");
  for (const api::RefusedSource& source : sources.refused)
    join(text, fmt::format("{} is not captured: {}", printable(source.name), printable(source.why)));
  if (sources.lost_files > 0)
    join(text, grouped(sources.lost_files) + " files removed before they were opened");
  return text;
}

}  // namespace

std::string stream_text(const api::StreamStatusReport& stream, const Style& style) {
  Table table;
  table.add({{"log tap", "2"}, capture_cell(stream)});
  std::string ring = bytes_text(stream.ring_bytes);
  if (stream.ring_waiting) ring += fmt::format(", {} waiting", bytes_text(*stream.ring_waiting));
  table.add({{"ring", "2"}, {ring}});
  table.add({{"lost", "2"}, lost_cell(stream)});
  add_recovery(table, stream);
  if (const std::string text = unkept_names(stream.unkept_names); !text.empty())
    table.add({{"names", "2"}, {text, "33"}});
  if (stream.journal) table.add({{"journal", "2"}, journal_cell(*stream.journal)});
  const std::string since =
      stream.flows_since ? " since " + rfc3339_nano(*stream.flows_since).substr(0, 19) + "Z" : "";
  table.add({{"flows", "2"},
             {fmt::format("{} open, {} ended{}; streams open: {}, taps: {}", grouped(stream.open_flows),
                          grouped(stream.ended_flows), since, grouped(stream.open_streams),
                          grouped(stream.taps))}});
  if (!stream.differing.empty())
    table.add(
        {{"differing", "2"},
         {"from what the runtime has kept (flowtapd's log says where): " + differing_text(stream.differing),
          "33"}});
  if (const std::string text = missing_sources(stream.sources); !text.empty())
    table.add({{"sources", "2"}, {text, "33"}});
  for (const api::IdlePattern& idle : stream.sources.idle_patterns)
    table.add({{"warning", "2"}, {printable(api::sentence_of(idle)), "33"}});
  return table.text(style);
}

}  // namespace flowtap::cli
