// Attention by blocks of scores, which stay in the cache.
//
// A row of scores is a row of a softmax whose maximum and sum are corrected as blocks come in; what
// has been added up for smaller maxima is scaled down. The backward pass computes the blocks again
// from the logarithms of the sums.
#include "kernels/cpu/attention.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

#include "device/parallel.h"
#include "device/scratch.h"
#include "kernels/cpu/elementwise_loops.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/row_loops.h"
#include "kernels/cpu/short_gemm.h"
#include "kernels/cpu/transpose.h"
#include "kernels/cpu/widen.h"

namespace ef::cpu {
namespace {

constexpr int64_t kRowBlock = 64;
constexpr int64_t kMostColumns = 256;
// Whole tiles of the matrix products, for every instruction set.
constexpr int64_t kColumnUnit = 48;
// The least number of multiplications of a thread.
constexpr int64_t kAttentionGrain = 300'000;
// exp(-kNothing) is 0 in float.
constexpr float kNothing = 110;

bool keeps_weights(const Attention& a) { return a.keys <= kMostColumns; }

int64_t ceil_of(int64_t a, int64_t b) { return (a + b - 1) / b; }

// c = a * b, or c += a * b, with strides of rows and columns.
struct Matrix {
  const float* data;
  int64_t row;
  int64_t column = 1;
};
void multiply_block(int64_t m, int64_t n, int64_t k, Matrix a, Matrix b, float* c, int64_t ldc,
                    bool add) {
  best::gemm_kernels().medium_sgemm(m, n, k, a.data, a.row, a.column, b.data, b.row, b.column, c,
                                    ldc, add);
}

void transpose(float* out, const float* in, int64_t rows, int64_t columns, int64_t out_stride,
               int64_t in_stride) {
  best::transpose_kernels().bytes4(out, in, rows, columns, out_stride, in_stride);
}

// The rows and columns of a block of scores.
struct ScoreBlock {
  int64_t row;
  int64_t rows;
  int64_t column;
  int64_t columns;
};

class Blocks {
 public:
  explicit Blocks(const Attention& a)
      : a_(a),
        row_blocks_(ceil_of(a.queries, kRowBlock)),
        width_(ceil_of(ceil_of(a.keys, ceil_of(a.keys, kMostColumns)), kColumnUnit) * kColumnUnit),
        column_blocks_(ceil_of(a.keys, width_)) {
    find_hidden();
  }
  int64_t row_blocks() const { return row_blocks_; }
  int64_t column_blocks() const { return column_blocks_; }
  int64_t width() const { return width_; }  // of a block

  ScoreBlock at(int64_t i, int64_t j) const {
    const int64_t row = i * kRowBlock, column = j * width_;
    return {row, std::min(kRowBlock, a_.queries - row), column, std::min(width_, a_.keys - column)};
  }
  bool hides_some() const { return !hidden_.empty(); }
  // Whether the mask makes all weights of a block 0.
  bool hides(int64_t head, int64_t i, int64_t j) const {
    if (hidden_.empty()) return false;
    const auto index = matrix_of_[static_cast<size_t>(head)];
    return hidden_[static_cast<size_t>((index * row_blocks_ + i) * column_blocks_ + j)] != 0;
  }

 private:
  // The greatest length of a row, which is not finite if one of the numbers is not.
  static float longest(const float* rows, int64_t count, int64_t size) {
    float most = 0;
    for (int64_t r = 0; r < count; ++r) {
      const float square = row_loops_of<float>().dot(rows + r * size, rows + r * size, size);
      if (!(square <= most)) most = square;
      if (!std::isfinite(most)) break;
    }
    return std::sqrt(most);
  }

