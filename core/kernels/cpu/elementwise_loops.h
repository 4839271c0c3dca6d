// The tables of elementwise inner loops: one function per operation and dtype, over contiguous
// data.
#pragma once

#include <cstdint>

#include "kernels/cpu/tiles.h"
#include "tensor/dtype.h"

namespace ef::cpu {

enum class Unary : uint8_t {
  kNegative,
  kAbs,
  kSign,
  kSquare,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kSigmoid,
  kErf,
  kErfc,
  kErfinv,
  kLgamma,
  kDigamma,
  kBesselI0,
  kBesselI0e,
  kBesselI1,
  kBesselI1e,
  kBesselK0,
  kBesselK0e,
  kBesselK1,
  kBesselK1e,
  kBesselJ0,
  kBesselJ1,
  kBesselY0,
  kBesselY1,
  kDawson,
  kExpint,
  kFresnelCos,
  kFresnelSin,
  kSpence,
  kNdtri,
  kFloor,
  kCeil,
  kRound,
  kIsNan,
  kIsInf,
  kIsFinite,
  kSoftplus,
  kSoftsign,
  kRelu,
  kRelu6,
  kLeakyRelu,
  kElu,
  kSelu,
  kGelu,
  kGeluTanh,
  kLogicalNot,
  kInvert,
  kReal,
  kImag,
  kConj,
  kAngle,
  kCount,
};

enum class Binary : uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kRealDivide,
  kDivideNoNan,
  kMultiplyNoNan,
  kTruncateDiv,
  kTruncateMod,
  kFloorDiv,
  kFloorMod,
  kPow,
  kMaximum,
  kMinimum,
  kSquaredDifference,
  kAtan2,
  kHypot,
  kXdivy,
  kXlogy,
  kXlog1py,
  kPolygamma,
  kZeta,
  kIgamma,
  kIgammac,
  kIgammaGradA,
  kRandomGammaGrad,
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kLogicalAnd,
  kLogicalOr,
  kLogicalXor,
  kBitwiseAnd,
  kBitwiseOr,
  kBitwiseXor,
  kLeftShift,
  kRightShift,
  kComplex,
  kSqrtGrad,
  kRsqrtGrad,
  kReciprocalGrad,
  kTanhGrad,
  kSigmoidGrad,
  kReluGrad,
  kRelu6Grad,
  kLeakyReluGrad,
  kEluGrad,
  kSeluGrad,
  kSoftplusGrad,
  kSoftsignGrad,
  kGeluGrad,
  kGeluTanhGrad,
  kCount,
};

// Which operands are arrays and which a single element.
enum class Form : uint8_t { kBoth, kScalarY, kScalarX };

using UnaryLoop = void (*)(void* out, const void* x, int64_t count, double parameter);
using BinaryLoop = void (*)(void* out, const void* x, const void* y, int64_t count, Form form,
                            double parameter);
// The same for rows of `cols` elements, which begin `x_row` and `y_row` elements apart.
using BinaryRows = void (*)(void* out, const void* x, const void* y, int64_t rows, int64_t cols,
                            int64_t x_row, int64_t y_row, Form form);
using CastLoop = void (*)(void* out, const void* x, int64_t count);
// Strides are 0 (a scalar) or 1.
using SelectLoop = void (*)(void* out, const bool* condition, const void* x, const void* y,
                            int64_t count, int64_t x_step, int64_t y_step);
using ClipLoop = void (*)(void* out, const void* x, const void* low, const void* high,
                          int64_t count, int64_t low_step, int64_t high_step);

// Operations on a tile of floats or doubles that stays in registers, see kernels/cpu/tiles.h.
struct TileLoops {
  int64_t elements = 0;  // of a tile
  TileForms unary[static_cast<int>(Unary::kCount)] = {};
  TileForms binary[static_cast<int>(Binary::kCount)] = {};
  // Of the same operations, for rows that are too short for a call each.
  BinaryRows rows[static_cast<int>(Binary::kCount)] = {};
  // By the operand that is in the accumulator: the condition, x or y. The other two are in the
  // memory of this step and of the next step, which has no code.
  TileForms select;
  TileCode load = nullptr;
  TileCode store = nullptr;
  // Conversions between bools in memory and masks in registers, in which all bits of an element
  // agree.
  TileCode load_bool = nullptr;
  TileCode store_bool = nullptr;
  TileCode stream = nullptr;  // a non-temporal store
  TileCode prefetch = nullptr;
  TileCode call = nullptr;
  TileCode end = nullptr;
  void (*run)(const TileStep* code, int64_t begin, int64_t end) = nullptr;
};

// float16 and bfloat16 are computed as float32 where their entries are missing.
struct ElementLoops {
  UnaryLoop unary[static_cast<int>(Unary::kCount)][kDTypeCount] = {};
  BinaryLoop binary[static_cast<int>(Binary::kCount)][kDTypeCount] = {};
  CastLoop cast[kDTypeCount][kDTypeCount] = {};  // from, to
  SelectLoop select[5] = {};                     // by the logarithm of the element size
  ClipLoop clip[kDTypeCount] = {};
  TileLoops tiles[2];  // of float32 and float64
  // Non-temporal copies; `to` is aligned to 64 bytes.
  void (*stream)(void* to, const void* from, int64_t bytes) = nullptr;
  void (*stream_end)() = nullptr;

  UnaryLoop& at(Unary op, DType type) {
    return unary[static_cast<int>(op)][static_cast<int>(type)];
  }
  BinaryLoop& at(Binary op, DType type) {
    return binary[static_cast<int>(op)][static_cast<int>(type)];
  }
  CastLoop& at(DType from, DType to) { return cast[static_cast<int>(from)][static_cast<int>(to)]; }
  // Of float32 or float64.
  TileLoops& tiles_of(DType type) { return tiles[type == DType::kFloat64]; }
  const TileLoops& tiles_of(DType type) const { return tiles[type == DType::kFloat64]; }
  ClipLoop& clip_at(DType type) { return clip[static_cast<int>(type)]; }
};

// The loops for this machine.
const ElementLoops& element_loops();

// The parts of element_loops(). The plain loops gain nothing from vectors.
void add_integer_division_loops(ElementLoops& loops);
void add_complex_loops(ElementLoops& loops);
void add_special_loops(ElementLoops& loops);
// Must follow the other conversions, of which some of these are composed.
void add_narrow_cast_loops(ElementLoops& loops);

#define EF_DECLARE_LOOPS(isa)                     \
  namespace isa {                                 \
  void add_arithmetic_loops(ElementLoops& loops); \
  void add_math_loops(ElementLoops& loops);       \
  void add_activation_loops(ElementLoops& loops); \
  void add_compare_loops(ElementLoops& loops);    \
  void add_cast_loops(ElementLoops& loops);       \
  void add_tile_loops(ElementLoops& loops);       \
  }
EF_DECLARE_LOOPS(baseline)
#if defined(__x86_64__)
EF_DECLARE_LOOPS(avx2)
EF_DECLARE_LOOPS(avx512)
#endif
#undef EF_DECLARE_LOOPS

}  // namespace ef::cpu
