// The backends against real sockets whose other end stops, starts, is slow or is killed: what arrived adds up
// to what was counted.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <thread>

#include "base/file.hpp"
#include "stats/backends/json_lines.hpp"
#include "stats/backends/spectatord.hpp"
#include "stats/backends/statsd.hpp"
#include "stats/outlet.hpp"
#include "tests/support/files/temp_dir.hpp"
#include "tests/support/json_reader.hpp"
#include "tests/support/metrics/snapshots.hpp"
#include "tests/support/net/packets.hpp"
#include "tests/support/net/sockets.hpp"

namespace flowtap::stats {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using namespace test;

constexpr int kSeries = 100;  // enough for some packets a cycle

std::string series_name(int i) {
  return "flowtap_read_errors_total.cause" + std::to_string(i);
}

class Backends : public testing::Test {
 protected:
  SnapshotPtr count() {
    ++n_;
    for (int i = 0; i < kSeries; ++i)
      script_.set(StatId::kREAD_ERRORS, {"cause" + std::to_string(i)},
                  n_ * static_cast<std::uint64_t>(i + 1));
    return script_.next();
  }
  void expect_all(const StatsdModel& model) const {
    for (int i = 0; i < kSeries; ++i)
      EXPECT_EQ(model.count(series_name(i)), static_cast<double>(n_) * (i + 1));
  }

  flowtap::test::TempDir dir_;
  std::string path_ = dir_ / "socket";
  SnapshotScript script_;
  std::uint64_t n_ = 0;
};

TEST_F(Backends, StatsdOverUnixDatagramsMissesNothing) {
  StatsdModel model;
  const auto take = [&](const std::string& packet) { model.packet(packet); };
  Statsd backend({}, std::make_unique<DatagramSocket>(Address{AddressKind::kUnixDatagram, {}, 0, path_}));
  EXPECT_FALSE(backend.publish(count()));  // nobody is there yet
  EXPECT_FALSE(backend.health().up);
  EXPECT_EQ(backend.health().pending, static_cast<std::uint64_t>(kSeries));
  for (int life = 0; life < 10; ++life) {
    PacketReceiver receiver(bind_unix(SOCK_DGRAM, path_), take);
    for (int i = 0; i < 5; ++i) {
      EXPECT_TRUE(backend.publish(count()));
      receiver.drain();
    }
    EXPECT_EQ(backend.health().pending, 0U);
    expect_all(model);
    receiver.stop();
    const bool away_for_a_cycle = life % 2 == 0;  // else it is back before the next one
    EXPECT_FALSE(away_for_a_cycle && backend.publish(count()));
  }
  PacketReceiver last(bind_unix(SOCK_DGRAM, path_), take);
  EXPECT_TRUE(backend.publish(count()));
  last.drain();
  expect_all(model);
  EXPECT_EQ(backend.health().lost, 0U);
}

TEST_F(Backends, StatsdWaitsForAReceiverThatIsSlow) {
  StatsdModel model;
  Statsd backend({}, std::make_unique<DatagramSocket>(Address{AddressKind::kUnixDatagram, {}, 0, path_},
                                                      milliseconds(0)));
  PacketReceiver receiver(bind_unix(SOCK_DGRAM, path_),
                          [&](const std::string& packet) { model.packet(packet); });
  bool full = false;
  for (int i = 0; i < 2000 && !full; ++i) full = !backend.publish(count());
  EXPECT_TRUE(full);  // its queue is full
  EXPECT_GT(backend.health().pending, 0U);
  while (!backend.publish(count())) receiver.drain();
  receiver.drain();
  expect_all(model);
}

/// Counts what the socket accepted.
class Accepted : public DatagramSocket {
 public:
  Accepted(Address address, StatsdModel& model, int& packets)
      : DatagramSocket(std::move(address)), model_(model), packets_(packets) {}
  Sent send(std::string_view packet) override {
    const Sent sent = DatagramSocket::send(packet);
    if (sent == Sent::kAccepted) {
      model_.packet(packet);
      ++packets_;
    }
    return sent;
  }

