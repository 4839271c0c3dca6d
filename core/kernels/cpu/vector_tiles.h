// Functions on tiles, made of the operations of the inner loops. For *.simd.cpp files only.
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/cpu/byte_vectors.h"
#include "kernels/cpu/elementwise_loops.h"
#include "kernels/cpu/partial_vectors.h"
#include "kernels/cpu/vector_math.h"

namespace ef::cpu::EF_ISA {

inline constexpr int kTileVectors = 8;
template <class T>
inline constexpr int64_t kTile = kTileVectors * kLanes<T>;

// The accumulator, as parameters and arguments: registers, by the calling conventions.
#define EF_TILE(V) V a0, V a1, V a2, V a3, V a4, V a5, V a6, V a7
#define EF_TILE_VALUES a0, a1, a2, a3, a4, a5, a6, a7

template <class T>
using TileFunction = void (*)(const TileStep* step, int64_t begin, EF_TILE(Vec<T>));

template <class T>
TileCode tile_code(TileFunction<T> function) {
  return reinterpret_cast<TileCode>(function);
}

// In tail position this is a jump.
template <class T>
EF_INLINE void continue_at(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  reinterpret_cast<TileFunction<T>>(step->code)(step, begin, EF_TILE_VALUES);
}

template <class T>
EF_INLINE T* tile_memory(const TileStep* step, int64_t begin) {
  return reinterpret_cast<T*>(step->data) + (begin & step->mask);
}

template <class T>
EF_INLINE Vec<T> vector_at(const T* memory, int k) {
  Vec<T> v;
  std::memcpy(&v, memory + k * kLanes<T>, sizeof(v));
  return v;
}

// One element in all lanes. Unlike a sum with 0, the difference keeps the sign of zero.
template <class T>
EF_INLINE Vec<T> all_lanes(const T* memory) {
  return *memory - Vec<T>{};
}

// An operation on vectors, or a scalar operation on each lane. Compilers vectorise the latter if it
// has no selections.
template <class T, class Op>
EF_INLINE Vec<T> on_lanes(Vec<T> x) {
  if constexpr (requires { Op::of(x); }) return Op::of(x);
  Vec<T> result;
  for (int i = 0; i < kLanes<T>; ++i) result[i] = Op::of(x[i]);
  return result;
}
template <class T, class Op>
EF_INLINE Vec<T> on_lanes(Vec<T> x, Vec<T> y) {
  if constexpr (requires { Op::of(x, y); }) return Op::of(x, y);
  Vec<T> result;
  for (int i = 0; i < kLanes<T>; ++i) result[i] = Op::of(x[i], y[i]);
  return result;
}

template <class T, class Op>
void tile_unary(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  continue_at<T>(step + 1, begin, on_lanes<T, Op>(a0), on_lanes<T, Op>(a1), on_lanes<T, Op>(a2),
                 on_lanes<T, Op>(a3), on_lanes<T, Op>(a4), on_lanes<T, Op>(a5), on_lanes<T, Op>(a6),
                 on_lanes<T, Op>(a7));
}

template <class T, class Op>
void tile_first(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const T* const y = tile_memory<T>(step, begin);
  a0 = on_lanes<T, Op>(a0, vector_at(y, 0));
  a1 = on_lanes<T, Op>(a1, vector_at(y, 1));
  a2 = on_lanes<T, Op>(a2, vector_at(y, 2));
  a3 = on_lanes<T, Op>(a3, vector_at(y, 3));
  a4 = on_lanes<T, Op>(a4, vector_at(y, 4));
  a5 = on_lanes<T, Op>(a5, vector_at(y, 5));
  a6 = on_lanes<T, Op>(a6, vector_at(y, 6));
  a7 = on_lanes<T, Op>(a7, vector_at(y, 7));
  continue_at<T>(step + 1, begin, EF_TILE_VALUES);
}

template <class T, class Op>
void tile_second(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const T* const x = tile_memory<T>(step, begin);
  a0 = on_lanes<T, Op>(vector_at(x, 0), a0);
  a1 = on_lanes<T, Op>(vector_at(x, 1), a1);
  a2 = on_lanes<T, Op>(vector_at(x, 2), a2);
  a3 = on_lanes<T, Op>(vector_at(x, 3), a3);
  a4 = on_lanes<T, Op>(vector_at(x, 4), a4);
  a5 = on_lanes<T, Op>(vector_at(x, 5), a5);
  a6 = on_lanes<T, Op>(vector_at(x, 6), a6);
  a7 = on_lanes<T, Op>(vector_at(x, 7), a7);
  continue_at<T>(step + 1, begin, EF_TILE_VALUES);
}

template <class T, class Op>
void tile_first_single(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const Vec<T> y = all_lanes(reinterpret_cast<const T*>(step->data));
  continue_at<T>(step + 1, begin, on_lanes<T, Op>(a0, y), on_lanes<T, Op>(a1, y),
                 on_lanes<T, Op>(a2, y), on_lanes<T, Op>(a3, y), on_lanes<T, Op>(a4, y),
                 on_lanes<T, Op>(a5, y), on_lanes<T, Op>(a6, y), on_lanes<T, Op>(a7, y));
}

template <class T, class Op>
void tile_second_single(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const Vec<T> x = all_lanes(reinterpret_cast<const T*>(step->data));
  continue_at<T>(step + 1, begin, on_lanes<T, Op>(x, a0), on_lanes<T, Op>(x, a1),
                 on_lanes<T, Op>(x, a2), on_lanes<T, Op>(x, a3), on_lanes<T, Op>(x, a4),
                 on_lanes<T, Op>(x, a5), on_lanes<T, Op>(x, a6), on_lanes<T, Op>(x, a7));
}

template <class T, class Op>
void tile_both(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  continue_at<T>(step + 1, begin, on_lanes<T, Op>(a0, a0), on_lanes<T, Op>(a1, a1),
                 on_lanes<T, Op>(a2, a2), on_lanes<T, Op>(a3, a3), on_lanes<T, Op>(a4, a4),
                 on_lanes<T, Op>(a5, a5), on_lanes<T, Op>(a6, a6), on_lanes<T, Op>(a7, a7));
}

// Comparisons return masks, in which either all bits of an element are set or none.
template <class T, class Op>
EF_INLINE Vec<T> compare_lanes(Vec<T> x, Vec<T> y) {
  MaskVec<T> mask;
  for (int i = 0; i < kLanes<T>; ++i) mask[i] = Op::of(x[i], y[i]) ? -1 : 0;
  return (Vec<T>)mask;
}

template <class T>
EF_INLINE Vec<T> mask_at(const uint8_t* memory, int k) {
  return (Vec<T>)(-widened<T>(memory + k * kLanes<T>));
}

template <class T, class Op, bool single>
void tile_compare(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const T* const y = single ? reinterpret_cast<const T*>(step->data) : tile_memory<T>(step, begin);
  const auto operand = [&](int k) { return single ? all_lanes(y) : vector_at(y, k); };
  continue_at<T>(step + 1, begin, compare_lanes<T, Op>(a0, operand(0)),
                 compare_lanes<T, Op>(a1, operand(1)), compare_lanes<T, Op>(a2, operand(2)),
                 compare_lanes<T, Op>(a3, operand(3)), compare_lanes<T, Op>(a4, operand(4)),
                 compare_lanes<T, Op>(a5, operand(5)), compare_lanes<T, Op>(a6, operand(6)),
                 compare_lanes<T, Op>(a7, operand(7)));
}

template <class T, class Op>
void tile_compare_both(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  continue_at<T>(step + 1, begin, compare_lanes<T, Op>(a0, a0), compare_lanes<T, Op>(a1, a1),
                 compare_lanes<T, Op>(a2, a2), compare_lanes<T, Op>(a3, a3),
                 compare_lanes<T, Op>(a4, a4), compare_lanes<T, Op>(a5, a5),
                 compare_lanes<T, Op>(a6, a6), compare_lanes<T, Op>(a7, a7));
}

// The operation with its operands the other way round.
template <class Op>
struct Swapped {
  template <class T>
  static bool of(T x, T y) {
    return Op::of(y, x);
  }
};

// A function of vectors that is long enough for a loop.
template <class T, class F>
EF_INLINE void tile_map(const TileStep* step, int64_t begin, const F& f, EF_TILE(Vec<T>)) {
  Vec<T> a[kTileVectors] = {EF_TILE_VALUES};
#pragma GCC unroll 1
  for (int k = 0; k < kTileVectors; ++k) a[k] = f(a[k]);
  continue_at<T>(step + 1, begin, a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
}

// The same operand for all of `rows` rows, which are shorter than a vector: a vector of as many
// rows as it has room for. compute(begin, count, repeated) is called for so many rows at a time.
template <class T, class Compute>
EF_INLINE void repeat_in_vector(const T* row, int64_t rows, int64_t cols, const Compute& compute) {
  T repeated[kLanes<T>];
  for (int64_t i = 0, k = 0; i < kLanes<T>; ++i) {
    repeated[i] = row[k];
    if (++k == cols) k = 0;
  }
  const Vec<T> vector = vector_at(repeated, 0);
  const int64_t total = rows * cols;
  const int64_t step = kLanes<T> / cols * cols;
  // No element is written before it is read: results may be in the memory of an operand.
  for (int64_t i = 0; i < total; i += step) {
    compute(i, total - i < step ? total - i : step, vector);
  }
}

template <class T, class Op>
void binary_rows(void* out, const void* x, const void* y, int64_t rows, int64_t cols, int64_t x_row,
                 int64_t y_row, Form form) {
  const auto run = [&](auto single_x, auto single_y) __attribute__((always_inline)) {
    constexpr int64_t kWidth = kLanes<T>;
    auto* to = static_cast<T*>(out);
    const auto* xs = static_cast<const T*>(x);
    const auto* ys = static_cast<const T*>(y);
    for (int64_t r = 0; r < rows; ++r, to += cols, xs += x_row, ys += y_row) {
      const Vec<T> first_x = all_lanes<T>(xs), first_y = all_lanes<T>(ys);
      int64_t i = 0;
      for (; i + kWidth <= cols; i += kWidth) {
        const Vec<T> left = single_x.value ? first_x : vector_at(xs + i, 0);
        const Vec<T> right = single_y.value ? first_y : vector_at(ys + i, 0);
        const Vec<T> result = on_lanes<T, Op>(left, right);
        std::memcpy(to + i, &result, sizeof result);
      }
      if (i == cols) continue;
      const Vec<T> left = single_x.value ? first_x : load_part(xs + i, cols - i);
      const Vec<T> right = single_y.value ? first_y : load_part(ys + i, cols - i);
      store_part(to + i, on_lanes<T, Op>(left, right), cols - i, false);
    }
  };
  auto* const target = static_cast<T*>(out);
  const auto write = [&](int64_t at, Vec<T> result, int64_t count) {
    if (count < kLanes<T>) return store_part(target + at, result, count, false);
    std::memcpy(target + at, &result, sizeof result);
  };
  const auto read = [](const void* from, int64_t at, int64_t count) {
    const T* const memory = static_cast<const T*>(from) + at;
    return count < kLanes<T> ? load_part(memory, count) : vector_at(memory, 0);
  };
  if (form == Form::kBoth && cols < kLanes<T> && x_row == cols && y_row == 0) {
    return repeat_in_vector<T>(static_cast<const T*>(y), rows, cols,
                               [&](int64_t i, int64_t count, Vec<T> row) {
                                 write(i, on_lanes<T, Op>(read(x, i, count), row), count);
                               });
  }
  if (form == Form::kBoth && cols < kLanes<T> && y_row == cols && x_row == 0) {
    return repeat_in_vector<T>(static_cast<const T*>(x), rows, cols,
                               [&](int64_t i, int64_t count, Vec<T> row) {
                                 write(i, on_lanes<T, Op>(row, read(y, i, count)), count);
                               });
  }
  constexpr std::true_type kSingle;
  constexpr std::false_type kEach;
  form == Form::kBoth      ? run(kEach, kEach)
  : form == Form::kScalarX ? run(kSingle, kEach)
                           : run(kEach, kSingle);
}

// Registers the operation's forms beside its loop.
template <class T, class Op>
void set_tiles(ElementLoops& loops, Unary op) {
  loops.tiles_of(kDTypeOf<T>).unary[static_cast<int>(op)] = {tile_code<T>(tile_unary<T, Op>),
                                                             nullptr, nullptr};
}
template <class T, class Op>
void set_tiles(ElementLoops& loops, Binary op) {
  loops.tiles_of(kDTypeOf<T>).rows[static_cast<int>(op)] = binary_rows<T, Op>;
  loops.tiles_of(kDTypeOf<T>).binary[static_cast<int>(op)] = {
      tile_code<T>(tile_first<T, Op>), tile_code<T>(tile_second<T, Op>),
      tile_code<T>(tile_both<T, Op>), tile_code<T>(tile_first_single<T, Op>),
      tile_code<T>(tile_second_single<T, Op>)};
}

template <class T, class Op>
void set_comparison_tiles(ElementLoops& loops, Binary op) {
  loops.tiles_of(kDTypeOf<T>).binary[static_cast<int>(op)] = {
      tile_code<T>(tile_compare<T, Op, false>), tile_code<T>(tile_compare<T, Swapped<Op>, false>),
      tile_code<T>(tile_compare_both<T, Op>), tile_code<T>(tile_compare<T, Op, true>),
      tile_code<T>(tile_compare<T, Swapped<Op>, true>)};
}

}  // namespace ef::cpu::EF_ISA
