// The trace importer. Expects a trace accepted by trace::parse (ids defined before use, counts of ops.def); leaves operations that still
// have to pass MLIR's verifier, which checks types.

#include "compiler/ir/Import.h"

using namespace mlir;
using namespace sectile;
using namespace sectile::tile;

static Type importElement(MLIRContext *context, ScalarType type) {
  switch (type) {
    case ScalarType::f16: return Float16Type::get(context);
    case ScalarType::bf16: return BFloat16Type::get(context);
    case ScalarType::f32: return Float32Type::get(context);
    case ScalarType::f64: return Float64Type::get(context);
    case ScalarType::f8e4m3: return Float8E4M3FNType::get(context);
    case ScalarType::f8e5m2: return Float8E5M2Type::get(context);
    case ScalarType::f8e8m0:
    case ScalarType::f4e2m1: return {};
    case ScalarType::index: return IndexType::get(context);
    default: return IntegerType::get(context, bit_width(type));
  }
}

Type tile::importType(MLIRContext *context, const trace::Type &type) {
  Type element = importElement(context, type.element);
  if (!element) return {};
  if (type.kind == trace::Type::Kind::view) return ViewType::get(context, type.rank, element, type.readonly);
  return tileType(type.shape, element);
}

namespace {

class Importer {
 public:
  Importer(const trace::Trace &trace, ModuleOp module)
      : trace(trace), module(module), context(module.getContext()), builder(module.getBodyRegion()), values(trace.value_count) {
    builder.setInsertionPointToEnd(module.getBody());
    for (const trace::Location &location : trace.locations)
      locations.push_back(location.line == 0 ? Location(UnknownLoc::get(context))
                                             : Location(FileLineColLoc::get(context, location.file, location.line, location.column)));
  }

  FailureOr<KernelOp> run(ArrayRef<SectileParameterFacts> facts) {
    SmallVector<Type> types;
    for (const auto &[type, location] : llvm::zip_equal(trace.parameter_types, trace.parameter_locations))
      if (failed(addType(type, locations[location], types))) return failure();
    StringRef name = trace.name.empty() ? "kernel" : StringRef(trace.name);
    auto kernel = KernelOp::create(builder, locations.front(), name, FunctionType::get(context, types, {}));
    addFacts(kernel, facts);
    if (!trace.hints.empty()) {
      NamedAttrList hints;
      for (const trace::Hint &hint : trace.hints) hints.set(hint.name, builder.getI64IntegerAttr(hint.value));
      kernel.setHintsAttr(hints.getDictionary(context));
    }
    Block &body = kernel.getBody().front();
    for (auto [id, argument] : llvm::zip_equal(trace.parameters, body.getArguments())) values[id] = argument;
    if (failed(importOps(trace.ops, body))) return failure();
    return kernel;
  }

 private:
  LogicalResult addType(const trace::Type &type, Location loc, SmallVectorImpl<Type> &types) {
    Type imported = importType(context, type);
    if (!imported) return emitError(loc) << "elements of type " << name(type.element) << " cannot be used in kernels yet";
    types.push_back(imported);
    return success();
  }

  void addFacts(KernelOp kernel, ArrayRef<SectileParameterFacts> facts) {
    for (auto [i, fact] : llvm::enumerate(facts)) {
      auto view = dyn_cast<ViewType>(kernel.getArgumentTypes()[i]);
      if (!view) continue;
      if (fact.unitAxis >= 0 && fact.unitAxis < view.getRank()) kernel.setArgAttr(i, kUnitAxis, builder.getI64IntegerAttr(fact.unitAxis));
      if (fact.alignment > 0) kernel.setArgAttr(i, kAlignment, builder.getI64IntegerAttr(fact.alignment));
      if (fact.disjoint) kernel.setArgAttr(i, kDisjoint, builder.getUnitAttr());
    }
  }

  Attribute importAttribute(const trace::Attribute &attribute, Type resultType) {
    if (auto *number = std::get_if<std::int64_t>(&attribute.value)) return builder.getI64IntegerAttr(*number);
    if (auto *text = std::get_if<std::string>(&attribute.value)) return builder.getStringAttr(*text);
    if (auto *numbers = std::get_if<std::vector<std::int64_t>>(&attribute.value)) {
      if (attribute.name != "operandSegmentSizes") return builder.getDenseI64ArrayAttr(*numbers);
      return builder.getDenseI32ArrayAttr(SmallVector<int32_t>(llvm::map_range(*numbers, [](int64_t n) { return static_cast<int32_t>(n); })));
    }
    if (auto *scalar = std::get_if<trace::TypedScalar>(&attribute.value)) return importConstant(*scalar, resultType);
    return builder.getUnitAttr();
  }

  Attribute importConstant(const trace::TypedScalar &scalar, Type resultType) {
    Type element = importElement(context, scalar.type);
    if (!element) return {};
    unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
    APInt bits = APInt(64, scalar.bits).trunc(width);
    TypedAttr value;
    if (auto floatType = dyn_cast<FloatType>(element)) value = FloatAttr::get(element, APFloat(floatType.getFloatSemantics(), bits));
    else value = IntegerAttr::get(element, bits);
    if (auto tensor = dyn_cast_or_null<RankedTensorType>(resultType)) return DenseElementsAttr::get(tensor, Attribute(value));
    return value;
  }

  LogicalResult importOps(const std::vector<trace::Op> &ops, Block &block) {
    for (const trace::Op &op : ops)
      if (failed(importOp(op, block))) return failure();
    return success();
  }

  LogicalResult importOp(const trace::Op &op, Block &block) {
    Location loc = locations[op.location];
    OperationState state(loc, trace::info(op.code).name);
    for (trace::ValueId operand : op.operands) state.addOperands(values[operand]);
    SmallVector<Type> types;
    for (const trace::Type &type : op.result_types)
      if (failed(addType(type, loc, types))) return failure();
    state.addTypes(types);
    for (const trace::Attribute &attribute : op.attributes) {
      Attribute value = importAttribute(attribute, types.empty() ? Type() : types.front());
      if (!value) return emitError(loc) << "constant of a type that cannot be used in kernels yet";
      state.addAttribute(attribute.name, value);
    }
    for (const trace::Region &region : op.regions) {
      Region *imported = state.addRegion();
      Block *body = new Block;
      imported->push_back(body);
      for (auto [id, type] : llvm::zip_equal(region.arguments, region.argument_types)) {
        SmallVector<Type> argument;
        if (failed(addType(type, loc, argument))) return failure();
        values[id] = body->addArgument(argument.front(), loc);
      }
      if (failed(importOps(region.ops, *body))) return failure();
    }
    // The block may hang on an operation that does not exist yet, so the context cannot come from it.
    OpBuilder opBuilder(context);
    opBuilder.setInsertionPointToEnd(&block);
    Operation *created = opBuilder.create(state);
    for (auto [id, result] : llvm::zip_equal(op.results, created->getResults())) values[id] = result;
    return success();
  }

  const trace::Trace &trace;
  ModuleOp module;
  MLIRContext *context;
  OpBuilder builder;
  SmallVector<Location> locations;
  std::vector<Value> values;
};

}  // namespace

FailureOr<KernelOp> tile::importTrace(const trace::Trace &trace, ArrayRef<SectileParameterFacts> facts, ModuleOp module) {
  return Importer(trace, module).run(facts);
}
