#include "stream/lines/otel_view.hpp"

#include "stream/lines/klog/klog_pairs.hpp"

namespace flowtap::flow {
namespace {

// FNV-1a over the bytes, then splitmix64's finish, so that close inputs end far apart.
std::uint64_t mix(std::uint64_t seed, std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325U ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
  hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
  hash ^= hash >> 31U;
  return hash == 0 ? 1 : hash;
}

template <typename Id>
void put(Id& id, std::size_t at, std::uint64_t value) {
  for (std::size_t i = 0; i < 8; ++i) id[at + i] = static_cast<std::uint8_t>(value >> (56 - 8 * i));
}

// klog's "thread" is the process id.
void put_origin(OtelView& out, const KlogRecord& record) {
  if (!record.thread.empty()) out.attributes.emplace_back("process.pid", record.thread);
  const std::size_t colon = record.source.rfind(':');
  if (record.source.empty()) return;
  out.attributes.emplace_back("code.file.path", record.source.substr(0, colon));
  if (colon != std::string_view::npos)
    out.attributes.emplace_back("code.line.number", record.source.substr(colon + 1));
}

void put_severity(OtelView& out, KlogSeverity severity) {
  switch (severity) {
    case KlogSeverity::kInfo:
      out.severity = 9, out.severity_text = "INFO";
      break;
    case KlogSeverity::kWarning:
      out.severity = 13, out.severity_text = "WARN";
      break;
    case KlogSeverity::kError:
      out.severity = 17, out.severity_text = "ERROR";
      break;
    case KlogSeverity::kFatal:
      out.severity = 21, out.severity_text = "FATAL";
      break;
  }
}

}  // namespace

TraceId trace_id(std::string_view flow) {
  TraceId id;
  put(id, 0, mix(0, flow));
  put(id, 8, mix(0x9e3779b97f4a7c15U, flow));
  return id;
}

SpanId span_id(std::string_view flow, const RecordPlace& place) {
  std::uint64_t hash = mix(0, flow);
  hash = mix(hash + place.time, place.output);
  hash = mix(hash + place.nth, place.line);
  SpanId id;
  put(id, 0, hash);
  return id;
}

OtelView otel_view(const KlogRecord& record) {
  OtelView out;
  const auto kind = record.form == KlogForm::kJson ? KlogPair::Kind::kString : KlogPair::Kind::kQuoted;
  if (record.body.contains('\n'))
    out.body = record.body;
  else if (record.structured)
    out.body = klog_value({.key = {}, .kind = kind, .value = record.message});
  else
    out.body = record.message;
  put_origin(out, record);
  if (!record.logger.empty())
    out.attributes.emplace_back("logger", klog_value({.key = {}, .kind = kind, .value = record.logger}));
  bool verbosity = false;
  KlogPairs pairs(record);
  for (KlogPair pair; pairs.next(pair);) {
    verbosity = verbosity || pair.key == "v";
    out.attributes.emplace_back(pair.key, klog_value(pair));
  }
  put_severity(out, record.severity.value_or(verbosity ? KlogSeverity::kInfo : KlogSeverity::kError));
  return out;
}

}  // namespace flowtap::flow
