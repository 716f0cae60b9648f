#include <array>
#include <span>
#include <vector>

#include "telemetry/collecting/fields.hpp"
#include "telemetry/node_exporter/file_systems/file_system_text.hpp"
#include "telemetry/node_exporter/readers.hpp"

namespace flowtap::telemetry::node_exporter {
namespace {

using Names = std::span<const std::string_view>;

// The procedures of each version in the order of the protocol, in node_exporter's spelling; those without a name here have
// none there.
constexpr std::array<std::string_view, 18> kProcedures2{
    "Null",   "GetAttr", "SetAttr", "Root", "Lookup",  "ReadLink", "Read",  "WrCache", "Write",
    "Create", "Remove",  "Rename",  "Link", "SymLink", "MkDir",    "RmDir", "ReadDir", "FsStat"};
constexpr std::array<std::string_view, 22> kProcedures3{
    "Null",    "GetAttr",     "SetAttr", "Lookup", "Access",   "ReadLink", "Read",   "Write",
    "Create",  "MkDir",       "SymLink", "MkNod",  "Remove",   "RmDir",    "Rename", "Link",
    "ReadDir", "ReadDirPlus", "FsStat",  "FsInfo", "PathConf", "Commit"};
// NFSPROC4_CLNT_* of include/linux/nfs4.h
constexpr std::array<std::string_view, 59> kClientProcedures4{"Null",
                                                              "Read",
                                                              "Write",
                                                              "Commit",
                                                              "Open",
                                                              "OpenConfirm",
                                                              "OpenNoattr",
                                                              "OpenDowngrade",
                                                              "Close",
                                                              "Setattr",
                                                              "FsInfo",
                                                              "Renew",
                                                              "SetClientID",
                                                              "SetClientIDConfirm",
                                                              "Lock",
                                                              "Lockt",
                                                              "Locku",
                                                              "Access",
                                                              "Getattr",
                                                              "Lookup",
                                                              "LookupRoot",
                                                              "Remove",
                                                              "Rename",
                                                              "Link",
                                                              "Symlink",
                                                              "Create",
                                                              "Pathconf",
                                                              "StatFs",
                                                              "ReadLink",
                                                              "ReadDir",
                                                              "ServerCaps",
                                                              "DelegReturn",
                                                              "GetACL",
                                                              "SetACL",
                                                              "FsLocations",
                                                              "ReleaseLockowner",
                                                              "Secinfo",
                                                              "FsidPresent",
                                                              "ExchangeID",
                                                              "CreateSession",
                                                              "DestroySession",
                                                              "Sequence",
                                                              "GetLeaseTime",
                                                              "ReclaimComplete",
                                                              "LayoutGet",
                                                              "GetDeviceInfo",
                                                              "LayoutCommit",
                                                              "LayoutReturn",
                                                              "SecinfoNoName",
                                                              "TestStateID",
                                                              "FreeStateID",
                                                              "GetDeviceList",
                                                              "BindConnToSession",
                                                              "DestroyClientID",
                                                              "Seek",
                                                              "Allocate",
                                                              "DeAllocate",
                                                              "LayoutStats",
                                                              "Clone"};
// RFC 7530, 16; the first three numbers are of no operation
constexpr std::array<std::string_view, 38> kServerOperations4{"",
                                                              "",
                                                              "",
                                                              "Access",
                                                              "Close",
                                                              "Commit",
                                                              "Create",
                                                              "DelegPurge",
                                                              "DelegReturn",
                                                              "GetAttr",
                                                              "GetFH",
                                                              "Link",
                                                              "Lock",
                                                              "Lockt",
                                                              "Locku",
                                                              "Lookup",
                                                              "LookupRoot",
                                                              "Nverify",
                                                              "Open",
                                                              "OpenAttr",
                                                              "OpenConfirm",
                                                              "OpenDgrd",
                                                              "PutFH",
                                                              "",
                                                              "",
                                                              "Read",
                                                              "ReadDir",
                                                              "ReadLink",
                                                              "Remove",
                                                              "Rename",
                                                              "Renew",
                                                              "RestoreFH",
                                                              "SaveFH",
                                                              "SecInfo",
                                                              "SetAttr",
                                                              "Verify",
                                                              "Write",
                                                              "RelLockOwner"};

struct RpcCounter {
  std::size_t at;
  std::string_view name;
  LabelPairs labels = {};
  PageKind kind = PageKind::kCounter;
};

// One line: a word that says which, and numbers.
class RpcLine {
 public:
  explicit RpcLine(std::string_view line) : key_(next_word(line)) {
    for (auto word = next_word(line); !word.empty() && numbers_.size() < 512; word = next_word(line)) {
      // "th" has fractions of a second behind its first two numbers.
      const auto number = number_in(word);
      good_ = good_ && number && *number >= 0;
      numbers_.push_back(number.value_or(0));
    }
  }
  [[nodiscard]] std::string_view key() const { return key_; }
  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] const std::vector<double>& numbers() const { return numbers_; }