 private:
  StatsdModel& model_;
  int& packets_;
};

TEST_F(Backends, StatsdOverUdpKeepsWhatTheSocketRefused) {
  StatsdModel accepted;
  StatsdModel received;
  int packets = 0;
  const auto take = [&](const std::string& packet) { received.packet(packet); };
  Fd first = bind_inet(SOCK_DGRAM, 0);
  const int port = port_of(first);
  PacketReceiver receiver(std::move(first), take);
  Statsd backend({}, std::make_unique<Accepted>(
                         Address{AddressKind::kUdp, "127.0.0.1", static_cast<std::uint16_t>(port), {}},
                         accepted, packets));
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(backend.publish(count()));
    receiver.drain();
  }
  expect_all(received);
  receiver.stop();
  packets = 0;
  for (int i = 0; i < 20; ++i) EXPECT_FALSE(backend.publish(count()));
  EXPECT_LE(packets, 1);  // the one that found out; the probes risk nothing
  PacketReceiver again(bind_inet(SOCK_DGRAM, port), take);
  for (int i = 0; i < 5; ++i) {
    EXPECT_TRUE(backend.publish(count()));
    again.drain();
  }
  expect_all(accepted);
  double missing = 0;
  for (int i = 0; i < kSeries; ++i)
    missing += accepted.count(series_name(i)) - received.count(series_name(i)) > 0 ? 1 : 0;
  EXPECT_LT(missing, kSeries);  // one packet's worth at most
}

TEST_F(Backends, DeltasAddUpWhileTheReceiverComesAndGoes) {
  StatsdModel model;
  std::atomic<bool> counting{true};
  std::jthread receiver([&] {
    const auto take = [&](const std::string& packet) { model.packet(packet); };
    while (counting) {
      PacketReceiver it(bind_unix(SOCK_DGRAM, path_), take);
      for (int reads = 0; reads < 200; ++reads) {
        it.drain();
        std::this_thread::yield();
      }
      it.stop();
    }
  });
  Outlet outlet(std::make_unique<Statsd>(StatsdOptions{}, std::make_unique<DatagramSocket>(Address{
                                                              AddressKind::kUnixDatagram, {}, 0, path_})),
                milliseconds(1));
  for (int i = 0; i < 2000; ++i) {
    outlet.offer(count());
    if (i % 10 == 0) std::this_thread::sleep_for(milliseconds(1));
  }
  counting = false;
  receiver.join();
  PacketReceiver last(bind_unix(SOCK_DGRAM, path_), [&](const std::string& packet) { model.packet(packet); });
  outlet.begin_stop();
  while (!outlet.stop(milliseconds(5))) last.drain();
  last.drain();
  expect_all(model);
  EXPECT_EQ(outlet.health().lost, 0U);
}

/// What a process that gets killed has counted, as seen from outside.
struct Counted {
  std::atomic<std::uint64_t> begun;      // set before the publish()
  std::atomic<std::uint64_t> published;  // set after it
};

[[noreturn]] void count_until_killed(const std::string& socket, const std::string& base, Counted* counted,
                                     std::uint64_t step, int cycles) {
  Spectatord backend(
      {.prefix = "", .base_file = base, .settle = seconds(11)},
      std::make_unique<DatagramSocket>(Address{AddressKind::kUnixDatagram, {}, 0, socket}, seconds(5)));
  SnapshotScript script;
  std::uint64_t total = 0;
  for (int i = 0; i < cycles; ++i) {
    total += step;
    counted->begun = total;
    script.dispatched(StatId::kWSYNC, total);
    (void)backend.publish(script.next());
    counted->published = total;
  }
  ::_exit(0);
}

