// Products of bytes: by the processor's instructions for them, or else of 16-bit integers. Sums are
// exact, so that all processors return the same results.
#include <bit>
#include <cstring>

#include "kernels/cpu/int8_products_loops.h"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace ef::cpu::EF_ISA {
namespace {

constexpr int64_t kCols = kInt8PanelCols;
constexpr int64_t kWordBytes = kInt8Word * kCols;

float greatest(const float* x, int64_t n) {
  // Absolute values are ordered like their bits, NaNs after all others.
  uint32_t most = 0;
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t bits = std::bit_cast<uint32_t>(x[i]) & 0x7fffffffu;
    most = bits > most ? bits : most;
  }
  return std::bit_cast<float>(most);
}

void quantize(const float* x, int64_t n, float factor, uint8_t* to) {
  // The low bits of x + kRounds are the nearest integer.
  constexpr float kRounds = 12582912.0f + kInt8Zero;
  for (int64_t i = 0; i < n; ++i) {
    const float sum = x[i] * factor + kRounds;
    to[i] = static_cast<uint8_t>(std::bit_cast<uint32_t>(sum));
  }
}

int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }

// The operands and results of a tile: `Rows` rows times `Panels` panels.
struct Tile {
  const Int8Panels& b;
  int64_t panel;
  const uint8_t* const* lefts;
  const float* scales;
  int64_t scale_step;
  float* out;  // the tile's first element
};

inline uint32_t word_at(const uint8_t* at) {
  uint32_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// Writes a panel of a row, whose last columns may lie outside the result.
inline void write(const Tile& tile, int row, int panel, const float* numbers) {
  const int64_t at = (tile.panel + panel) * kCols;
  const int64_t count = min(kCols, tile.b.cols - at);
  std::memcpy(tile.out + row * tile.b.cols + panel * kCols, numbers,
              static_cast<size_t>(count) * sizeof(float));
}

[[maybe_unused]] void write_sums(const Tile& tile, int row, int panel, const int32_t* sums) {
  const int64_t at = (tile.panel + panel) * kCols;
  const float scale = tile.scales[row * tile.scale_step];
  float numbers[kCols];
  for (int64_t j = 0; j < kCols; ++j) {
    numbers[j] =
        static_cast<float>(sums[j] + tile.b.start[at + j]) * (scale * tile.b.scale[at + j]);
  }
  write(tile, row, panel, numbers);
}

#if defined(__AVX512F__)

template <int Rows, int Panels>
__attribute__((target("avx512vnni"))) void by_bytes(const Tile& tile) {
  const Int8Panels& b = tile.b;
  __m512i sum[Rows][Panels];
  for (int v = 0; v < Panels; ++v) {
    const __m512i start = _mm512_loadu_si512(b.start + (tile.panel + v) * kCols);
    for (int r = 0; r < Rows; ++r) sum[r][v] = start;
  }
  const int64_t bytes = b.panel_bytes();
  const int8_t* weights = b.weights + tile.panel * bytes;
  for (int64_t s = 0; s < b.segments; ++s) {
    const uint8_t* left[Rows];
    for (int r = 0; r < Rows; ++r) left[r] = tile.lefts[r] + b.offsets[s];
    for (int64_t p = 0; p < b.words; ++p, weights += kWordBytes) {
      __m512i right[Panels];
#pragma GCC unroll 4
      for (int v = 0; v < Panels; ++v) right[v] = _mm512_loadu_si512(weights + v * bytes);
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        const __m512i word = _mm512_set1_epi32(static_cast<int>(word_at(left[r] + p * kInt8Word)));
#pragma GCC unroll 4
        for (int v = 0; v < Panels; ++v) {
          sum[r][v] = _mm512_dpbusd_epi32(sum[r][v], word, right[v]);
        }
      }
    }
  }
  for (int v = 0; v < Panels; ++v) {
    const int64_t at = (tile.panel + v) * kCols;
    const int64_t count = min(kCols, b.cols - at);
    const auto mask = static_cast<__mmask16>((1u << count) - 1);
    const __m512 scale = _mm512_loadu_ps(b.scale + at);
    for (int r = 0; r < Rows; ++r) {
      const __m512 both = _mm512_mul_ps(scale, _mm512_set1_ps(tile.scales[r * tile.scale_step]));
      _mm512_mask_storeu_ps(tile.out + r * b.cols + v * kCols, mask,
                            _mm512_mul_ps(_mm512_maskz_cvtepi32_ps(mask, sum[r][v]), both));
    }
  }
}
constexpr int kByteRows = 6;
constexpr int kBytePanels = 4;
bool multiplies_bytes() { return __builtin_cpu_supports("avx512vnni"); }

#elif defined(__AVX2__)

template <int Rows, int Panels>
__attribute__((target("avxvnni"))) void by_bytes(const Tile& tile) {
  const Int8Panels& b = tile.b;
  static_assert(Panels == 1);
  __m256i sum[Rows][2] = {};
  const int8_t* weights = b.weights + tile.panel * b.panel_bytes();
  for (int64_t s = 0; s < b.segments; ++s) {
    for (int64_t p = 0; p < b.words; ++p, weights += kWordBytes) {
      const __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
      const __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights + 32));
#pragma GCC unroll 8
      for (int r = 0; r < Rows; ++r) {
        const __m256i word = _mm256_set1_epi32(
            static_cast<int>(word_at(tile.lefts[r] + b.offsets[s] + p * kInt8Word)));
        sum[r][0] = _mm256_dpbusd_avx_epi32(sum[r][0], word, low);
        sum[r][1] = _mm256_dpbusd_avx_epi32(sum[r][1], word, high);
      }
    }
  }
  for (int r = 0; r < Rows; ++r) {
    int32_t sums[kCols];
    std::memcpy(sums, sum[r], sizeof sums);
    write_sums(tile, r, 0, sums);
  }
}
constexpr int kByteRows = 6;
constexpr int kBytePanels = 1;
bool multiplies_bytes() { return __builtin_cpu_supports("avxvnni"); }

