#include "telemetry/devices/card_vendor.hpp"

namespace flowtap::telemetry {
namespace {

class Card final : public Device {
 public:
  Card(const CardKind& kind, DrmCard card, DrmClients& clients)
      : kind_(kind), card_(std::move(card)), clients_(clients) {
    identity_ = {.vendor = kind_.vendor,
                 .device = card_.address,
                 .uuid = kind_.uuid(card_),
                 .model = card_.model_id,
                 .driver = card_.driver,
                 .index = {},
                 .node = "dri/" + card_.card.substr(card_.card.rfind('/') + 1)};
  }

  [[nodiscard]] const DeviceIdentity& identity() const override { return identity_; }
  [[nodiscard]] DeviceValues read(DeviceClock::time_point now, std::uint64_t& unread) override {
    DeviceValues out;
    if (!is_suspended(card_)) {
      read_card_sensors(card_, out, unread);
      kind_.read(card_, out, unread);
    }
    out.processes = clients_.of(card_.address, now, unread);
    return out;
  }

 private:
  CardKind kind_;
  DrmCard card_;
  DrmClients& clients_;
  DeviceIdentity identity_;
};

}  // namespace

std::vector<Device*> CardVendor::devices(DeviceClock::time_point /*now*/, std::uint64_t& unread) {
  cards_.clear();
  std::vector<Device*> all;
  for (DrmCard& card : drm_cards(sysfs_, kind_.pci_id, unread)) {
    cards_.push_back(std::make_unique<Card>(kind_, std::move(card), clients_));
    all.push_back(cards_.back().get());
  }
  return all;
}

}  // namespace flowtap::telemetry