TEST_F(Backends, SpectatordSurvivesKills) {
  const std::string name = "dispatched_tasks_total,scheduler=kernel,type=wsync";
  const std::string base = dir_ / "spectatord.base";
  SpectatordModel model(false);  // such a model would report a roll-over
  int packets = 0;
  PacketReceiver receiver(bind_unix(SOCK_DGRAM, path_), [&](const std::string& packet) {
    model.packet(packet);
    if (++packets % 5 == 0) model.flush();  // one packet is a second, and a flush comes each five
  });
  void* shared = ::mmap(nullptr, sizeof(Counted), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  auto* counted = new (shared) Counted{};
  std::uint64_t begun = 0;
  std::uint64_t published = 0;
  const auto run = [&](std::uint64_t step, int cycles, int kill_after) {
    counted->begun = counted->published = 0;
    const pid_t child = ::fork();
    if (child == 0) count_until_killed(path_, base, counted, step, cycles);
    const int before = packets;
    while (packets < before + kill_after && ::waitpid(child, nullptr, WNOHANG) == 0) receiver.drain();
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    receiver.drain();
    begun += counted->begun;
    published += counted->published;
  };
  for (const int kill_after : {20, 33, 5, 1, 47, 28}) run(7, 1'000'000, kill_after);
  run(0, 40, 1000);
  model.flush();
  model.flush();
  const std::uint64_t written = read_base(base).value().at("U:" + name + ":");
  EXPECT_EQ(model.reported(name), written);
  EXPECT_GE(written, published);
  EXPECT_LE(written, begun);
  EXPECT_GT(published, 0U);
  ::munmap(shared, sizeof(Counted));
}

class Streams : public Backends, public testing::WithParamInterface<AddressKind> {
 protected:
  Fd listen() {
    if (GetParam() == AddressKind::kUnixStream) return bind_unix(SOCK_STREAM, path_);
    Fd fd = bind_inet(SOCK_STREAM, port_);
    port_ = port_of(fd);
    return fd;
  }
  [[nodiscard]] Address address() const {
    if (GetParam() == AddressKind::kUnixStream) return {AddressKind::kUnixStream, {}, 0, path_};
    return {AddressKind::kTcp, "127.0.0.1", static_cast<std::uint16_t>(port_), {}};
  }
  void expect_sum(const JsonReader& reader) const {
    EXPECT_EQ(reader.gaps, 0);
    for (int i = 0; i < kSeries; ++i)
      EXPECT_EQ(reader.sum("flowtap_read_errors_total,cause" + std::to_string(i)),
                n_ * static_cast<std::uint64_t>(i + 1));
  }
  /// Publishes and reads until all has arrived.
  void settle(JsonLines& backend, StreamReceiver& receiver, JsonReader& reader) {
    const SnapshotPtr last = count();
    const auto arrived = [&] {
      return reader.sum("flowtap_read_errors_total,cause0") == n_ && backend.health().pending == 0;
    };
    for (int i = 0; i < 1000 && !arrived(); ++i) {
      (void)backend.publish(last);
      std::this_thread::sleep_for(milliseconds(1));
      receiver.read();
      if (backend.health().pending == 0) receiver.disconnect();
    }
    EXPECT_TRUE(arrived());
  }

  int port_ = 0;
};

TEST_P(Streams, ReceiversThatComeAndGoMissNothing) {
  JsonReader reader;
  auto receiver =
      std::make_unique<StreamReceiver>(listen(), [&](const std::string& b) { reader.connection(b); });
  JsonLines backend(address(), {.max_lines = 500, .patience = milliseconds(0)});
  for (int i = 0; i < 200; ++i) {
    (void)backend.publish(count());
    switch (i % 10) {
      case 2:
        receiver->read(5000);
        break;  // in the middle of a line
      case 4:
        receiver->disconnect();
        break;  // with much unread
      case 6:
        receiver->read();
        break;
      case 7:
        receiver.reset();
        break;  // gone altogether
      case 9:
        receiver =
            std::make_unique<StreamReceiver>(listen(), [&](const std::string& b) { reader.connection(b); });
        break;
      default:
        break;
    }
  }
  settle(backend, *receiver, reader);
  expect_sum(reader);
  EXPECT_EQ(backend.health().lost, 0U);
}

TEST_P(Streams, AReceiverThatDoesNotReadGetsTheRestInOneLine) {
  JsonReader reader;
  StreamReceiver receiver(listen(), [&](const std::string& b) { reader.connection(b); });
  JsonLines backend(address(), {.max_lines = 50, .patience = milliseconds(0)});
  for (int i = 0; i < 2000; ++i) (void)backend.publish(count());
  EXPECT_FALSE(backend.health().up);
  EXPECT_GT(backend.health().lost, 0U);  // lines, not counts
  settle(backend, receiver, reader);
  expect_sum(reader);
  EXPECT_LT(reader.lines, 2000);
}

/// Waits until our end of a TCP connection to this port knows that the other one has closed (CLOSE_WAIT).
void await_close_wait(int port) {
  const std::string closed = fmt::format(":{:04X} 08 ", port);
  while (read_file("/proc/net/tcp").value().find(closed) == std::string::npos) std::this_thread::yield();
}

TEST_P(Streams, AnOrderlyEndIsNoticedBeforeTheNextLine) {
  JsonReader reader;
  StreamReceiver receiver(listen(), [&](const std::string& b) { reader.connection(b); });
  JsonLines backend(address(), {});
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(backend.publish(count()));
    // One publish() is enough: the line is not spent on the old connection.
    for (const int before = reader.lines; reader.lines == before; receiver.disconnect())
      while (!receiver.has_line()) receiver.read();
    if (GetParam() == AddressKind::kTcp) await_close_wait(port_);
  }
  EXPECT_EQ(reader.doubles, 0);
  EXPECT_EQ(reader.lines, 20);
  expect_sum(reader);
}

