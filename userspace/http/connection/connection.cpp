#include "http/connection/connection.hpp"

namespace flowtap::http {

void Connection::read_some(const Few<boost::asio::mutable_buffer>& buffers, Done done) {
  if (tls_)
    tls_->async_read_some(buffers, std::move(done));
  else
    plain_.async_read_some(buffers, std::move(done));
}

void Connection::write_some(const Few<boost::asio::const_buffer>& buffers, Done done) {
  if (tls_)
    tls_->async_write_some(buffers, std::move(done));
  else
    plain_.async_write_some(buffers, std::move(done));
}

}  // namespace flowtap::http
