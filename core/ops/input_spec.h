// The declaration of one tensor argument of an operation.
#pragma once

#include <cstdint>
#include <vector>

#include "tensor/dtype.h"

namespace ef {

// When the Python value of an input is converted to a tensor, and to which dtype.
enum class Converts : uint8_t {
  // Together with the other inputs, to the dtype of any tensor of the same type, else that of
  // earlier values, else `prefer`.
  kTogether,
  // Separately, before any check, to the only declared dtype, or else to the value's own dtype. The
  // dtypes of earlier inputs of the same type are only hints.
  kAlone,
  // Before any check, to the dtype of the first input of the same type.
  kLikeFirst,
};

// One tensor argument, as TensorFlow declares it.
struct InputSpec {
  const char* name;
  DTypeSet dtypes = kNumericTypes;  // dtypes with a kernel
  // TensorFlow's type attribute: inputs with the same one have the same dtype. Not used if there is
  // only one dtype.
  const char* type = "T";
  bool variadic = false;  // accepts a list of tensors; at most one such input, and it is the last
  // May be None, then it is absent from the call; a list may be empty. Only at the end.
  bool optional = false;
  Converts converts = Converts::kTogether;
  DType prefer = DType::kInvalid;  // dtype for Python values if no other input determines it
  // Dtypes that TensorFlow declares without a kernel, which raises another error. If empty: all
  // stored dtypes if `dtypes` contains strings, otherwise none.
  DTypeSet no_kernel = {};
  int first = -1;  // index of the first input of the same type; set by the op table

  // The only declared dtype, or kInvalid.
  DType fixed() const { return no_kernel.bits() ? DType::kInvalid : dtypes.only(); }
  // Whether both inputs must have the same dtype.
  bool shares_type(const InputSpec& other) const;
  // All dtypes that TensorFlow declares.
  DTypeSet declared() const;
};

// Sets `first` of each input.
void number_types(std::vector<InputSpec>& inputs);

}  // namespace ef
