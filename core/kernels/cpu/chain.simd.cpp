// Moving tiles between registers and memory, and running the code of one after the other.
#include "kernels/cpu/vector_tiles.h"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace ef::cpu::EF_ISA {
namespace {

template <class T>
void tile_load(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const T* const from = tile_memory<T>(step, begin);
  a0 = vector_at(from, 0);
  a1 = vector_at(from, 1);
  a2 = vector_at(from, 2);
  a3 = vector_at(from, 3);
  a4 = vector_at(from, 4);
  a5 = vector_at(from, 5);
  a6 = vector_at(from, 6);
  a7 = vector_at(from, 7);
  continue_at<T>(step + 1, begin, EF_TILE_VALUES);
}

template <class T>
EF_INLINE void put(T* memory, int k, Vec<T> v) {
  std::memcpy(memory + k * kLanes<T>, &v, sizeof(v));
}

template <class T>
void tile_store(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  T* const to = tile_memory<T>(step, begin);
  put(to, 0, a0);
  put(to, 1, a1);
  put(to, 2, a2);
  put(to, 3, a3);
  put(to, 4, a4);
  put(to, 5, a5);
  put(to, 6, a6);
  put(to, 7, a7);
  continue_at<T>(step + 1, begin, EF_TILE_VALUES);
}

template <class T>
void tile_load_bool(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const auto* const from = tile_memory<uint8_t>(step, begin);
  a0 = mask_at<T>(from, 0);
  a1 = mask_at<T>(from, 1);
  a2 = mask_at<T>(from, 2);
  a3 = mask_at<T>(from, 3);
  a4 = mask_at<T>(from, 4);
  a5 = mask_at<T>(from, 5);
  a6 = mask_at<T>(from, 6);
  a7 = mask_at<T>(from, 7);
  continue_at<T>(step + 1, begin, EF_TILE_VALUES);
}

template <class T>
EF_INLINE void put_bools(uint8_t* memory, int k, Vec<T> v) {
  put_narrowed<T>(memory + k * kLanes<T>, (MaskVec<T>)v & 1);
}

template <class T>
void tile_store_bool(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  auto* const to = tile_memory<uint8_t>(step, begin);
  put_bools<T>(to, 0, a0);
  put_bools<T>(to, 1, a1);
  put_bools<T>(to, 2, a2);
  put_bools<T>(to, 3, a3);
  put_bools<T>(to, 4, a4);
  put_bools<T>(to, 5, a5);
  put_bools<T>(to, 6, a6);
  put_bools<T>(to, 7, a7);
  continue_at<T>(step + 1, begin, EF_TILE_VALUES);
}

template <class T>
EF_INLINE Vec<T> chosen(Vec<T> mask, Vec<T> x, Vec<T> y) {
  return (MaskVec<T>)mask ? x : y;
}

// The accumulator is the condition.
template <class T>
void tile_select(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const T* const x = tile_memory<T>(step, begin);
  const T* const y = tile_memory<T>(step + 1, begin);
  a0 = chosen<T>(a0, vector_at(x, 0), vector_at(y, 0));
  a1 = chosen<T>(a1, vector_at(x, 1), vector_at(y, 1));
  a2 = chosen<T>(a2, vector_at(x, 2), vector_at(y, 2));
  a3 = chosen<T>(a3, vector_at(x, 3), vector_at(y, 3));
  a4 = chosen<T>(a4, vector_at(x, 4), vector_at(y, 4));
  a5 = chosen<T>(a5, vector_at(x, 5), vector_at(y, 5));
  a6 = chosen<T>(a6, vector_at(x, 6), vector_at(y, 6));
  a7 = chosen<T>(a7, vector_at(x, 7), vector_at(y, 7));
  continue_at<T>(step + 2, begin, EF_TILE_VALUES);
}

// The accumulator is x, or y.
template <class T, bool is_x>
void tile_select_value(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const auto* const condition = tile_memory<uint8_t>(step, begin);
  const T* const other = tile_memory<T>(step + 1, begin);
  const auto choose = [&](Vec<T> a, int k) {
    const Vec<T> b = vector_at(other, k);
    return chosen<T>(mask_at<T>(condition, k), is_x ? a : b, is_x ? b : a);
  };
  continue_at<T>(step + 2, begin, choose(a0, 0), choose(a1, 1), choose(a2, 2), choose(a3, 3),
                 choose(a4, 4), choose(a5, 5), choose(a6, 6), choose(a7, 7));
}

template <class T>
EF_INLINE void put_past_caches(T* memory, int k, Vec<T> v) {
  void* const to = memory + k * kLanes<T>;
#if defined(__AVX512F__)
  _mm512_stream_si512(static_cast<__m512i*>(to), (__m512i)v);
#elif defined(__AVX2__)
  _mm256_stream_si256(static_cast<__m256i*>(to), (__m256i)v);
#elif defined(__SSE2__)
  _mm_stream_si128(static_cast<__m128i*>(to), (__m128i)v);
#else
  std::memcpy(to, &v, sizeof(v));
#endif
}

// The memory is aligned to 64 bytes.
template <class T>
void tile_stream(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  T* const to = tile_memory<T>(step, begin);
  put_past_caches(to, 0, a0);
  put_past_caches(to, 1, a1);
  put_past_caches(to, 2, a2);
  put_past_caches(to, 3, a3);
  put_past_caches(to, 4, a4);
  put_past_caches(to, 5, a5);
  put_past_caches(to, 6, a6);
  put_past_caches(to, 7, a7);
  continue_at<T>(step + 1, begin, EF_TILE_VALUES);
}

// Brings memory to the caches that a later tile reads.
template <class T>
void tile_prefetch(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const char* const from = reinterpret_cast<const char*>(tile_memory<T>(step, begin));
  for (int64_t i = 0; i < kTile<T> * static_cast<int64_t>(sizeof(T)); i += 64) {
    __builtin_prefetch(from + i);
  }
  continue_at<T>(step + 1, begin, EF_TILE_VALUES);
}

template <class T>
void tile_call(const TileStep* step, int64_t begin, EF_TILE(Vec<T>)) {
  const auto* const call = reinterpret_cast<const TileCall*>(step->data);
  call->run(*call, begin, kTile<T>);
  a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = Vec<T>{};
  continue_at<T>(step + 1, begin, EF_TILE_VALUES);
}

template <class T>
void tile_end(const TileStep*, int64_t, Vec<T>, Vec<T>, Vec<T>, Vec<T>, Vec<T>, Vec<T>, Vec<T>,
              Vec<T>) {}

template <class T>
void run_tiles(const TileStep* code, int64_t begin, int64_t end) {
  const Vec<T> nothing{};
  for (; begin < end; begin += kTile<T>) {
    continue_at<T>(code, begin, nothing, nothing, nothing, nothing, nothing, nothing, nothing,
                   nothing);
  }
}

template <class T>
void add_tiles(TileLoops& tiles) {
  tiles.elements = kTile<T>;
  tiles.load = tile_code<T>(tile_load<T>);
  tiles.store = tile_code<T>(tile_store<T>);
  tiles.load_bool = tile_code<T>(tile_load_bool<T>);
  tiles.store_bool = tile_code<T>(tile_store_bool<T>);
  tiles.select = {tile_code<T>(tile_select<T>), tile_code<T>(tile_select_value<T, true>),
                  tile_code<T>(tile_select_value<T, false>)};
  tiles.stream = tile_code<T>(tile_stream<T>);
  tiles.prefetch = tile_code<T>(tile_prefetch<T>);
  tiles.call = tile_code<T>(tile_call<T>);
  tiles.end = tile_code<T>(tile_end<T>);
  tiles.run = run_tiles<T>;
}

}  // namespace

void add_tile_loops(ElementLoops& loops) {
  add_tiles<float>(loops.tiles_of(DType::kFloat32));
  add_tiles<double>(loops.tiles_of(DType::kFloat64));
}

}  // namespace ef::cpu::EF_ISA
