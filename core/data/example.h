// Reads tf.train.Example messages whose features are all of fixed size.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tensor/tensor.h"

namespace ef {

// A feature that every message must have: its name, its values' dtype (float32, int64 or string)
// and their shape.
struct DenseFeature {
  std::string key;
  DType dtype;
  Shape shape;
};

// One tensor for each feature, with the values of all messages: `[n, shape...]`
// for several messages, `[shape...]` if `single`. Empty if a message is damaged, lacks a feature or
// holds another kind or number of values; the caller reports what is wrong.
std::vector<Tensor> read_dense_examples(std::span<const std::string> messages, bool single,
                                        std::span<const DenseFeature> features);

}  // namespace ef
