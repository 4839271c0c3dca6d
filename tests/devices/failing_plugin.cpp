// A plugin that behaves as another one, whose device is lost after some programs have run, or is
// missing.
#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "pjrt_c_api.h"

namespace {

const PJRT_Api* whole = nullptr;
char lost;  // stands for the error
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

bool is_lost(const PJRT_Error* error) { return reinterpret_cast<const char*>(error) == &lost; }

void destroy(PJRT_Error_Destroy_Args* args) {
  if (!is_lost(args->error)) whole->PJRT_Error_Destroy(args);
}

void message(PJRT_Error_Message_Args* args) {
  if (!is_lost(args->error)) return whole->PJRT_Error_Message(args);
  args->message =
      std::getenv("WITHOUT_DEVICES") ? "there is no device" : "the device has fallen off the bus";
  args->message_size = std::strlen(args->message);
}

PJRT_Error* code(PJRT_Error_GetCode_Args* args) {
  if (!is_lost(args->error)) return whole->PJRT_Error_GetCode(args);
  args->code = PJRT_Error_Code_UNAVAILABLE;
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
  api.PJRT_Client_BufferFromHostBuffer = copy;
  api.PJRT_Event_Await = await;
  api.PJRT_Error_Destroy = destroy;
  api.PJRT_Error_Message = message;
  api.PJRT_Error_GetCode = code;
  return &api;
}
