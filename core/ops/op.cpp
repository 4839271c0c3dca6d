// The table of all operations.
#include "ops/op.h"

#include <utility>

namespace ef {
namespace {

std::vector<const Op*>& mutable_table() {
  static std::vector<const Op*> table;
  return table;
}

}  // namespace

Op::Op(OpSpec spec) : OpSpec(std::move(spec)), index(static_cast<int>(mutable_table().size())) {
  mutable_table().push_back(this);
}

const std::vector<const Op*>& op_table() { return mutable_table(); }

}  // namespace ef
