#include "http/outbound/resolving.hpp"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "base/printable.hpp"
#include "base/threads/signals_blocked.hpp"

namespace flowtap::http {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kMostAddresses = 16;

Result<Addresses> addresses_of(const Result<std::vector<std::string>>& texts) {
  if (!texts) return std::unexpected(texts.error());
  Addresses all;
  for (const std::string& text : *texts) {
    boost::system::error_code error;
    const auto address = asio::ip::make_address(text, error);
    if (!error && all.size() < kMostAddresses) all.push_back(address);
  }
  if (all.empty()) return fail("its name has no address");
  return all;
}

}  // namespace

Result<std::vector<std::string>> system_addresses(const std::string& host) {
  addrinfo wanted{};
  wanted.ai_family = AF_UNSPEC;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_ADDRCONFIG;
  addrinfo* found = nullptr;
  const int failed = ::getaddrinfo(host.c_str(), nullptr, &wanted, &found);
  if (failed == EAI_SYSTEM) return fail_errno(errno, "cannot find an address for " + in_quotes(host));
  if (failed != 0)
    return fail("cannot find an address for " + in_quotes(host) + ": " + ::gai_strerror(failed),
                "is the name right, and does this node's DNS know it?");
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(found, &::freeaddrinfo);
  std::vector<std::string> all;
  for (; found != nullptr; found = found->ai_next) {
    std::array<char, NI_MAXHOST> text{};
    if (::getnameinfo(found->ai_addr, found->ai_addrlen, text.data(), text.size(), nullptr, 0,
                      NI_NUMERICHOST) == 0)
      all.emplace_back(text.data());
  }
  return all;
}

/// One question, in a thread that ends when it is answered. getaddrinfo(3) cannot be interrupted, and Asio's own resolver makes the end
/// of its loop wait for it.
struct Resolving::Lookup {
  explicit Lookup(std::string name) : host(std::move(name)) {}

  void run(const Resolve& resolve) noexcept {
    std::optional<Result<std::vector<std::string>>> result;
    try {
      result = resolve(host);
    } catch (const std::exception&) {
      result = std::unexpected(Error{"no memory to find its address", {}, ENOMEM});
    }
    std::vector<std::function<void()>> to_wake;
    {
      const std::scoped_lock lock(mutex);
      found = std::move(result);
      to_wake.swap(waiting);
    }
    for (const auto& wake : to_wake) wake();
  }

  const std::string host;
  std::mutex mutex;
  std::optional<Result<std::vector<std::string>>> found;
  std::vector<std::function<void()>> waiting;
};

Result<std::shared_ptr<Resolving::Lookup>> Resolving::begun(const std::string& host) {
  if (last_ && last_->host == host) {
    const std::scoped_lock lock(last_->mutex);
    if (!last_->found) return last_;
  }
  auto next = std::make_shared<Lookup>(host);
  try {
    const SignalsBlocked blocked;
    std::thread([next, resolve = resolve_] { next->run(resolve); }).detach();
  } catch (const std::system_error& error) {
    return fail_errno(error.code().value(), "cannot start a thread to find its address");
  }
  last_ = next;
  return next;
}

asio::awaitable<Result<Addresses>> Resolving::addresses(std::string host, Patience patience) {
  boost::system::error_code is_name;
  const auto literal = asio::ip::make_address(host, is_name);
  if (!is_name) co_return Addresses{literal};
  const auto lookup = begun(host);
  if (!lookup) co_return std::unexpected(lookup.error());
  // The waker may outlive this wait, so the timer is shared.
  const auto sleep = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor);
  const Closing::Listener at_the_end(closing_, [sleep] { sleep->cancel(); });
  bool is_found = false;
  {
    const std::scoped_lock lock((*lookup)->mutex);
    is_found = (*lookup)->found.has_value();
    if (!is_found)
      (*lookup)->waiting.push_back(waker_.wake_by([weak = std::weak_ptr(sleep)] {
        if (const auto timer = weak.lock()) timer->cancel();
      }));
  }
  if (!is_found && !closing_.begun()) {
    sleep->expires_at(patience.end);
    co_await sleep->async_wait(kAwait);
  }
  const std::scoped_lock lock((*lookup)->mutex);
  if ((*lookup)->found) co_return addresses_of(*(*lookup)->found);
  co_return std::unexpected(patience.error("no address for " + in_quotes(host)));
}

}  // namespace flowtap::http