  // A block is hidden if its scores are so much smaller than others of the same rows that their
  // weights are 0: scores lie between -limit and limit, by Cauchy and Schwarz, before the mask.
  void find_hidden() {
    const bool masked = a_.mask || a_.chosen;
    if (!masked || a_.mask_column == 0 || column_blocks_ < 2) return;
    if (a_.chosen && !(a_.hidden < 0)) return;
    const int64_t heads = a_.heads;
    const float query = longest(a_.query, heads * a_.queries, a_.size);
    // Columns of keys are as short as the longest row of them allows.
    const float key = a_.keys_in_columns ? longest(a_.key, heads * a_.size, a_.keys) *
                                               std::sqrt(static_cast<float>(a_.size))
                                         : longest(a_.key, heads * a_.keys, a_.size);
    const float limit = std::abs(a_.scale) * query * key * 1.01F + 1;
    const float value = longest(a_.value, heads * a_.keys, a_.value_size);
    if (!std::isfinite(limit) || !std::isfinite(value)) return;  // 0 * NaN is NaN
    std::map<int64_t, int64_t> matrices;                         // by their starts
    for (const int64_t start : a_.mask_starts) {
      const auto found = matrices.emplace(start, static_cast<int64_t>(matrices.size())).first;
      matrix_of_.push_back(found->second);
    }
    hidden_.resize(matrices.size() * static_cast<size_t>(row_blocks_ * column_blocks_));
    std::vector<int64_t> starts(matrices.size());
    for (const auto& [start, index] : matrices) starts[static_cast<size_t>(index)] = start;
    const auto count = static_cast<int64_t>(starts.size()) * row_blocks_;
    parallel_for(count, std::max<int64_t>(1, kAttentionGrain / (kRowBlock * a_.keys)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t unit = begin; unit < end; ++unit) {
                     const auto start = starts[static_cast<size_t>(unit / row_blocks_)];
                     find_hidden(start, unit, limit);
                   }
                 });
  }

  // What is added to scores at most, among some of a row of the mask. Those that are not chosen are
  // taken for as small as their number and the least score, which hides fewer blocks.
  float most_of(int64_t start, int64_t count) const {
    const auto& loops = row_loops_of<float>();
    if (a_.mask) {
      const float* const part = a_.mask + start;
      return a_.mask_sign > 0 ? loops.max(part, count) : -loops.min(part, count);
    }
    const bool counts = std::memchr(a_.chosen + start, a_.shown, static_cast<size_t>(count));
    return counts ? 0 : a_.hidden;
  }

  void find_hidden(int64_t start, int64_t unit, float limit) {
    constexpr float kLeast = -std::numeric_limits<float>::infinity();
    const int64_t i = unit % row_blocks_;
    std::vector<float> most(static_cast<size_t>(column_blocks_), kLeast);
    float least_row = -kLeast;  // of the rows' greatest numbers
    const int64_t rows = a_.mask_row == 0 ? 1 : at(i, 0).rows;
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t row = start + (i * kRowBlock + r) * a_.mask_row;
      float greatest = kLeast;
      for (int64_t j = 0; j < column_blocks_; ++j) {
        const ScoreBlock block = at(i, j);
        const float top = most_of(row + block.column, block.columns);
        greatest = std::max(greatest, top);
        float& whole = most[static_cast<size_t>(j)];
        if (!(top <= whole)) whole = top;
      }
      least_row = std::min(least_row, greatest);
    }
    for (int64_t j = 0; j < column_blocks_; ++j) {
      hidden_[static_cast<size_t>(unit * column_blocks_ + j)] =
          most[static_cast<size_t>(j)] + limit < least_row - limit - kNothing;
    }
  }

  const Attention& a_;
  int64_t row_blocks_;
  int64_t width_;
  int64_t column_blocks_;
  std::vector<char> hidden_;        // by mask, rows and columns; empty if none is
  std::vector<int64_t> matrix_of_;  // the heads' masks
};

// Matrices [keys, size] of all heads, turned: the part of each block of columns is [size, columns],
// so that products read it in the order of memory.
class Turned {
 public:
  // `in_columns`: the matrices are [size, keys] as they come.
  Turned(const Attention& a, const Blocks& blocks, const float* matrices, int64_t size,
         bool in_columns)
      : memory_(static_cast<size_t>(a.heads * a.keys * size) * sizeof(float)),
        keys_(a.keys),
        size_(size) {
    float* const out = memory_.as<float>();
    parallel_for(a.heads, std::max<int64_t>(1, kAttentionGrain / (4 * a.keys * size + 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t h = begin; h < end; ++h) {
                     for (int64_t j = 0; j < blocks.column_blocks(); ++j) {
                       const ScoreBlock block = blocks.at(0, j);
                       float* const to = out + (h * keys_ + block.column) * size;
                       const float* const from = matrices + h * keys_ * size;
                       if (!in_columns) {
                         transpose(to, from + block.column * size, size, block.columns,
                                   block.columns, size);
                         continue;
                       }
                       for (int64_t p = 0; p < size; ++p) {
                         std::memcpy(to + p * block.columns, from + p * keys_ + block.column,
                                     static_cast<size_t>(block.columns) * sizeof(float));
                       }
                     }
                   }
                 });
  }
  Matrix at(int64_t head, const ScoreBlock& block) const {
    return {memory_.as<float>() + (head * keys_ + block.column) * size_, block.columns};
  }

