// What a scheduler says about a node's NUMA cells, and which of them do not fit a container that has no place there.
#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "explain/diagnosis/attempts/attempt.hpp"
#include "explain/diagnosis/number.hpp"

namespace flowtap::diagnosis {
namespace {

constexpr auto kAll = [](const auto& /*cell*/) { return true; };

}  // namespace

template <typename Which>
void Attempt::forget_cells(Place& place, Which which) {
  bytes_ -= sizeof(Cell) * std::erase_if(place.cells, [&](const Cell& cell) {
              if (!which(cell)) return false;
              for (const SharedText* text : {&cell.resource, &cell.available, &cell.requested})
                shared_ -= text->view().size();
              return true;
            });
}

Attempt::Place* Attempt::place(Node& node, std::string_view container) {
  const auto found = std::ranges::find(node.places, container, &Place::container);
  if (found != node.places.end()) return &*found;
  if (node.places.size() >= kMostContainers || !has_room(sizeof(Place) + container.size())) return nullptr;
  bytes_ += sizeof(Place) + container.size();
  Place& place = node.places.emplace_back();
  place.container = container;
  return &place;
}

void Attempt::note_cell(const Fact& fact, bool fits, SharedTexts& texts) {
  const auto cell = number<std::size_t>(fact[Field::kCell]);
  const std::string_view resource = fact[Field::kResource];
  if (!cell || *cell >= kMostCells || resource.empty()) return;
  Node* found = node(fact[Field::kNode]);
  Place* place = found != nullptr ? this->place(*found, fact[Field::kContainer]) : nullptr;
  if (place == nullptr) return;
  // Cells that are named after a verdict belong to another try.
  if (std::exchange(place->settled, false)) forget_cells(*place, kAll);
  place->known |= std::uint64_t{1} << *cell;
  Cell* said = this->cell(*place, static_cast<std::uint8_t>(*cell), resource, texts);
  if (said == nullptr) return;
  said->fits = fits;
  keep(said->available, fact[Field::kAvailable], texts);
  keep(said->requested, fact[Field::kRequested], texts);
}

Attempt::Cell* Attempt::cell(Place& place, std::uint8_t number, std::string_view resource,
                             SharedTexts& texts) {
  for (Cell& cell : place.cells)
    if (cell.number == number && cell.resource.view() == resource) return &cell;
  if (place.cells.size() >= kMostCellResources || !has_room(sizeof(Cell))) return nullptr;
  Cell cell;
  keep(cell.resource, resource, texts);
  if (cell.resource.empty()) return nullptr;
  cell.number = number;
  bytes_ += sizeof(Cell);
  return &place.cells.emplace_back(std::move(cell));
}

// The node as a whole has the resource, so it is no reason that no cell has any.
void Attempt::spare_cells(const Fact& fact) {
  Node* found = node(fact[Field::kNode]);
  if (found == nullptr) return;
  const auto place = std::ranges::find(found->places, fact[Field::kContainer], &Place::container);
  if (place == found->places.end()) return;
  forget_cells(*place, [&](const Cell& cell) { return cell.resource.view() == fact[Field::kResource]; });
}

// After the verdict only the cells that do not fit are kept. Up to 2024 only the cells that fit are named, and the verdict
// names the resource: each other cell of the node does not fit for a resource that was tried and for which it is not named.
void Attempt::settle_cells(Node& node, Place& place, const Fact& fact, SharedTexts& texts) {
  const bool was_settled = std::exchange(place.settled, true);
  if (place.verdict != Verdict::kFailed || fact.kind == FactKind::kNodeLacks)
    return forget_cells(place, kAll);
  if (was_settled) return;
  if (!fact[Field::kResource].empty() && std::ranges::all_of(place.cells, &Cell::fits)) {
    std::uint64_t known = 0;
    for (const Place& one : node.places) known |= one.known;
    std::set<std::string, std::less<>> tried{std::string(fact[Field::kResource])};
    for (const Cell& cell : place.cells) tried.emplace(cell.resource.view());
    for (const std::string& resource : tried)
      for (std::uint8_t i = 0; i < kMostCells; ++i)
        if ((known >> i & 1U) != 0) cell(place, i, resource, texts);
  }
  forget_cells(place, [](const Cell& cell) { return cell.fits; });
}

bool Attempt::has_place(const Node& node) {
  return std::ranges::any_of(node.places, [](const Place& place) { return place.verdict != Verdict::kNone; });
}

bool Attempt::fails_by_cells(const Node& node) {
  return std::ranges::any_of(node.places,
                             [](const Place& place) { return place.verdict == Verdict::kFailed; });
}

// The node fails by its cells, and none of them is known.
bool Attempt::lacks_cells_of(const Node& node) {
  return std::ranges::any_of(node.places, [](const Place& place) {
    return place.verdict == Verdict::kFailed && !place.of_node && place.cells.empty();
  });
}

std::vector<CellVerdict> Attempt::cells_of(const Place& place) {
  std::vector<CellVerdict> out;
  if (!place.settled) return out;
  out.reserve(place.cells.size());
  for (const Cell& cell : place.cells)
    out.push_back({cell.number, std::string(cell.resource.view()), std::string(cell.available.view()),
                   std::string(cell.requested.view())});
  std::ranges::sort(out, {}, [](const CellVerdict& cell) { return std::tie(cell.cell, cell.resource); });
  return out;
}

}  // namespace flowtap::diagnosis
