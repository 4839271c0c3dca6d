// Symbolic integers and the holes that nodes have in their place.
#include "graph/symbolic_ints.h"

#include <utility>

#include "eager/dispatch.h"
#include "ops/array.h"
#include "ops/attr_fields.h"
#include "ops/compose.h"
#include "ops/op_facts.h"
#include "ops/shapes.h"
#include "tensor/error.h"

namespace ef::graph {
namespace {

thread_local SymbolicInts* current_ints = nullptr;

// A sum of a symbolic integer and a usual one is not symbolic, since symbolic integers are far
// apart.
constexpr int64_t kFirst = INT64_MIN / 2;
constexpr int64_t kDistance = int64_t{1} << 32;

}  // namespace

SymbolicInts::SymbolicInts() : outer_(std::exchange(current_ints, this)) {}
SymbolicInts::~SymbolicInts() { current_ints = outer_; }
SymbolicInts* SymbolicInts::current() { return current_ints; }

int64_t SymbolicInts::add(Source source) {
  sources_.push_back(std::move(source));
  return kFirst + static_cast<int64_t>(sources_.size() - 1) * kDistance;
}

SymbolicInts::Source* SymbolicInts::find(int64_t number) {
  if (!is_symbolic(number)) return nullptr;
  const int64_t index = (number - kFirst) / kDistance;
  if (number < kFirst || (number - kFirst) % kDistance != 0 ||
      static_cast<size_t>(index) >= sources_.size()) {
    fail(Code::kUnimplemented, "A gradient calculates with sizes that are unknown.");
  }
  return &sources_[static_cast<size_t>(index)];
}

Shape SymbolicInts::shape_of(const Tensor& tensor) {
  Shape shape = tensor.shape();
  if (!shape.ranked()) return {add({.vector = {}, .sized = tensor, .entire = true})};
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] < 0) shape[axis] = add({.vector = {}, .sized = tensor, .position = axis});
  }
  return shape;
}

SavedAttrs SymbolicInts::attrs_of(const Node& node, std::span<const Tensor> inputs) {
  SavedAttrs result = node.attrs;
  if (node.late.empty()) return result;
  const AttrsRef attrs = result;
  const std::vector<AttrField> fields = attrs.type()->fields();
  for (const LateAttr& late : node.late) {
    const AttrField& field = fields[static_cast<size_t>(late.field)];
    void* const value = field.value_in(const_cast<void*>(attrs.data()));
    const bool list = field.kind == AttrKind::kInts || field.kind == AttrKind::kShape;
    const int64_t number = add({.vector = inputs[static_cast<size_t>(late.input)],
                                .sized = {},
                                .position = late.position,
                                .entire = list && late.element < 0});
    const auto element = static_cast<size_t>(late.element);
    if (field.kind == AttrKind::kInt) {
      *static_cast<int64_t*>(value) = number;
    } else if (!list) {
      fail(Code::kUnimplemented, "The gradient of ", tf_name(*node.op), " is unknown, since ",
           field.name, " depends on values.");
    } else if (field.kind == AttrKind::kInts) {
      auto& ints = *static_cast<Ints*>(value);
      if (late.element < 0) {
        ints = Ints{number};
      } else {
        ints[element] = number;
      }
    } else {
      auto& shape = *static_cast<Shape*>(value);
      if (late.element < 0) {
        shape = Shape{number};
      } else {
        shape[late.element] = number;
      }
    }
  }
  return result;
}

// TensorFlow requires one dtype of all attributes of a node that are tensors: int32, like shapes.
Tensor SymbolicInts::int32_vector_of(Source& source) {
  for (const Source& other : sources_) {
    const bool same = source.sized && other.sized && other.sized.impl() == source.sized.impl();
    if (!source.vector && other.vector && same) source.vector = other.vector;
  }
  if (!source.vector) {
    source.vector = call(ops::shape, {source.sized}, ops::ShapeAttrs{.out_type = DType::kInt32});
  }
  return source.vector = cast_to(source.vector, DType::kInt32);
}

Hole SymbolicInts::hole_of(int32_t field, Source& source) {
  return {field, source.entire, int32_vector_of(source), source.position};
}

Tensor SymbolicInts::scalar(int64_t number) {
  Source* const source = find(number);
  if (!source) return Tensor::of(static_cast<int32_t>(number));
  const Tensor vector = int32_vector_of(*source);
  if (vector.shape().ranked() && vector.rank() == 0) return vector;
  return call(ops::strided_slice, {reshape_to(vector, {-1})},
              ops::StridedSliceAttrs{.begin = {source->position},
                                     .end = {source->position + 1},
                                     .strides = {1},
                                     .shrink_axis_mask = 1});
}

Tensor SymbolicInts::vector(std::span<const int64_t> list) {
  Source* const first = list.size() == 1 ? find(list[0]) : nullptr;
  if (first && first->entire) {
    const Tensor vector = int32_vector_of(*first);
    return vector.rank() == 1 ? vector : reshape_to(vector, {-1});
  }
  if (list.empty()) return Tensor::empty(DType::kInt32, {0});
  TensorList scalars;
  for (const int64_t number : list) scalars.push_back(scalar(number));
  return call(ops::stack, scalars, ops::StackAttrs{});
}

void SymbolicInts::take_from(Ints& list, int32_t field, int64_t unknown, std::vector<Hole>& holes) {
  for (int64_t& number : list) {
    Source* const source = find(number);
    if (!source) continue;
    if (source->entire && list.size() > 1) {
      fail(Code::kUnimplemented, "A gradient reads sizes of a tensor of unknown rank.");
    }
    holes.push_back(hole_of(field, *source));
    if (source->entire) {
      list = Ints::unknown();
      return;
    }
    number = unknown;
  }
}

std::vector<Hole> SymbolicInts::take_holes(SavedAttrs& attrs) {
  std::vector<Hole> holes;
  const AttrsRef own = attrs;
  if (!own) return holes;
  const std::vector<AttrField> fields = own.type()->fields();
  for (size_t k = 0; k < fields.size(); ++k) {
    const AttrField& field = fields[k];
    if (field.kind != AttrKind::kInt && field.kind != AttrKind::kInts &&
        field.kind != AttrKind::kShape) {
      continue;
    }
    if (field.engage) {
      // To read an optional attribute gives it a value, if it has none.
      const SavedAttrs engaged = attrs;
      field.value_in(const_cast<void*>(AttrsRef(engaged).data()));
      if (!(engaged == attrs)) continue;
    }
    void* const value = field.value_in(const_cast<void*>(own.data()));
    const auto index = static_cast<int32_t>(k);
    if (field.kind == AttrKind::kInts) {
      take_from(*static_cast<Ints*>(value), index, kUnknownInt, holes);
    } else if (field.kind == AttrKind::kShape) {
      auto& shape = *static_cast<Shape*>(value);
      Ints sizes(shape);
      const size_t count = holes.size();
      take_from(sizes, index, kUnknownSize, holes);
      if (holes.size() == count) continue;
      shape = holes.back().whole ? Shape::unranked() : Shape(std::span<const int64_t>(sizes));
    } else if (Source* const source = find(*static_cast<int64_t*>(value))) {
      // The first size, if the symbolic integer represents all of them.
      holes.push_back(hole_of(index, *source));
      holes.back().whole = false;
      *static_cast<int64_t*>(value) = kUnknownInt;
    }
  }
  return holes;
}

}  // namespace ef::graph
