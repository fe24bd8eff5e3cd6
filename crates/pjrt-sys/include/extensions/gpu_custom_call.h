// Extension: GPU custom calls.
// Published by XLA's GPU plugins only.

#ifndef PJRT_SYS_EXTENSIONS_GPU_CUSTOM_CALL_H_
#define PJRT_SYS_EXTENSIONS_GPU_CUSTOM_CALL_H_

#include "../core/base.h"

#define PJRT_API_GPU_EXTENSION_VERSION 3

/// Arguments of PJRT_Gpu_Register_Custom_Call.
typedef struct PJRT_Gpu_Register_Custom_Call_Args {
  size_t struct_size;  ///< in, since 0.31
  const char* function_name;  ///< in, since 0.31
  size_t function_name_size;  ///< in, since 0.31
  int api_version;  ///< in, since 0.40
  void* handler_instantiate;  ///< in, since 0.40
  void* handler_prepare;  ///< in, since 0.54
  void* handler_initialize;  ///< in, since 0.54
  void* handler_execute;  ///< in, since 0.54
  uint32_t traits;  ///< since 0.114
} PJRT_Gpu_Register_Custom_Call_Args;
PJRT_LAYOUT(PJRT_Gpu_Register_Custom_Call_Args, traits, 31:24, 40:40, 54:64, 114:68)

/// Registers the handlers of a custom call target of XLA's GPU plugins. Since 0.31.
typedef PJRT_Error* PJRT_Gpu_Register_Custom_Call(PJRT_Gpu_Register_Custom_Call_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Gpu_Custom_Call {
  PJRT_Extension_Base base;  ///< since 0.68
  PJRT_Gpu_Register_Custom_Call* custom_call;  ///< since 0.68
  bool custom_call_handles_traits;  ///< since 0.114
} PJRT_Gpu_Custom_Call;
PJRT_LAYOUT(PJRT_Gpu_Custom_Call, custom_call_handles_traits, 68:32, 114:33)

PJRT_EXTENSION(PJRT_Gpu_Custom_Call, PJRT_Extension_Type_Gpu_Custom_Call, PJRT_API_GPU_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_GPU_CUSTOM_CALL_H_
