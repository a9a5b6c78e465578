// Bytes of a kernel image: magic, version, fields in order (see byte_stream.h).

#include "runtime/format/image.h"

#include "trace/byte_stream.h"

namespace sectile::format {
namespace {

constexpr std::uint64_t image_magic = 0x53454354;  // "SECT"
constexpr std::uint64_t image_version = 1;

void write(ByteWriter& out, const Expression& expression) {
  out.number(expression.size());
  for (const RecipeStep& step : expression) {
    out.byte(static_cast<std::uint8_t>(step.op));
    out.signed_number(step.value);
  }
}

Expression read_expression(ByteReader& in) {
  Expression expression;
  std::size_t steps = in.count();
  for (std::size_t i = 0; i < steps && in.ok(); ++i) {
    std::uint8_t op = in.byte();
    if (op > static_cast<std::uint8_t>(RecipeOp::select)) in.fail();
    expression.push_back({static_cast<RecipeOp>(op), in.signed_number()});
  }
  return expression;
}

ScalarType read_scalar_type(ByteReader& in) {
  std::uint8_t type = in.byte();
  if (type >= scalar_type_count) in.fail();
  return static_cast<ScalarType>(type < scalar_type_count ? type : 0);
}

void write(ByteWriter& out, const Site& site) {
  out.byte(static_cast<std::uint8_t>(site.kind));
  out.text(site.text);
  out.text(site.location);
  out.number(site.values.size());
  for (const Site::Value& value : site.values) {
    out.byte(static_cast<std::uint8_t>(value.type));
    out.number(value.shape.size());
    for (std::int64_t size : value.shape) out.signed_number(size);
  }
}

Site read_site(ByteReader& in) {
  Site site;
  std::uint8_t kind = in.byte();
  if (kind > 1) in.fail();
  site.kind = static_cast<Site::Kind>(kind & 1);
  site.text = in.text();
  site.location = in.text();
  std::size_t values = in.count();
  for (std::size_t i = 0; i < values && in.ok(); ++i) {
    Site::Value& value = site.values.emplace_back();
    value.type = read_scalar_type(in);
    value.shape.resize(in.count());
    std::int64_t elements = 1;
    for (std::int64_t& size : value.shape) {
      size = in.signed_number();
      if (size < 1 || __builtin_mul_overflow(elements, size, &elements)) in.fail();
    }
  }
  return site;
}

}  // namespace

std::vector<std::uint8_t> serialize(const Image& image) {
  ByteWriter out;
  out.number(image_magic);
  out.number(image_version);
  out.text(image.symbol);
  out.text(image.target);
  out.number(image.parameters.size());
  for (const Parameter& parameter : image.parameters) {
    out.byte(parameter.is_view);
    out.byte(parameter.readonly);
    out.byte(static_cast<std::uint8_t>(parameter.element));
    out.byte(parameter.rank);
  }
  out.number(image.recipe.extents.size());
  for (const Expression& extent : image.recipe.extents) write(out, extent);
  out.number(image.recipe.checks.size());
  for (const Check& check : image.recipe.checks) {
    write(out, check.expression);
    out.text(check.message);
  }
  out.byte(image.recipe.in_order);
  out.number(image.arena_bytes);
  out.number(image.sites.size());
  for (const Site& site : image.sites) write(out, site);
  out.blob(image.code);
  return out.take();
}

ParsedImage parse_image(std::span<const std::uint8_t> bytes) {
  ParsedImage result;
  ByteReader in(bytes);
  Image& image = result.image;
  if (in.number() != image_magic || in.number() != image_version) in.fail();
  image.symbol = in.text();
  image.target = in.text();
  std::size_t parameters = in.count();
  for (std::size_t i = 0; i < parameters && in.ok(); ++i) {
    Parameter parameter{};
    parameter.is_view = in.byte() != 0;
    parameter.readonly = in.byte() != 0;
    parameter.element = read_scalar_type(in);
    parameter.rank = in.byte();
    if (parameter.is_view && (parameter.rank < 1 || parameter.rank > 5)) in.fail();
    image.parameters.push_back(parameter);
  }
  std::size_t extents = in.count();
  if (extents > 4) in.fail();
  for (std::size_t i = 0; i < extents && in.ok(); ++i) image.recipe.extents.push_back(read_expression(in));
  std::size_t checks = in.count();
  for (std::size_t i = 0; i < checks && in.ok(); ++i) {
    Check& check = image.recipe.checks.emplace_back();
    check.expression = read_expression(in);
    check.message = in.text();
  }
  image.recipe.in_order = in.byte() != 0;
  image.arena_bytes = in.number();
  std::size_t sites = in.count();
  for (std::size_t i = 0; i < sites && in.ok(); ++i) image.sites.push_back(read_site(in));
  auto code = in.blob();
  image.code.assign(code.begin(), code.end());
  if (!in.ok() || !in.at_end()) {
    result.image = {};
    result.error = "malformed kernel image";
  }
  return result;
}

}  // namespace sectile::format
