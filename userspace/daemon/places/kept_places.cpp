#include "daemon/places/kept_places.hpp"

#include "component/log_error.hpp"
#include "daemon/places/state_dir.hpp"

namespace flowtap {

void KeptPlaces::keep(ComponentStates& states) {
  tell(states, "node_lock", lock_.keep(), "the node's lock file was removed; it is made and locked again");
  tell(states, "state_dir", make_state_dir(state_dir_), state_dir_ + " was removed; it is made again");
}

void KeptPlaces::tell(ComponentStates& states, const char* name, const Result<bool>& kept,
                      const std::string& mended) {
  if (!kept) {
    states.set(name, std::unexpected(kept.error()), {});
    std::string& told = told_[name];
    if (told != kept.error().what) log_error(Error(kept.error()).in(name));
    told = kept.error().what;
    return;
  }
  if (*kept) log_warning(mended);
  if (told_.erase(name) != 0) states.drop(name);
}

}  // namespace flowtap
