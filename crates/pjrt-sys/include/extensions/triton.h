// Extension: Triton.
// Published by XLA's GPU plugins only.

#ifndef PJRT_SYS_EXTENSIONS_TRITON_H_
#define PJRT_SYS_EXTENSIONS_TRITON_H_

#include "../core/base.h"

#define PJRT_API_TRITON_EXTENSION_VERSION 2

/// Arguments of PJRT_Triton_Compile.
typedef struct PJRT_Triton_Compile_Args {
  size_t struct_size;  ///< in, since 0.65
  const char* module;  ///< in, since 0.65
  size_t module_size;  ///< in, since 0.65
  const char* arch_name;  ///< in, since 0.65
  size_t arch_name_size;  ///< in, since 0.65
  int num_warps;  ///< in, since 0.65
  int num_ctas;  ///< in, since 0.65
  int num_stages;  ///< in, since 0.65
  const char* out_asm;  ///< out, since 0.65
  size_t out_asm_size;  ///< out, since 0.65
  int64_t out_smem_bytes;  ///< out, since 0.65
  const char* out_path;  ///< out, since 0.90
  size_t out_path_size;  ///< out, since 0.90
} PJRT_Triton_Compile_Args;
PJRT_LAYOUT(PJRT_Triton_Compile_Args, out_path_size, 65:80, 90:96)

/// Compiles a Triton kernel for XLA's GPU plugins. Since 0.65.
typedef PJRT_Error* PJRT_Triton_Compile(PJRT_Triton_Compile_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Triton_Extension {
  PJRT_Extension_Base base;  ///< since 0.68
  PJRT_Triton_Compile* compile;  ///< since 0.68
} PJRT_Triton_Extension;
PJRT_LAYOUT(PJRT_Triton_Extension, compile, 68:32)

/// Another name for the same struct.
typedef PJRT_Triton_Extension PJRT_Triton;

PJRT_EXTENSION(PJRT_Triton_Extension, PJRT_Extension_Type_Triton, PJRT_API_TRITON_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_TRITON_H_
