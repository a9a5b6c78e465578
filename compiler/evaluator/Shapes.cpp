// Tiles made and rearranged, and views.

#include "compiler/evaluator/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

namespace sectile::evaluator {

static void visit(ArrayRef<int64_t> shape, llvm::function_ref<void(ArrayRef<int64_t>)> body) {
  Index index(shape.size(), 0);
  if (llvm::is_contained(shape, 0)) return;
  while (true) {
    body(index);
    size_t axis = shape.size();
    while (axis > 0 && ++index[axis - 1] == shape[axis - 1]) index[--axis] = 0;
    if (axis == 0) return;
  }
}

static bool contains(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  for (auto [size, i] : llvm::zip_equal(shape, index))
    if (i < 0 || i >= size) return false;
  return true;
}

Tile::Tile(Type type) : shape(tile::shapeOf(type)), element(tile::elementType(type)) {
  int64_t count = 1;
  for (int64_t size : shape) count *= size;
  elements.assign(count, 0);
}

int64_t Tile::offset(ArrayRef<int64_t> index) const {
  int64_t result = 0;
  for (auto [size, i] : llvm::zip_equal(shape, index)) result = result * size + i;
  return result;
}

bool Tile::inside(ArrayRef<int64_t> index) const { return contains(shape, index); }
void Tile::forEach(llvm::function_ref<void(ArrayRef<int64_t>)> body) const { visit(shape, body); }

static Bits constantBits(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value)) return number.getValue().bitcastToAPInt().getZExtValue();
  auto number = cast<IntegerAttr>(value);
  return number.getType().isIndex() ? static_cast<Bits>(number.getInt()) : number.getValue().getZExtValue();
}

static Tile constant(arith::ConstantOp op) {
  Tile result(op.getType());
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  for (auto [i, element] : llvm::enumerate(result.elements)) element = constantBits(dense ? *(dense.getValues<Attribute>().begin() + i) : Attribute(op.getValue()));
  return result;
}

/// result[i] = source[from(i)], 0 where `from` gives an index outside.
static Tile picked(const Tile &source, Type type, llvm::function_ref<void(ArrayRef<int64_t>, Index &)> from) {
  Tile result(type);
  Index index;
  result.forEach([&](ArrayRef<int64_t> at) {
    index.assign(source.shape.size(), 0);
    from(at, index);
    if (source.inside(index)) result.at(at) = source.at(index);
  });
  return result;
}

static Tile joined(const Tile &a, const Tile &b, Type type) {
  Tile result(type);
  for (size_t i = 0; i < a.elements.size(); ++i) result.elements[2 * i] = a.elements[i], result.elements[2 * i + 1] = b.elements[i];
  return result;
}

static Tile histogram(const Tile &source, const Tile *mask, Type type) {
  Tile result(type);
  for (auto [i, bits] : llvm::enumerate(source.elements)) {
    int64_t value = source.element.isInteger(1) ? static_cast<int64_t>(bits) : asSigned(bits, source.element);
    if ((!mask || mask->elements[i]) && value >= 0 && value < result.shape[0]) ++result.elements[value];
  }
  return result;
}

std::optional<Tile> Machine::shapeOperation(Operation *op) {
  using Result = std::optional<Tile>;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::ConstantOp o) -> Result { return constant(o); })
      .Case([&](tile::IotaOp o) -> Result {
        Tile result(o.getType());
        result.forEach([&](ArrayRef<int64_t> at) { result.at(at) = at[o.getAxis()]; });
        return result;
      })
      .Case([&](tile::SplatOp o) -> Result {
        Tile result(o.getType());
        llvm::fill(result.elements, tileOf(o.getValue()).elements[0]);
        return result;
      })
      .Case([&](tile::BroadcastOp o) -> Result {
        const Tile &source = tileOf(o.getSource());
        return picked(source, o.getType(), [&](ArrayRef<int64_t> at, Index &from) {
          for (size_t i = 0; i < at.size(); ++i) from[i] = source.shape[i] == 1 ? 0 : at[i];
        });
      })
      .Case([&](tile::ReshapeOp o) -> Result {
        Tile result(o.getType());
        result.elements = tileOf(o.getSource()).elements;
        return result;
      })
      .Case([&](tile::TransposeOp o) -> Result {
        return picked(tileOf(o.getSource()), o.getType(), [&](ArrayRef<int64_t> at, Index &from) {
          for (size_t i = 0; i < at.size(); ++i) from[o.getPermutation()[i]] = at[i];
        });
      })
      .Case([&](tile::JoinOp o) -> Result { return joined(tileOf(o.getLhs()), tileOf(o.getRhs()), o.getType()); })
      .Case([&](tile::CatOp o) -> Result {
        Tile result(o.getType());
        int64_t start = 0;
        for (Value part : o.getSources()) {
          const Tile &source = tileOf(part);
          source.forEach([&](ArrayRef<int64_t> at) {
            Index to(at);
            to[o.getAxis()] += start;
            result.at(to) = source.at(at);
          });
          start += source.shape[o.getAxis()];
        }
        return result;
      })
      .Case([&](tile::ExtractOp o) -> Result {
        Index offsets = numbersOf(o.getOffsets());
        return picked(tileOf(o.getSource()), o.getType(), [&](ArrayRef<int64_t> at, Index &from) {
          for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<int64_t>(static_cast<Bits>(offsets[i]) + static_cast<Bits>(at.empty() ? 0 : at[i]));
        });
      })
      .Case([&](tile::GatherAlongOp o) -> Result {
        const Tile &indices = tileOf(o.getIndices());
        return picked(tileOf(o.getSource()), o.getType(), [&](ArrayRef<int64_t> at, Index &from) {
          from.assign(at);
          from[o.getAxis()] = asSigned(indices.at(at), indices.element);
        });
      })
      .Case([&](tile::HistogramOp o) -> Result { return histogram(tileOf(o.getSource()), o.getMask() ? &tileOf(o.getMask()) : nullptr, o.getType()); })
      .Case([&](tile::FlipOp o) -> Result {
        const Tile &source = tileOf(o.getSource());
        return picked(source, o.getType(), [&](ArrayRef<int64_t> at, Index &from) {
          from.assign(at);
          from[o.getAxis()] = source.shape[o.getAxis()] - 1 - at[o.getAxis()];
        });
      })
      .Default(std::nullopt);
}

