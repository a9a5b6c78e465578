// Kernel images: round trips and refusal of malformed bytes.

#include "runtime/format/image.h"
#include "test/unit/catch.h"
#include "test/unit/mutate.h"

using namespace sectile;
using sectile::test::damaged;
using namespace sectile::format;

namespace {

Image sample() {
  Image image;
  image.symbol = "vector_add";
  image.target = "cpu:x86-64-v3";
  image.parameters = {{true, true, ScalarType::f32, 2}, {true, false, ScalarType::bf16, 5}, {false, false, ScalarType::i64, 0}};
  image.recipe.extents = {{{RecipeOp::slot, 1}, {RecipeOp::constant, 128}, {RecipeOp::ceildiv}}, {{RecipeOp::constant, -1}}};
  image.recipe.checks = {{{{RecipeOp::slot, 3}}, "the stride is positive"}};
  image.recipe.in_order = true;
  image.arena_bytes = 123456789012;
  image.sites = {{Site::Kind::print, "x =", {{ScalarType::f16, {}}, {ScalarType::boolean, {4, 7}}}, "k.cpp:3:5"}, {Site::Kind::assertion, "n > 0", {}, ""}};
  for (int i = 0; i < 300; ++i) image.code.push_back(static_cast<std::uint8_t>(i * 7));
  return image;
}

}  // namespace

TEST_CASE("an image survives its bytes") {
  auto bytes = serialize(sample());
  ParsedImage read = parse_image(bytes);
  REQUIRE(read.error.empty());
  CHECK(read.image == sample());
  CHECK(serialize(read.image) == bytes);
  CHECK(parse_image(serialize(Image{})).image == Image{});
}

TEST_CASE("every truncation of an image is refused, and bytes behind its end") {
  auto bytes = serialize(sample());
  for (std::size_t size = 0; size < bytes.size(); ++size) CHECK_FALSE(parse_image(std::span(bytes).first(size)).error.empty());
  bytes.push_back(0);
  CHECK_FALSE(parse_image(bytes).error.empty());
}

TEST_CASE("damaged images never crash") {
  std::mt19937_64 random(42);
  auto bytes = serialize(sample());
  for (int round = 0; round < 100000; ++round) {
    ParsedImage read = parse_image(damaged(bytes, random));
    if (!read.error.empty()) CHECK(read.image == Image{});
  }
}
