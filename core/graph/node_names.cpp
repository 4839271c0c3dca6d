// The names of nodes that the program does not name.
#include "graph/node_names.h"

#include <unordered_map>
#include <unordered_set>

#include "ops/op_facts.h"

namespace ef::graph {
namespace {

// Operations that TensorFlow's functions call by another name.
const std::unordered_map<std::string_view, std::string_view> kNames{
    {"AddV2", "Add"},
    {"ClipByValue", "clip_by_value"},
    {"ConcatV2", "concat"},
    {"DivNoNan", "div_no_nan"},
    {"FloorDiv", "floordiv"},
    {"LinSpace", "linspace"},
    {"MatrixDiagV3", "diag"},
    {"OneHot", "one_hot"},
    {"Ones", "ones"},
    {"OnesLike", "ones_like"},
    {"Pack", "stack"},
    {"RandomStandardNormal", "random_normal"},
    {"Range", "range"},
    {"RealDiv", "truediv"},
    {"SplitV", "split"},
    {"Transpose", "transpose"},
    {"Unpack", "unstack"},
    {"Zeros", "zeros"},
    {"ZerosLike", "zeros_like"},
};

const std::unordered_set<std::string_view> kInScope{
    "BesselI0", "BesselI0e", "BesselI1",   "BesselI1e",  "BesselJ0", "BesselJ1",
    "BesselK0", "BesselK0e", "BesselK1",   "BesselK1e",  "BesselY0", "BesselY1",
    "Dawsn",    "Expint",    "FresnelCos", "FresnelSin", "Ndtri",    "Spence",
};

}  // namespace

bool is_in_scope_of_name(const Op& op) { return kInScope.contains(tf_name(op)); }

std::string_view default_node_name(const Op& op) {
  const auto found = kNames.find(tf_name(op));
  return found == kNames.end() ? tf_name(op) : found->second;
}

}  // namespace ef::graph
