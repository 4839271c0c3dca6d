// Special functions that XLA has.
#include "lower/rule.h"

namespace ef::lower {
namespace {

Values bessel_i1e(const Call& c) { return {c.b.unary("chlo.bessel_i1e", c.in[0])}; }

Values polygamma(const Call& c) {
  return {c.b.binary("chlo.polygamma", c.broadcast(0), c.broadcast(1))};
}
Values zeta(const Call& c) { return {c.b.binary("chlo.zeta", c.broadcast(0), c.broadcast(1))}; }

constexpr std::pair<const char*, Rule> kSpecialRules[] = {
    {"bessel_i1e", bessel_i1e},
    {"polygamma", polygamma},
    {"zeta", zeta},
};

}  // namespace

RuleList special_rules() { return kSpecialRules; }

}  // namespace ef::lower
