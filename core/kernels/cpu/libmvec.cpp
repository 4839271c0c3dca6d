#include "kernels/cpu/libmvec.h"

#if defined(__x86_64__)
#include <string>

#include "platform/process.h"
#endif

namespace ef::cpu {

void* mvec_functions[3][2][static_cast<int>(Mvec::kCount)];

#if defined(__x86_64__)
namespace {

struct Name {
  const char* function;
  const char* kind;
};

constexpr Name kNames[] = {
#define EF_MVEC_ENTRY(name, kind) {#name, #kind},
    EF_MVEC_FUNCTIONS(EF_MVEC_ENTRY)
#undef EF_MVEC_ENTRY
};

// A name encodes the instruction set, the number of lanes and that of arguments: `_ZGVdN8v_sinf`.
constexpr const char* kPrefixes[3][2] = {
    {"_ZGVbN4", "_ZGVbN2"}, {"_ZGVdN8", "_ZGVdN4"}, {"_ZGVeN16", "_ZGVeN8"}};

// Looked up when the engine is loaded, before any kernel runs.
const bool looked_up = [] {
  void* const library = platform::load_library("libmvec.so.1");
  if (!library) return false;
  for (int isa = 0; isa < 3; ++isa) {
    for (int wide = 0; wide < 2; ++wide) {
      for (int i = 0; i < static_cast<int>(Mvec::kCount); ++i) {
        const std::string name = std::string(kPrefixes[isa][wide]) + kNames[i].kind + "_" +
                                 kNames[i].function + (wide ? "" : "f");
        mvec_functions[isa][wide][i] = platform::library_symbol(library, name.c_str());
      }
    }
  }
  return true;
}();

}  // namespace
#endif

}  // namespace ef::cpu