 private:
  Scratch memory_;
  int64_t keys_;
  int64_t size_;
};

// Puts the number for hidden scores in their places.
void hide(const Attention& a, int64_t head, const ScoreBlock& block, float* out, int64_t width) {
  const SelectLoop loop = element_loops().select[2];
  const bool* const chosen = a.chosen + a.mask_starts[static_cast<size_t>(head)];
  for (int64_t r = 0; r < block.rows; ++r) {
    const bool* const row = chosen + (block.row + r) * a.mask_row + block.column * a.mask_column;
    float* const to = out + r * width;
    if (a.mask_column == 0) {
      if (*row != a.shown) std::fill_n(to, block.columns, a.hidden);
      continue;
    }
    if (a.shown) {
      loop(to, row, to, &a.hidden, block.columns, 1, 0);
    } else {
      loop(to, row, &a.hidden, to, block.columns, 0, 1);
    }
  }
}

// The scores of a block: products of scaled queries and keys, and the mask.
void scores(const Attention& a, const Turned& keys, const float* scaled, int64_t head,
            const ScoreBlock& block, float* out, int64_t width) {
  multiply_block(block.rows, block.columns, a.size, {scaled, a.size}, keys.at(head, block), out,
                 width, false);
  if (a.chosen) return hide(a, head, block, out, width);
  if (!a.mask) return;
  const float* const mask = a.mask + a.mask_starts[static_cast<size_t>(head)];
  const auto& loops = row_loops_of<float>();
  for (int64_t r = 0; r < block.rows; ++r) {
    const float* const row = mask + (block.row + r) * a.mask_row;
    float* const to = out + r * width;
    if (a.mask_column == 1) {
      loops.add_scaled(to, row + block.column, a.mask_sign, block.columns);
    } else {
      for (int64_t c = 0; c < block.columns; ++c) to[c] += a.mask_sign * *row;
    }
  }
}

// What a thread needs to go through rows of blocks.
struct Room {
  explicit Room(const Attention& a, const Blocks& blocks, int matrices)
      : width(blocks.width()),
        memory(static_cast<size_t>(kRowBlock * (matrices * width + a.size + 2)) * sizeof(float)),
        scaled(memory.as<float>()),
        tops(scaled + kRowBlock * a.size),
        totals(tops + kRowBlock),
        weights(totals + kRowBlock),
        slopes(weights + kRowBlock * width) {}

  void scale_queries(const Attention& a, int64_t head, const ScoreBlock& block) const {
    const float* const from = a.query + (head * a.queries + block.row) * a.size;
    row_loops_of<float>().scale(scaled, from, a.scale, block.rows * a.size);
  }

  int64_t width;
  Scratch memory;
  float* scaled;   // queries of a block
  float* tops;     // the rows' greatest scores
  float* totals;   // and the sums of their exponentials
  float* weights;  // a block
  float* slopes;   // another one, if there is room for it
};

// Rows of the result for keys that are one block: the arithmetic is that of a softmax and a
// product, one after the other. Weights are kept unless `kept` is null.
void whole_rows(const Attention& a, const Blocks& blocks, const Turned& keys, int64_t head,
                int64_t i, const Room& room, float* result, float* kept) {
  const auto& loops = row_loops_of<float>();
  const ScoreBlock block = blocks.at(i, 0);
  const int64_t first = head * a.queries + block.row, size = a.value_size;
  float* const weights = kept ? kept + first * a.keys : room.weights;
  room.scale_queries(a, head, block);
  scores(a, keys, room.scaled, head, block, weights, a.keys);
  for (int64_t r = 0; r < block.rows; ++r) {
    float* const row = weights + r * a.keys;
    const float sum = loops.exp_shifted(row, row, loops.max(row, a.keys), a.keys);
    loops.scale(row, row, 1 / sum, a.keys);
  }
  multiply_block(block.rows, size, a.keys, {weights, a.keys},
                 {a.value + head * a.keys * size, size}, result + first * size, size, false);
}

