#include "explain/diagnosis/attempts/card_places.hpp"

#include <gtest/gtest.h>

#include <string>

namespace flowtap::diagnosis {
namespace {

std::string cards(std::string_view text) {
  std::string out;
  each_card(text, [&](std::string_view card) { out.append(card).append(1, ' '); });
  return out;
}

TEST(CardPlaces, CardsInJson) {
  EXPECT_EQ(cards(R"({"NVIDIA":[{"Idx":3,"UUID":"GPU-3"},{"Idx":2,"UUID":"GPU-2"}]})"), "GPU-3 GPU-2 ");
  EXPECT_EQ(cards(R"({"NVIDIA":[[{"UUID":"GPU-3"}],[],[{"UUID":"GPU-1"}]]})"), "GPU-3 GPU-1 ");
  EXPECT_EQ(
      cards(
          R"({"ID":"n","Node":{"spec":{"id":"not a card"}},"Devices":{"NVIDIA":[{"id":"GPU-1","index":1}]}})"),
      "GPU-1 ");
  EXPECT_EQ(cards(R"({"UUID":7,"id":null})"), "");
}

TEST(CardPlaces, CardsAsGoPrintsThem) {
  EXPECT_EQ(cards("{GPU-1-a 0 10 40960 100 NVIDIA-NVIDIA A100 0 true} {GPU-1-b 1 10 40960 100 NVIDIA-NVIDIA "
                  "A100 1 true}]} "
                  "total=[{GPU-9 0}]"),
            "GPU-1-a GPU-1-b ");
  for (const char* text : {"", "{", "{}", "{ }", "]", "no cards", "{GPU-1"})
    EXPECT_EQ(cards(text), "") << text;
}

TEST(CardPlaces, ACardIsWhereItWasSeenLast) {
  CardPlaces places;
  places.add("n1", R"([{"id":"a"},{"id":"b"}])", "NVIDIA");
  places.add("n1", R"([{"id":"m"}])", "MLU");
  places.add("n2", R"([{"id":"c"}])", "NVIDIA");
  EXPECT_EQ(places.node_of("a"), "n1");
  EXPECT_EQ(places.cards_beside("a"), 2U);
  EXPECT_EQ(places.cards_beside("m"), 1U) << "each vendor's are counted by themselves";
  places.add("n1", R"({"NVIDIA":[[{"UUID":"a"}]]})");
  EXPECT_EQ(places.cards_beside("a"), 2U) << "a pod has got one, which is not all";
  places.add("n2", R"([{"UUID":"b"}])");
  EXPECT_EQ(places.node_of("b"), "n2");
  EXPECT_EQ(places.cards_beside("b"), 0U);
  EXPECT_EQ(places.node_of("x"), "");
  EXPECT_EQ(places.cards_beside("x"), 0U);
}

TEST(CardPlaces, TheyHaveABoundWhateverTheirNamesAre) {
  CardPlaces places;
  for (std::size_t i = 0; i < CardPlaces::kMost; ++i) {
    const std::string number = std::to_string(i);
    places.add(number + std::string(200, 'n'), R"([{"id":")" + number + std::string(200, 'c') + "\"}]", "V");
  }
  EXPECT_LE(places.bytes(), CardPlaces::kMostBytes);
  EXPECT_GT(places.bytes(), CardPlaces::kMostBytes / 2);
  CardPlaces few;
  few.add("n", R"([{"id":")" + std::string(100'000, 'c') + R"("},{"id":"a"}])", "V");
  few.add(std::string(100'000, 'n'), R"([{"id":"b"}])", "V");
  EXPECT_LE(few.bytes(), 1000U);
  EXPECT_EQ(few.node_of("a"), "n");
  EXPECT_EQ(few.node_of("b"), "");
}

}  // namespace
}  // namespace flowtap::diagnosis