#endif

#if defined(__AVX2__)

// A panel of pairs of 16-bit integers: 4 columns in each vector, whose two sums are added at the
// end.
template <int Rows, int Panels>
void by_shorts(const Tile& tile) {
  const Int8Panels& b = tile.b;
  static_assert(Panels == 1);
  __m256i sum[Rows][4] = {};
  const int8_t* weights = b.weights + tile.panel * b.panel_bytes();
  for (int64_t s = 0; s < b.segments; ++s) {
    for (int64_t p = 0; p < b.words; ++p, weights += kWordBytes) {
      __m256i word[Rows];
      for (int r = 0; r < Rows; ++r) {
        const uint8_t* const at = tile.lefts[r] + b.offsets[s] + p * kInt8Word;
        word[r] = _mm256_cvtepu8_epi16(_mm_set1_epi32(static_cast<int>(word_at(at))));
      }
#pragma GCC unroll 4
      for (int q = 0; q < 4; ++q) {
        const __m256i right = _mm256_cvtepi8_epi16(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights + q * 16)));
        for (int r = 0; r < Rows; ++r) {
          sum[r][q] = _mm256_add_epi32(sum[r][q], _mm256_madd_epi16(word[r], right));
        }
      }
    }
  }
  for (int r = 0; r < Rows; ++r) {
    int32_t sums[kCols];
    for (int q = 0; q < 4; ++q) {
      int32_t pairs[8];
      std::memcpy(pairs, &sum[r][q], sizeof pairs);
      for (int j = 0; j < 4; ++j) sums[4 * q + j] = pairs[2 * j] + pairs[2 * j + 1];
    }
    write_sums(tile, r, 0, sums);
  }
}
constexpr int kShortRows = 2;

#else

template <int Rows, int Panels>
void by_shorts(const Tile& tile) {
  const Int8Panels& b = tile.b;
  static_assert(Rows == 1 && Panels == 1);
  int32_t sums[kCols] = {};
  const int8_t* weights = b.weights + tile.panel * b.panel_bytes();
  for (int64_t s = 0; s < b.segments; ++s) {
    const uint8_t* left = tile.lefts[0] + b.offsets[s];
    for (int64_t p = 0; p < b.words; ++p, weights += kWordBytes, left += kInt8Word) {
      for (int64_t j = 0; j < kCols; ++j) {
        const int8_t* const right = weights + j * kInt8Word;
        sums[j] +=
            left[0] * right[0] + left[1] * right[1] + left[2] * right[2] + left[3] * right[3];
      }
    }
  }
  write_sums(tile, 0, 0, sums);
}
constexpr int kShortRows = 1;

#endif

using TileFn = void (*)(const Tile& tile);

// The functions for 1 to MaxRows rows and 1 to MaxPanels panels.
template <int MaxRows, int MaxPanels>
struct Tiles {
  TileFn of[MaxRows][MaxPanels];
};

template <int MaxRows, int MaxPanels>
void multiply_by(const Tiles<MaxRows, MaxPanels>& tiles, const Int8Panels& b, int64_t first,
                 int64_t last, const uint8_t* const* lefts, int64_t rows, const float* scales,
                 int64_t scale_step, float* out) {
  for (int64_t panel = first; panel < last; panel += MaxPanels) {
    const auto panels = static_cast<int>(min(MaxPanels, last - panel));
    for (int64_t row = 0; row < rows; row += MaxRows) {
      const auto count = static_cast<int>(min(MaxRows, rows - row));
      tiles.of[count - 1][panels - 1]({b, panel, lefts + row, scales + row * scale_step, scale_step,
                                       out + row * b.cols + panel * kCols});
    }
  }
}

#if defined(__AVX512F__)
#define EF_TILES(r) {by_bytes<r, 1>, by_bytes<r, 2>, by_bytes<r, 3>, by_bytes<r, 4>}
#elif defined(__AVX2__)
#define EF_TILES(r) {by_bytes<r, 1>}
#endif

#if defined(__AVX2__)
void multiply_bytes(const Int8Panels& b, int64_t first, int64_t last, const uint8_t* const* lefts,
                    int64_t rows, const float* scales, int64_t scale_step, float* out) {
  static constexpr Tiles<kByteRows, kBytePanels> tiles{
      {EF_TILES(1), EF_TILES(2), EF_TILES(3), EF_TILES(4), EF_TILES(5), EF_TILES(6)}};
  multiply_by(tiles, b, first, last, lefts, rows, scales, scale_step, out);
}
#endif

void multiply_shorts(const Int8Panels& b, int64_t first, int64_t last, const uint8_t* const* lefts,
                     int64_t rows, const float* scales, int64_t scale_step, float* out) {
#if defined(__AVX2__)
  static constexpr Tiles<kShortRows, 1> tiles{{{by_shorts<1, 1>}, {by_shorts<2, 1>}}};
#else
  static constexpr Tiles<kShortRows, 1> tiles{{{by_shorts<1, 1>}}};
#endif
  multiply_by(tiles, b, first, last, lefts, rows, scales, scale_step, out);
}

}  // namespace

const Int8Loops& int8_loops() {
#if defined(__AVX2__)
  static const Int8Loops loops{greatest, quantize,
                               multiplies_bytes() ? multiply_bytes : multiply_shorts};
#else
  static const Int8Loops loops{greatest, quantize, multiply_shorts};
#endif
  return loops;
}

}  // namespace ef::cpu::EF_ISA