// Rows of the result, block by block. Keeps the greatest scores of all rows, then the sums.
void forward_rows(const Attention& a, const Blocks& blocks, const Turned& keys, int64_t head,
                  int64_t i, const Room& room, float* result, float* kept) {
  constexpr float kLeast = -std::numeric_limits<float>::infinity();
  const auto& loops = row_loops_of<float>();
  const int64_t size = a.value_size;
  const ScoreBlock rows = blocks.at(i, 0);
  float* const out = result + (head * a.queries + rows.row) * size;
  room.scale_queries(a, head, rows);
  bool first = true;
  for (int64_t j = 0; j < blocks.column_blocks(); ++j) {
    if (blocks.hides(head, i, j)) continue;
    const ScoreBlock block = blocks.at(i, j);
    scores(a, keys, room.scaled, head, block, room.weights, room.width);
    for (int64_t r = 0; r < block.rows; ++r) {
      float* const row = room.weights + r * room.width;
      float top = loops.max(row, block.columns);
      if (!first) top = std::max(room.tops[r], top);
      const float shift = top == kLeast ? 0 : top;  // all that came so far is hidden
      const float sum = loops.exp_shifted(row, row, shift, block.columns);
      if (first) {
        room.totals[r] = sum;
      } else if (top != room.tops[r]) {
        const float factor = std::exp(room.tops[r] - shift);
        room.totals[r] = room.totals[r] * factor + sum;
        loops.scale(out + r * size, out + r * size, factor, size);
      } else {
        room.totals[r] += sum;
      }
      room.tops[r] = top;
    }
    const Matrix values{a.value + (head * a.keys + block.column) * size, size};
    multiply_block(block.rows, size, block.columns, {room.weights, room.width}, values, out, size,
                   !first);
    first = false;
  }
  for (int64_t r = 0; r < rows.rows; ++r) {
    loops.scale(out + r * size, out + r * size, 1 / room.totals[r], size);
    if (!kept) continue;
    float* const row = kept + head * a.queries + rows.row + r;
    row[0] = room.tops[r];
    row[a.heads * a.queries] = room.totals[r];
  }
}

// The backward pass over some blocks of a head.
class Backward {
 public:
  Backward(const Attention& a, const Blocks& blocks, const float* result, const float* kept,
           const float* result_grad)
      : a_(a),
        blocks_(blocks),
        keys_(a, blocks, a.key, keeps_weights(a) ? 0 : a.size, a.keys_in_columns),
        values_(a, blocks, a.value, a.value_size, false),
        result_(result),
        kept_(kept),
        grad_(result_grad) {}

  // Gradients of this head: those that are null are not computed. Blocks add to what earlier ones
  // have given; where some are hidden, the memory has to be zeros at first.
  struct Heads {
    const float* key_rows = nullptr;  // [keys, size]
    float* query = nullptr;
    float* key = nullptr;
    float* value = nullptr;
  };
  void go(int64_t head, int64_t i, int64_t j, const Room& room, const Heads& to) const {
    if (blocks_.hides(head, i, j)) return;
    const auto& loops = row_loops_of<float>();
    const ScoreBlock block = blocks_.at(i, j);
    const int64_t width = room.width, size = a_.value_size;
    const int64_t first = head * a_.queries + block.row;
    const bool more_rows = i > 0 || blocks_.hides_some();
    const float* weights = room.weights;
    int64_t stride = width;
    if (keeps_weights(a_)) {
      weights = kept_ + first * a_.keys;
      stride = a_.keys;
    } else {
      scores(a_, keys_, room.scaled, head, block, room.weights, width);
      for (int64_t r = 0; r < block.rows; ++r) {
        float* const row = room.weights + r * width;
        const float top = kept_[first + r], sum = kept_[a_.heads * a_.queries + first + r];
        loops.exp_shifted(row, row, top, block.columns);
        loops.scale(row, row, 1 / sum, block.columns);
      }
    }
    const float* const grad = grad_ + first * size;
    if (to.value) {
      multiply_block(block.columns, size, block.rows, {weights, 1, stride}, {grad, size},
                     to.value + block.column * size, size, more_rows);
    }
    if (!to.query && !to.key) return;
    multiply_block(block.rows, block.columns, size, {grad, size}, values_.at(head, block),
                   room.slopes, width, false);
    for (int64_t r = 0; r < block.rows; ++r) {
      float* const row = room.slopes + r * width;
      loops.softmax_grad(row, row, weights + r * stride, room.totals[r], block.columns);
    }
    if (to.query) {
      multiply_block(block.rows, a_.size, block.columns, {room.slopes, width},
                     {to.key_rows + block.column * a_.size, a_.size},
                     to.query + block.row * a_.size, a_.size, j > 0 || blocks_.hides_some());
    }
    if (to.key) {
      multiply_block(block.columns, a_.size, block.rows, {room.slopes, 1, width},
                     {room.scaled, a_.size}, to.key + block.column * a_.size, a_.size, more_rows);
    }
  }

