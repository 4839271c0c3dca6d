// A plugin that behaves as another one, whose device is lost after some programs have run, or is
// missing, or whose compiler lacks an option.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "pjrt_c_api.h"

namespace {

const PJRT_Api* whole = nullptr;
char lost, unknown;  // stand for the errors
std::string unknown_option;
int left = 0;

// Whether the device is lost when this is done for the first time.
bool fails_at(const char* place) {
  const char* const chosen = std::getenv("LOST_AT");
  return chosen && std::strcmp(chosen, place) == 0;
}

PJRT_Error* execute(PJRT_LoadedExecutable_Execute_Args* args) {
  if (left-- <= 0 || fails_at("execute")) return reinterpret_cast<PJRT_Error*>(&lost);
  return whole->PJRT_LoadedExecutable_Execute(args);
}

// Values that variables begin with are there: further ones are not.
PJRT_Error* copy(PJRT_Client_BufferFromHostBuffer_Args* args) {
  static int copies = 0;
  if (fails_at("copy") && ++copies > 2) return reinterpret_cast<PJRT_Error*>(&lost);
  return whole->PJRT_Client_BufferFromHostBuffer(args);
}

PJRT_Error* await(PJRT_Event_Await_Args* args) {
  if (fails_at("read")) return reinterpret_cast<PJRT_Error*>(&lost);
  return whole->PJRT_Event_Await(args);
}

PJRT_Error* create(PJRT_Client_Create_Args* args) {
  if (std::getenv("WITHOUT_DEVICES")) return reinterpret_cast<PJRT_Error*>(&lost);
  return whole->PJRT_Client_Create(args);
}

PJRT_Error* compile(PJRT_Client_Compile_Args* args) {
  const char* const lacking = std::getenv("WITHOUT_OPTION");
  const std::string options(args->compile_options, args->compile_options_size);
  if (lacking && options.find(lacking) != std::string::npos) {
    unknown_option = std::string("No such compile option: '") + lacking + "'";
    return reinterpret_cast<PJRT_Error*>(&unknown);
  }
  return whole->PJRT_Client_Compile(args);
}

bool is(const PJRT_Error* error, const char& which) {
  return reinterpret_cast<const char*>(error) == &which;
}
bool is_ours(const PJRT_Error* error) { return is(error, lost) || is(error, unknown); }

void destroy(PJRT_Error_Destroy_Args* args) {
  if (!is_ours(args->error)) whole->PJRT_Error_Destroy(args);
}

void message(PJRT_Error_Message_Args* args) {
  if (!is_ours(args->error)) return whole->PJRT_Error_Message(args);
  args->message = is(args->error, unknown)         ? unknown_option.c_str()
                  : std::getenv("WITHOUT_DEVICES") ? "there is no device"
                                                   : "the device has fallen off the bus";
  args->message_size = std::strlen(args->message);
}

PJRT_Error* code(PJRT_Error_GetCode_Args* args) {
  if (!is_ours(args->error)) return whole->PJRT_Error_GetCode(args);
  args->code =
      is(args->error, unknown) ? PJRT_Error_Code_INVALID_ARGUMENT : PJRT_Error_Code_UNAVAILABLE;
  return nullptr;
}

}  // namespace

extern "C" const PJRT_Api* GetPjrtApi() {
  static PJRT_Api api;
  void* const library = dlopen(std::getenv("WHOLE_PLUGIN"), RTLD_NOW | RTLD_LOCAL);
  whole = reinterpret_cast<const PJRT_Api* (*)()>(dlsym(library, "GetPjrtApi"))();
  left = std::atoi(std::getenv("PROGRAMS_UNTIL_LOST"));
  std::memcpy(&api, whole, whole->struct_size < sizeof api ? whole->struct_size : sizeof api);
  api.struct_size = sizeof api;
  api.PJRT_LoadedExecutable_Execute = execute;
  api.PJRT_Client_Create = create;
  api.PJRT_Client_Compile = compile;
  api.PJRT_Client_BufferFromHostBuffer = copy;
  api.PJRT_Event_Await = await;
  api.PJRT_Error_Destroy = destroy;
  api.PJRT_Error_Message = message;
  api.PJRT_Error_GetCode = code;
  return &api;
}