INSTANTIATE_TEST_SUITE_P(Ends, Streams, testing::Values(AddressKind::kUnixStream, AddressKind::kTcp),
                         [](const auto& ends) {
                           return ends.param == AddressKind::kTcp ? "Tcp" : "UnixStream";
                         });

TEST_F(Backends, DeadAndSlowReceiversHinderNobody) {
  // There are a listener that accepts nothing, a datagram socket that reads nothing, a FIFO without a reader, and nobody at all.
  const Fd deaf = bind_inet(SOCK_STREAM, 0);
  ASSERT_EQ(::listen(deaf.get(), 1), 0);
  const std::string full = dir_ / "full";
  const Fd never_read = bind_unix(SOCK_DGRAM, full);
  ASSERT_EQ(::mkfifo((dir_ / "fifo").c_str(), 0600), 0);
  const auto packets = [](const std::string& path) {
    return std::make_unique<DatagramSocket>(Address{AddressKind::kUnixDatagram, {}, 0, path});
  };
  std::vector<std::unique_ptr<Outlet>> outlets;
  const auto add = [&](std::unique_ptr<Backend> backend) {
    outlets.push_back(std::make_unique<Outlet>(std::move(backend)));
  };
  for (int i = 0; i < 3; ++i)
    add(std::make_unique<JsonLines>(
        Address{AddressKind::kTcp, "127.0.0.1", static_cast<std::uint16_t>(port_of(deaf)), {}},
        LineStreamOptions{.max_lines = 5}));
  add(std::make_unique<JsonLines>(Address{AddressKind::kFile, {}, 0, dir_ / "fifo"}, LineStreamOptions{}));
  for (int i = 0; i < 3; ++i) add(std::make_unique<Statsd>(StatsdOptions{}, packets(full)));
  add(std::make_unique<Statsd>(StatsdOptions{}, packets(dir_ / "nobody")));
  add(std::make_unique<Spectatord>(SpectatordOptions{}, packets(dir_ / "nobody")));
  StatsdModel model;
  PacketReceiver receiver(bind_unix(SOCK_DGRAM, path_),
                          [&](const std::string& packet) { model.packet(packet); });
  add(std::make_unique<Statsd>(StatsdOptions{}, packets(path_)));
  for (int i = 0; i < 500; ++i) {
    const SnapshotPtr snapshot = count();
    for (const auto& outlet : outlets) outlet->offer(snapshot);
    receiver.drain();
  }
  while (model.count(series_name(0)) < static_cast<double>(n_))
    receiver.drain();  // while the others still hang
  expect_all(model);
  while (outlets[7]->health().up || outlets[8]->health().up) std::this_thread::yield();
  EXPECT_TRUE(outlets.back()->health().up);
  for (const auto& outlet : outlets) outlet->begin_stop();
  for (const auto& outlet : outlets) EXPECT_TRUE(outlet->stop(seconds(10))) << outlet->name();
}

}  // namespace
}  // namespace flowtap::stats
