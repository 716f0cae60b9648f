#include "kernel/ring_reader.hpp"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>

#include "base/node/kernel_release.hpp"
#include "kernel/ring_walk.hpp"

namespace flowtap::kernel {
namespace {

Status watch(int epoll, int fd, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) != 0)
    return fail_errno(errno, "cannot wait for the ring");
  return {};
}

}  // namespace

Result<std::unique_ptr<RingReader>> RingReader::open(int map_fd) {
  bpf_map_info info{};
  __u32 size = sizeof(info);
  if (bpf_map_get_info_by_fd(map_fd, &info, &size) != 0)
    return fail_errno(errno, "cannot ask for the ring's size");
  if (info.type != BPF_MAP_TYPE_RINGBUF)
    return fail("the map '" + std::string(info.name) + "' is not a ring buffer");
  // Map ids begin anew at each boot.
  FTAP_TRY_ASSIGN(boot, boot_id());

  std::unique_ptr<RingReader> reader(new RingReader);
  reader->id_ = boot + "/" + std::to_string(info.id);
  reader->page_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* consumer = ::mmap(nullptr, reader->page_, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
  if (consumer == MAP_FAILED) return fail_errno(errno, "cannot map the ring's position");
  reader->consumer_ = static_cast<std::byte*>(consumer);
  const std::size_t twice = 2 * std::size_t{info.max_entries};
  void* producer = ::mmap(nullptr, reader->page_ + twice, PROT_READ, MAP_SHARED, map_fd,
                          static_cast<off_t>(reader->page_));
  if (producer == MAP_FAILED) return fail_errno(errno, "cannot map the ring");
  reader->producer_ = static_cast<const std::byte*>(producer);
  reader->data_ = {reader->producer_ + reader->page_, twice};

  reader->ring_ = Fd(::fcntl(map_fd, F_DUPFD_CLOEXEC, 0));
  FTAP_TRY_ASSIGN(interrupt, EventFd::create());
  reader->interrupt_ = std::move(interrupt);
  reader->epoll_ = Fd(::epoll_create1(EPOLL_CLOEXEC));
  if (!reader->ring_.valid() || !reader->epoll_.valid()) return fail_errno(errno, "cannot wait for the ring");
  // Edge-triggered: only wake-ups of the kernel count. A ring that holds something is no reason to look before the
  // time.
  FTAP_TRY(watch(reader->epoll_.get(), reader->ring_.get(), EPOLLIN | EPOLLET));
  FTAP_TRY(watch(reader->epoll_.get(), reader->interrupt_.get(), EPOLLIN));
  return reader;
}

RingReader::~RingReader() {
  if (consumer_ != nullptr) ::munmap(consumer_, page_);
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): munmap takes no const
  if (producer_ != nullptr) ::munmap(const_cast<std::byte*>(producer_), page_ + data_.size());
}

std::uint64_t RingReader::produced() const {
  return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(producer_), __ATOMIC_SEQ_CST);
}

flow::RingPosition RingReader::position() const {
  return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(consumer_), __ATOMIC_RELAXED);
}

std::uint64_t RingReader::backlog() const {
  return produced() - position();
}

Result<flow::RingPosition> RingReader::drain(std::size_t limit,
                                             const std::function<void(std::span<const std::byte>)>& take) {
  return walk_ring(data_, position(), produced(), limit, take);
}

Result<flow::RingPosition> RingReader::look_ahead(
    flow::RingPosition from, const std::function<void(std::span<const std::byte>)>& take) const {
  return walk_ring(data_, from, produced(), SIZE_MAX, take);
}

void RingReader::commit(flow::RingPosition position) {
  if (position - this->position() > backlog()) return;
  // The kernel wakes us if it sees that we had read everything before its record. It looks at our position after it
  // moved its own, so we must look at its position after we moved ours: this store and the load in produced() are in
  // one order.
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(consumer_), position, __ATOMIC_SEQ_CST);
}

bool RingReader::wait(std::chrono::milliseconds longest) {
  std::array<epoll_event, 2> events{};
  const int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()),
                             static_cast<int>(longest.count()));
  for (int i = 0; i < n; ++i)
    if (events.at(static_cast<std::size_t>(i)).data.fd == interrupt_.get()) interrupt_.take();
  return true;
}

void RingReader::interrupt() {
  interrupt_.tell();
}

}  // namespace flowtap::kernel