  // To be called before `go` for blocks of these rows.
  void begin_rows(int64_t head, int64_t i, const Room& room) const {
    const ScoreBlock block = blocks_.at(i, 0);
    const int64_t first = head * a_.queries + block.row;
    room.scale_queries(a_, head, block);
    for (int64_t r = 0; r < block.rows; ++r) {
      const int64_t at = (first + r) * a_.value_size;
      room.totals[r] = row_loops_of<float>().dot(grad_ + at, result_ + at, a_.value_size);
    }
  }

 private:
  const Attention& a_;
  const Blocks& blocks_;
  const Turned keys_, values_;
  const float* result_;
  const float* kept_;
  const float* grad_;
};

}  // namespace

bool suits_attention(DType dtype, int64_t keys) {
  // Of fewer keys, products that the processor computes of bfloat16 are faster than what they save.
  constexpr int64_t kManyKeys = 512;
  if (dtype == DType::kBfloat16 && multiplies_bfloat16()) return keys >= kManyKeys;
  return dtype == DType::kFloat32 || is_short_float(dtype);
}

bool place_matrices(const Shape& query, const Shape& key, const Shape& value, Attention& a) {
  const int rank = query.rank();
  if (rank < 2 || key.rank() != rank || value.rank() != rank) return false;
  a.heads = 1;
  for (int i = 0; i < rank - 2; ++i) {
    if (key[i] != query[i] || value[i] != query[i]) return false;
    a.heads *= query[i];
  }
  a.queries = query.back(1);
  a.size = query.back(0);
  a.keys = key.back(a.keys_in_columns ? 0 : 1);
  a.value_size = value.back(0);
  return key.back(a.keys_in_columns ? 1 : 0) == a.size && value.back(1) == a.keys;
}

bool place_mask(const Shape& mask, const Shape& scores, Attention& a) {
  if (mask.rank() > scores.rank()) return false;
  std::vector<int64_t> strides(static_cast<size_t>(scores.rank()));
  int64_t stride = 1;
  for (int i = 0; i < mask.rank(); ++i) {
    const int64_t size = mask.back(i);
    if (size != 1 && size != scores.back(i)) return false;
    strides[strides.size() - 1 - static_cast<size_t>(i)] = size == 1 ? 0 : stride;
    stride *= size;
  }
  a.mask_column = strides.back();
  a.mask_row = strides[strides.size() - 2];
  a.mask_starts.assign(static_cast<size_t>(a.heads), 0);
  for (int64_t h = 0; h < a.heads; ++h) {
    int64_t index = h, start = 0;
    for (int i = scores.rank() - 3; i >= 0; --i) {
      start += index % scores[i] * strides[static_cast<size_t>(i)];
      index /= scores[i];
    }
    a.mask_starts[static_cast<size_t>(h)] = start;
  }
  return true;
}

int64_t kept_size(const Attention& a) {
  return a.heads * a.queries * (keeps_weights(a) ? a.keys : 2);
}

void attention(const Attention& a, float* result, float* kept) {
  const Blocks blocks(a);
  const Turned keys(a, blocks, a.key, a.size, a.keys_in_columns);
  const int64_t units = a.heads * blocks.row_blocks();
  const int64_t cost = std::min(kRowBlock, a.queries) * a.keys * (a.size + a.value_size) + 1;
  parallel_for(units, std::max<int64_t>(1, kAttentionGrain / cost),
               [&](int64_t begin, int64_t end) {
                 const Room room(a, blocks, 1);
                 for (int64_t unit = begin; unit < end; ++unit) {
                   const auto rows = keeps_weights(a) ? whole_rows : forward_rows;
                   rows(a, blocks, keys, unit / blocks.row_blocks(), unit % blocks.row_blocks(),
                        room, result, kept);
                 }
               });
}

