// Texts of file systems' statistics. All of them take any bytes; false: a line was not understood.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "stats/compat/page.hpp"

namespace flowtap::telemetry::node_exporter {

/// /sys/fs/xfs/DEVICE/stats/stats: "extent_alloc 1 2 3 4".
bool parse_xfs_stats(std::string_view text, const std::string& device, stats::compat::Page& out);

/// /proc/spl/kstat/zfs: two lines of headings, and then "name type data". `prefix`: of the metric's name.
bool parse_zfs_kstat(std::string_view text, std::string_view prefix, stats::compat::Page& out);

/// A pool's objset-0xNN, which names its dataset.
bool parse_zfs_objset(std::string_view text, const std::string& pool, stats::compat::Page& out);

/// A pool's io: a line of names and a line of numbers.
bool parse_zfs_pool_io(std::string_view text, const std::string& pool, stats::compat::Page& out);

/// /proc/net/rpc/nfs: "proc3 22 1 2 ...".
bool parse_nfs_client(std::string_view text, stats::compat::Page& out);

/// /proc/net/rpc/nfsd.
bool parse_nfs_server(std::string_view text, stats::compat::Page& out);

/// A number as bcache writes it: "1234", "1.3k", "-5M", in powers of 1024.
[[nodiscard]] std::optional<double> bcache_number(std::string_view text);

/// A backing device's writeback_rate_debug: "rate: 1.1M/sec".
bool parse_bcache_writeback(std::string_view text, const stats::compat::LabelPairs& labels,
                            stats::compat::Page& out);

}  // namespace flowtap::telemetry::node_exporter