// ---- views ----

bool View::inside(ArrayRef<int64_t> index) const { return contains(shape, index); }

char *View::address(ArrayRef<int64_t> index) const {
  int64_t offset = 0;
  for (auto [stride, i] : llvm::zip_equal(strides, index)) offset += stride * i;
  return memory + offset * ((widthOf(element) + 7) / 8);
}

Bits View::load(ArrayRef<int64_t> index) const {
  Bits bits = 0;
  std::memcpy(&bits, address(index), (widthOf(element) + 7) / 8);
  return element.isInteger(1) ? bits != 0 : bits;
}

void View::store(ArrayRef<int64_t> index, Bits bits) const { std::memcpy(address(index), &bits, (widthOf(element) + 7) / 8); }

static void makeEmpty(View &view) { llvm::fill(view.shape, 0); }

static View sliced(View view, int64_t axis, int64_t index) {
  bool inside = index >= 0 && index < view.shape[axis];
  if (inside) view.memory += index * view.strides[axis] * ((widthOf(view.element) + 7) / 8);
  view.shape.erase(view.shape.begin() + axis), view.strides.erase(view.strides.begin() + axis);
  if (!inside) makeEmpty(view);
  return view;
}

static View windowed(View view, ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes, ArrayRef<int64_t> steps) {
  bool empty = false;
  int64_t start = 0;
  for (size_t axis = 0; axis < view.shape.size(); ++axis) {
    int64_t offset = offsets[axis], step = steps[axis], extent = view.shape[axis];
    int64_t most = offset >= 0 && step > 0 && offset < extent ? (extent - offset - 1) / step + 1 : 0;
    int64_t size = std::max<int64_t>(0, std::min(sizes[axis], most));
    empty = empty || size == 0;
    if (size > 0) start += offset * view.strides[axis];
    view.shape[axis] = size, view.strides[axis] *= step;
  }
  if (!empty) view.memory += start * ((widthOf(view.element) + 7) / 8);
  return view;
}

static View stretched(const View &view, ArrayRef<int64_t> sizes, ArrayRef<int64_t> dimensions) {
  View result = view;
  result.shape.clear(), result.strides.clear();
  for (auto [size, dimension] : llvm::zip_equal(sizes, dimensions)) {
    bool repeats = dimension < 0 || view.shape[dimension] == 1;
    result.shape.push_back(repeats ? std::max<int64_t>(0, size) : view.shape[dimension]);
    result.strides.push_back(repeats ? 0 : view.strides[dimension]);
  }
  return result;
}

static View reshaped(const View &view, ArrayRef<int64_t> sizes) {
  View result = view;
  result.shape.assign(sizes.begin(), sizes.end()), result.strides.assign(sizes.size(), 0);
  bool good = true;
  auto pack = [&](ArrayRef<int64_t> shape, MutableArrayRef<int64_t> strides) {
    __int128 stride = 1;
    for (size_t axis = shape.size(); axis-- > 0;) {
      good = good && shape[axis] >= 0 && stride <= INT64_MAX;
      strides[axis] = static_cast<int64_t>(stride);
      stride = good ? stride * shape[axis] : 0;
    }
    return stride;
  };
  Index packed(view.shape.size(), 0);
  bool same = pack(view.shape, packed) == pack(sizes, result.strides);
  for (auto [size, stride, expected] : llvm::zip_equal(view.shape, view.strides, packed)) good = good && (size <= 1 || stride == expected);
  if (!good || !same) makeEmpty(result);
  return result;
}

bool Machine::viewOperation(Operation *op) {
  if (op->getNumResults() != 1 || !isa<tile::ViewType>(op->getResult(0).getType())) return false;
  const View &source = viewOf(op->getOperand(0));
  View result = llvm::TypeSwitch<Operation *, View>(op)
                    .Case([&](tile::ViewSliceOp o) { return sliced(source, o.getAxis(), numberOf(o.getIndex())); })
                    .Case([&](tile::ViewTransposeOp o) {
                      View view = source;
                      for (auto [i, from] : llvm::enumerate(o.getPermutation())) view.shape[i] = source.shape[from], view.strides[i] = source.strides[from];
                      return view;
                    })
                    .Case([&](tile::SubviewOp o) { return windowed(source, numbersOf(o.getOffsets()), numbersOf(o.getSizes()), numbersOf(o.getSteps())); })
                    .Case([&](tile::ViewBroadcastOp o) { return stretched(source, numbersOf(o.getSizes()), o.getDimensions()); })
                    .Case([&](tile::ViewReshapeOp o) { return reshaped(source, numbersOf(o.getSizes())); })
                    .Default(View());
  if (!result.element) return false;
  views[op->getResult(0)] = result;
  return true;
}

}  // namespace sectile::evaluator