void attention_grad(const Attention& a, const float* result, const float* kept,
                    const float* result_grad, float* query_grad, float* key_grad,
                    float* value_grad) {
  const Blocks blocks(a);
  const Backward backward(a, blocks, result, kept, result_grad);
  const int64_t query_size = a.queries * a.size, key_size = a.keys * a.size;
  const int64_t value_size = a.keys * a.value_size;
  const auto clear = [&](float* gradient, int64_t size) {
    if (gradient && blocks.hides_some()) std::fill_n(gradient, a.heads * size, 0.0F);
  };
  clear(query_grad, query_size);
  clear(key_grad, key_size);
  clear(value_grad, value_size);
  // Keys that are columns are turned for the time of the pass.
  const Scratch turned_keys(a.keys_in_columns ? a.heads * key_size * sizeof(float) : 0);
  const Scratch turned_grads(a.keys_in_columns && key_grad ? a.heads * key_size * sizeof(float)
                                                           : 0);
  const float* key_rows = a.key;
  float* key_row_grads = key_grad;
  if (a.keys_in_columns) {
    key_rows = turned_keys.as<float>();
    for (int64_t h = 0; h < a.heads; ++h) {
      transpose(turned_keys.as<float>() + h * key_size, a.key + h * key_size, a.keys, a.size,
                a.size, a.keys);
    }
    if (key_grad) {
      key_row_grads = turned_grads.as<float>();
      clear(key_row_grads, key_size);
    }
  }
  const auto heads_of = [&](int64_t h, bool queries, bool keys) {
    return Backward::Heads{key_rows + h * key_size,
                           queries && query_grad ? query_grad + h * query_size : nullptr,
                           keys && key_grad ? key_row_grads + h * key_size : nullptr,
                           keys && value_grad ? value_grad + h * value_size : nullptr};
  };
  const int64_t row_blocks = blocks.row_blocks(), column_blocks = blocks.column_blocks();
  const auto finish_rows = [&](int64_t h, int64_t i) {
    if (!query_grad) return;
    const ScoreBlock block = blocks.at(i, 0);
    float* const rows = query_grad + h * query_size + block.row * a.size;
    row_loops_of<float>().scale(rows, rows, a.scale, block.rows * a.size);
  };
  const int64_t cost = a.queries * a.keys * (a.size + a.value_size) + 1;
  if (a.heads >= max_threads()) {
    parallel_for(a.heads, std::max<int64_t>(1, kAttentionGrain / cost),
                 [&](int64_t begin, int64_t end) {
                   const Room room(a, blocks, 2);
                   for (int64_t h = begin; h < end; ++h) {
                     const Backward::Heads to = heads_of(h, true, true);
                     for (int64_t i = 0; i < row_blocks; ++i) {
                       backward.begin_rows(h, i, room);
                       for (int64_t j = 0; j < column_blocks; ++j) backward.go(h, i, j, room, to);
                       finish_rows(h, i);
                     }
                   }
                 });
  } else {
    // Threads share the heads: those of keys and values by columns, those of queries by rows.
    if (key_grad || value_grad) {
      parallel_for(a.heads * column_blocks, 1, [&](int64_t begin, int64_t end) {
        const Room room(a, blocks, 2);
        for (int64_t unit = begin; unit < end; ++unit) {
          const int64_t h = unit / column_blocks;
          const Backward::Heads to = heads_of(h, false, true);
          for (int64_t i = 0; i < row_blocks; ++i) {
            backward.begin_rows(h, i, room);
            backward.go(h, i, unit % column_blocks, room, to);
          }
        }
      });
    }
    if (query_grad) {
      parallel_for(a.heads * row_blocks, 1, [&](int64_t begin, int64_t end) {
        const Room room(a, blocks, 2);
        for (int64_t unit = begin; unit < end; ++unit) {
          const int64_t h = unit / row_blocks, i = unit % row_blocks;
          const Backward::Heads to = heads_of(h, true, false);
          backward.begin_rows(h, i, room);
          for (int64_t j = 0; j < column_blocks; ++j) backward.go(h, i, j, room, to);
          finish_rows(h, i);
        }
      });
    }
  }
  if (a.keys_in_columns && key_grad) {
    for (int64_t h = 0; h < a.heads; ++h) {
      transpose(key_grad + h * key_size, key_row_grads + h * key_size, a.size, a.keys, a.keys,
                a.size);
    }
  }
}

}  // namespace ef::cpu
