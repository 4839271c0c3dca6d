// Operations on shape and layout: reshaping, joining, splitting, slicing, padding, repeating.
#pragma once

#include "ops/infer_context.h"

namespace ef::ops {

struct ReshapeAttrs {
  Ints shape;  // one entry may be -1
};
extern const Op reshape;  // tensor

struct BitcastAttrs {
  DTypeIn<kNumericTypes | kQuantizedTypes> type;
};
extern const Op bitcast;  // input

struct TransposeAttrs {
  std::optional<Ints> perm = {};  // None: the axes in reverse
  bool conjugate = false;
};
extern const Op transpose;  // a

struct ExpandDimsAttrs {
  int64_t axis;
};
extern const Op expand_dims;  // input

struct SqueezeAttrs {
  std::optional<Ints> axis = {};  // None: all of size 1
};
extern const Op squeeze;  // input

struct BroadcastToAttrs {
  Ints shape;
};
extern const Op broadcast_to;  // input

struct TileAttrs {
  Ints multiples;
};
extern const Op tile;  // input

struct ReverseAttrs {
  Ints axis;
};
extern const Op reverse;  // tensor

struct RollAttrs {
  int64_t shift;
  int64_t axis;
};
extern const Op roll;  // input

struct ConcatAttrs {
  int64_t axis;
};
extern const Op concat;  // values...

struct StackAttrs {
  int64_t axis = 0;
};
extern const Op stack;  // values...

struct UnstackAttrs {
  std::optional<int64_t> num = {};
  int64_t axis = 0;
};
extern const Op unstack;  // value

struct SplitAttrs {
  Ints size_splits;  // those of -1 share the remaining size
  int64_t axis = 0;
};
extern const Op split;  // value

struct SliceAttrs {
  Ints begin;
  Ints size;  // -1: to the end of the axis
};
extern const Op slice;  // input_

// One entry per index; bit i of a mask applies to entry i.
struct StridedSliceAttrs {
  Ints begin;
  Ints end;
  Ints strides;
  int64_t begin_mask = 0;
  int64_t end_mask = 0;
  int64_t ellipsis_mask = 0;
  int64_t new_axis_mask = 0;
  int64_t shrink_axis_mask = 0;
};
extern const Op strided_slice;  // input_

extern const Op strided_slice_update;  // input_, value

struct StridedSliceGradAttrs {
  Ints shape;  // of the sliced tensor
  StridedSliceAttrs slice;
};
extern const Op strided_slice_grad;  // dy

enum class PadMode : uint8_t { kConstant, kReflect, kSymmetric };
constexpr const char* words_of(PadMode) { return "CONSTANT|REFLECT|SYMMETRIC"; }

struct PadAttrs {
  Ints paddings;  // before and after the first axis, then before and after the next
  PadMode mode = PadMode::kConstant;
  double constant_values = 0;
};
extern const Op pad;  // tensor

struct MirrorPadGradAttrs {
  Ints paddings;
  PadMode mode = PadMode::kReflect;
};
extern const Op mirror_pad_grad;  // dy

// The limit of a call's results; more of them raise a ValueError.
constexpr int64_t kMostOutputs = int64_t{1} << 24;
void check_output_count(int64_t count);
// Adds `count` results of the same dtype and shape.
void add_outputs(InferContext& c, int64_t count, const Shape& shape);

}  // namespace ef::ops
