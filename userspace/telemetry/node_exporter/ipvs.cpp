// Services of IPVS, as kube-proxy makes them, from /proc/net/ip_vs.
#include <arpa/inet.h>

#include <array>
#include <map>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/ipvs.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

struct Endpoint {
  std::string address;
  std::string port = "0";
};

// "C0A80016:0CEA" or "[2001:0db8:...:0001]:0050"
std::optional<Endpoint> parse_endpoint(std::string_view text) {
  const auto colon = text.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto port = hexadecimal_in(text.substr(colon + 1));
  std::string_view address = text.substr(0, colon);
  if (!port || *port > 65535) return std::nullopt;
  Endpoint endpoint{.address = {}, .port = std::to_string(*port)};
  std::array<char, INET6_ADDRSTRLEN> shown{};
  if (address.starts_with('[') && address.ends_with(']')) {
    const std::string inside(address.substr(1, address.size() - 2));
    in6_addr six{};
    if (::inet_pton(AF_INET6, inside.c_str(), &six) != 1 ||
        ::inet_ntop(AF_INET6, &six, shown.data(), shown.size()) == nullptr)
      return std::nullopt;
  } else {
    const auto four = address.size() == 8 ? hexadecimal_in(address) : std::nullopt;
    if (!four) return std::nullopt;
    const in_addr address4{.s_addr = htonl(static_cast<std::uint32_t>(*four))};
    if (::inet_ntop(AF_INET, &address4, shown.data(), shown.size()) == nullptr) return std::nullopt;
  }
  endpoint.address = shown.data();
  return endpoint;
}

struct Backend {
  std::uint64_t weight = 0, active = 0, inactive = 0;
};

struct Service {
  std::string protocol, mark;
  Endpoint local;
};

// "TCP  C0A80016:0CEA wlc", "FWM  10001000 wlc"
std::optional<Service> parse_service(std::string_view protocol, std::string_view where) {
  if (protocol == "FWM") return Service{std::string(protocol), std::string(where), {}};
  const auto local = parse_endpoint(where);
  return local ? std::optional(Service{std::string(protocol), {}, *local}) : std::nullopt;
}

}  // namespace

bool parse_ipvs_stats(std::string_view text, Page& out) {
  struct Counter {
    const char* name;
    const char* help;
  };
  constexpr std::array kCounters{Counter{"connections_total", "Connections of IPVS."},
                                 Counter{"incoming_packets_total", "Packets that came in."},
                                 Counter{"outgoing_packets_total", "Packets that went out."},
                                 Counter{"incoming_bytes_total", "Bytes that came in."},
                                 Counter{"outgoing_bytes_total", "Bytes that went out."}};
  next_line(text);  // two lines of headings
  next_line(text);
  std::string_view line = next_line(text);
  bool good = true;
  for (const Counter& counter : kCounters) {
    const auto value = hexadecimal_in(next_word(line));
    good = good && value;
    if (value)
      out.add("node_ipvs_" + std::string(counter.name), PageKind::kCounter, counter.help, {},
              static_cast<double>(*value));
  }
  return good;
}

bool parse_ipvs_backends(std::string_view text, Page& out) {
  bool good = true;
  std::optional<Service> service;
  std::map<LabelPairs, Backend> backends;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    const std::string_view first = next_word(line);
    const std::string_view where = next_word(line);
    if (first == "TCP" || first == "UDP" || first == "SCTP" || first == "FWM") {
      service = parse_service(first, where);
      good = good && service;
    } else if (first == "->" && where != "RemoteAddress:Port") {
      next_word(line);  // how packets are forwarded
      const auto weight = whole_number(next_word(line));
      const auto active = whole_number(next_word(line));
      const auto inactive = whole_number(next_word(line));
      const auto remote = parse_endpoint(where);
      if (!service || !remote || !weight || !active || !inactive) {
        good = false;
        continue;
      }
      Backend& backend = backends[{{"local_address", service->local.address},
                                   {"local_mark", service->mark},
                                   {"local_port", service->local.port},
                                   {"proto", service->protocol},
                                   {"remote_address", remote->address},
                                   {"remote_port", remote->port}}];
      backend.weight += *weight;
      backend.active += *active;
      backend.inactive += *inactive;
    }
  }
  for (const auto& [labels, backend] : backends) {
    out.add("node_ipvs_backend_connections_active", PageKind::kGauge, "Connections that are active.", labels,
            static_cast<double>(backend.active));
    out.add("node_ipvs_backend_connections_inactive", PageKind::kGauge, "Connections that are not active.",
            labels, static_cast<double>(backend.inactive));
    out.add("node_ipvs_backend_weight", PageKind::kGauge, "Weight of the backend.", labels,
            static_cast<double>(backend.weight));
  }
  return good;
}

Found read_ipvs(Source& from, Page& out) {
  const auto stats = from.text(from.proc("/1/net/ip_vs_stats"));
  if (!stats) return Found::kNothing;
  if (!parse_ipvs_stats(*stats, out)) from.fail();
  if (const auto backends = from.text(from.proc("/1/net/ip_vs"));
      backends && !parse_ipvs_backends(*backends, out))
    from.fail();
  return Found::kSomething;
}

}  // namespace flowtap::telemetry::node_exporter