  void add(std::span<const RpcCounter> counters, Page& out) const {
    for (const RpcCounter& counter : counters)
      if (counter.at < numbers_.size())
        out.add(counter.name, counter.kind, std::string(key_) + " of /proc/net/rpc.", counter.labels,
                numbers_[counter.at]);
  }
  // "proc3 22 0 1 2": the first number says how many there are. A procedure that this kernel does not know was never called.
  void add_procedures(std::string_view name, std::string_view version, Names procedures, std::size_t skip,
                      Page& out) const {
    for (std::size_t i = skip; i < procedures.size(); ++i)
      if (!procedures[i].empty())
        out.add(name, PageKind::kCounter, "Requests of NFS, by version and procedure.",
                {{"method", std::string(procedures[i])}, {"proto", std::string(version)}},
                i + 1 < numbers_.size() ? numbers_[i + 1] : 0);
  }

 private:
  std::string_view key_;
  std::vector<double> numbers_;
  bool good_ = true;
};

template <typename Take>
bool for_each_rpc_line(std::string_view text, Take take) {
  bool good = true;
  while (!text.empty()) {
    const RpcLine line(next_line(text));
    if (line.key().empty()) continue;
    if (line.good()) take(line);
    good = good && line.good();
  }
  return good;
}

Found read_rpc(Source& from, std::string_view file, bool (*parse)(std::string_view, Page&), Page& out) {
  const auto text = from.text(from.proc("/1/net/rpc/" + std::string(file)));
  if (!text) return Found::kNothing;
  if (!parse(*text, out)) from.fail();
  return Found::kSomething;
}

}  // namespace

bool parse_nfs_client(std::string_view text, Page& out) {
  static const std::vector<RpcCounter> kNet{{1, "node_nfs_packets_total", {{"protocol", "udp"}}},
                                            {2, "node_nfs_packets_total", {{"protocol", "tcp"}}},
                                            {3, "node_nfs_connections_total"}};
  static const std::vector<RpcCounter> kRpc{{0, "node_nfs_rpcs_total"},
                                            {1, "node_nfs_rpc_retransmissions_total"},
                                            {2, "node_nfs_rpc_authentication_refreshes_total"}};
  constexpr std::string_view kRequests = "node_nfs_requests_total";
  return for_each_rpc_line(text, [&](const RpcLine& line) {
    if (line.key() == "net") line.add(kNet, out);
    if (line.key() == "rpc") line.add(kRpc, out);
    if (line.key() == "proc2") line.add_procedures(kRequests, "2", kProcedures2, 0, out);
    if (line.key() == "proc3") line.add_procedures(kRequests, "3", kProcedures3, 0, out);
    if (line.key() == "proc4") line.add_procedures(kRequests, "4", kClientProcedures4, 0, out);
  });
}

bool parse_nfs_server(std::string_view text, Page& out) {
  static const std::vector<RpcCounter> kCache{{0, "node_nfsd_reply_cache_hits_total"},
                                              {1, "node_nfsd_reply_cache_misses_total"},
                                              {2, "node_nfsd_reply_cache_nocache_total"}};
  static const std::vector<RpcCounter> kHandles{{0, "node_nfsd_file_handles_stale_total"}};
  static const std::vector<RpcCounter> kBytes{{0, "node_nfsd_disk_bytes_read_total"},
                                              {1, "node_nfsd_disk_bytes_written_total"}};
  static const std::vector<RpcCounter> kThreads{{0, "node_nfsd_server_threads", {}, PageKind::kGauge}};
  static const std::vector<RpcCounter> kAhead{
      {0, "node_nfsd_read_ahead_cache_size_blocks", {}, PageKind::kGauge},
      {11, "node_nfsd_read_ahead_cache_not_found_total"}};
  static const std::vector<RpcCounter> kNet{{1, "node_nfsd_packets_total", {{"proto", "udp"}}},
                                            {2, "node_nfsd_packets_total", {{"proto", "tcp"}}},
                                            {3, "node_nfsd_connections_total"}};
  static const std::vector<RpcCounter> kRpc{{0, "node_nfsd_server_rpcs_total"},
                                            {2, "node_nfsd_rpc_errors_total", {{"error", "fmt"}}},
                                            {3, "node_nfsd_rpc_errors_total", {{"error", "auth"}}},
                                            {4, "node_nfsd_rpc_errors_total", {{"error", "cInt"}}}};
  constexpr std::string_view kRequests = "node_nfsd_requests_total";
  return for_each_rpc_line(text, [&](const RpcLine& line) {
    if (line.key() == "rc") line.add(kCache, out);
    if (line.key() == "fh") line.add(kHandles, out);
    if (line.key() == "io") line.add(kBytes, out);
    if (line.key() == "th") line.add(kThreads, out);
    if (line.key() == "ra") line.add(kAhead, out);
    if (line.key() == "net") line.add(kNet, out);
    if (line.key() == "rpc") line.add(kRpc, out);
    if (line.key() == "proc2") line.add_procedures(kRequests, "2", kProcedures2, 1, out);
    if (line.key() == "proc3") line.add_procedures(kRequests, "3", kProcedures3, 1, out);
    if (line.key() == "proc4ops") line.add_procedures(kRequests, "4", kServerOperations4, 0, out);
  });
}

Found read_nfs(Source& from, Page& out) {
  return read_rpc(from, "nfs", parse_nfs_client, out);
}

Found read_nfsd(Source& from, Page& out) {
  return read_rpc(from, "nfsd", parse_nfs_server, out);
}

}  // namespace flowtap::telemetry::node_exporter
