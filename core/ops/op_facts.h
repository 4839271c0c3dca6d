// Facts about an operation, for code that does not include its entry (ops/op.h).
#pragma once

#include "ops/attrs.h"

namespace ef {

struct Op;

// The name in eagerflow._core.ops.
const char* name(const Op& op);
// TensorFlow's name, for messages and types of nodes: "AddV2".
const char* tf_name(const Op& op);
bool has_gradient(const Op& op);
// Whether the inferred shapes are not the outputs' true shapes.
bool sizes_from_values(const Op& op);

}  // namespace ef
