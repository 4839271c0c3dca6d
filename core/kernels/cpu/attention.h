// Attention, softmax(queries * keysᵀ + mask) * values, without the matrix of scores in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "ops/kernel_context.h"

namespace ef::cpu {

// A batch of attentions ("heads") over contiguous matrices: queries [heads, queries, size], keys
// [heads, keys, size] and values [heads, keys, value_size].
struct Attention {
  int64_t heads = 0;
  int64_t queries = 0;
  int64_t keys = 0;
  int64_t size = 0;
  int64_t value_size = 0;
  float scale = 1;               // of the scores
  bool keys_in_columns = false;  // they are [heads, size, keys]
  const float* query = nullptr;
  const float* key = nullptr;
  const float* value = nullptr;
  // Added to the scaled scores, or subtracted from them; null if there is no mask. Strides of 0
  // broadcast; columns are 0 or 1 apart.
  const float* mask = nullptr;
  float mask_sign = 1;
  int64_t mask_row = 0;
  int64_t mask_column = 0;
  std::vector<int64_t> mask_starts;  // of the heads
  // An alternative to `mask`: scores count where an element equals `shown`, and are replaced by
  // `hidden` elsewhere.
  const bool* chosen = nullptr;
  bool shown = true;
  float hidden = 0;
};

// Whether these kernels are faster than separate steps for this dtype and number of keys. Shorter
// floats are computed as float32.
bool suits_attention(DType dtype, int64_t keys);

// The sizes of attention of matrices of one batch. False if they do not fit together.
bool place_matrices(const Shape& query, const Shape& key, const Shape& value, Attention& a);

// Where a mask of this shape begins for each head, and its strides. False if it does not broadcast
// to the scores [..., queries, keys].
bool place_mask(const Shape& mask, const Shape& scores, Attention& a);

// The number of values that the forward pass stores for the backward pass. With few keys these are
// the weights: reading them is faster than computing them again. Otherwise they are, for each row,
// the greatest score and the sum of the exponentials. Both are stored, because the logarithm of the
// sum would be lost in the last bits of large scores.
int64_t kept_size(const Attention& a);

// `result` is [heads, queries, value_size]. `kept` receives the values for the backward pass; it
// may be null.
void attention(const Attention& a, float* result, float* kept);

// The gradients with respect to queries, keys and values, in their layouts, from the gradient of
// the result. Gradients whose pointers are null are not computed.
void attention_grad(const Attention& a, const float* result, const float* kept,
                    const float* result_grad, float* query_grad, float* key_grad,
                    float* value_grad);

// The same for operations (ops/attention.h).
int64_t kept_size(const Shape& query, const Shape& key);
void run_attention(KernelContext& context);
void run_attention_grad(KernelContext& context);

}  // namespace ef::cpu
