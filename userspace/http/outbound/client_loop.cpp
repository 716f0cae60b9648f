#include "http/outbound/client_loop.hpp"

#include <boost/asio/post.hpp>

namespace flowtap::http {

void ClientLoop::Impl::run() {
  if (stopped_ && !closing_.begun()) closing_.begin();
  io_.restart();
  io_.run();
}

void ClientLoop::Impl::stop() {
  if (stopped_.exchange(true)) return;
  // A loop that does not run sees it when it does.
  waker_.wake_by([this] {
    if (!closing_.begun()) closing_.begin();
  })();
}

ClientLoop::ClientLoop() : impl_(std::make_unique<Impl>()) {}
ClientLoop::~ClientLoop() = default;

void ClientLoop::run() {
  impl_->run();
}

void ClientLoop::stop() {
  impl_->stop();
}

}  // namespace flowtap::http
