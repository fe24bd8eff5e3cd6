// Extension: phase compilation.
// Compiling phase by phase.

#ifndef PJRT_SYS_EXTENSIONS_PHASE_COMPILE_H_
#define PJRT_SYS_EXTENSIONS_PHASE_COMPILE_H_

#include "../core/base.h"

#define PJRT_API_PHASE_COMPILE_EXTENSION_VERSION 1

/// Arguments of PJRT_PhaseCompile_Get_Compiler.
typedef struct PJRT_PhaseCompile_Get_Compiler_Args {
  size_t struct_size;  ///< in, since 0.70
  PJRT_Extension_Base* extension_start;  ///< in, since 0.70
  const PJRT_PhaseCompiler* phase_compiler;  ///< out, since 0.70
} PJRT_PhaseCompile_Get_Compiler_Args;
PJRT_LAYOUT(PJRT_PhaseCompile_Get_Compiler_Args, phase_compiler, 70:24)

/// A compiler that can run its phases one at a time. Since 0.70.
typedef PJRT_Error* PJRT_PhaseCompile_Get_Compiler(PJRT_PhaseCompile_Get_Compiler_Args* args);

/// Arguments of PJRT_PhaseCompile_Destroy_Compiler.
typedef struct PJRT_PhaseCompile_Destroy_Compiler_Args {
  size_t struct_size;  ///< in, since 0.70
  PJRT_Extension_Base* extension_start;  ///< in, since 0.70
  const PJRT_PhaseCompiler* phase_compiler;  ///< in, since 0.70
} PJRT_PhaseCompile_Destroy_Compiler_Args;
PJRT_LAYOUT(PJRT_PhaseCompile_Destroy_Compiler_Args, phase_compiler, 70:24)

/// Frees such a compiler. Since 0.70.
typedef void PJRT_PhaseCompile_Destroy_Compiler(PJRT_PhaseCompile_Destroy_Compiler_Args* args);

/// Arguments of PJRT_PhaseCompile_Run_Phase.
typedef struct PJRT_PhaseCompile_Run_Phase_Args {
  size_t struct_size;  ///< in, since 0.70
  PJRT_Extension_Base* extension_start;  ///< in, since 0.70
  const PJRT_PhaseCompiler* phase_compiler;  ///< in, since 0.70
  const char** input_programs;  ///< in, since 0.70
  const size_t* input_programs_sizes;  ///< in, since 0.70
  size_t num_input_programs;  ///< in, since 0.70
  const char** phases_to_run;  ///< in, since 0.70
  const size_t* phases_to_run_sizes;  ///< in, since 0.70
  size_t num_phases_to_run;  ///< in, since 0.70
  const char* compile_options;  ///< in, since 0.70
  size_t compile_options_size;  ///< in, since 0.70
  PJRT_TopologyDescription* topology;  ///< in, since 0.70
  const char** output_programs;  ///< out, since 0.70
  const size_t* output_programs_sizes;  ///< out, since 0.70
  size_t num_output_programs;  ///< out, since 0.70
} PJRT_PhaseCompile_Run_Phase_Args;
PJRT_LAYOUT(PJRT_PhaseCompile_Run_Phase_Args, num_output_programs, 70:120)

/// Runs named phases over serialized partial programs. Since 0.70.
typedef PJRT_Error* PJRT_PhaseCompile_Run_Phase(PJRT_PhaseCompile_Run_Phase_Args* args);

/// Arguments of PJRT_PhaseCompile_Get_PhaseNames.
typedef struct PJRT_PhaseCompile_Get_PhaseNames_Args {
  size_t struct_size;  ///< in, since 0.70
  PJRT_Extension_Base* extension_start;  ///< in, since 0.70
  const PJRT_PhaseCompiler* phase_compiler;  ///< in, since 0.70
  const char** phase_names;  ///< out, since 0.70
  const size_t* phase_names_sizes;  ///< out, since 0.70
  size_t num_phase_names;  ///< out, since 0.70
} PJRT_PhaseCompile_Get_PhaseNames_Args;
PJRT_LAYOUT(PJRT_PhaseCompile_Get_PhaseNames_Args, num_phase_names, 70:48)

/// Names of the phases, in order. Since 0.70.
typedef PJRT_Error* PJRT_PhaseCompile_Get_PhaseNames(PJRT_PhaseCompile_Get_PhaseNames_Args* args);

/// Arguments of PJRT_PhaseCompile_C_Buffers_Destroy.
typedef struct PJRT_PhaseCompile_C_Buffers_Destroy_Args {
  size_t struct_size;  ///< in, since 0.72
  PJRT_Extension_Base* extension_start;  ///< in, since 0.72
  const char** char_buffers;  ///< in, since 0.72
  const size_t* char_buffer_sizes;  ///< in, since 0.72
  size_t num_char_buffers;  ///< in, since 0.72
} PJRT_PhaseCompile_C_Buffers_Destroy_Args;
PJRT_LAYOUT(PJRT_PhaseCompile_C_Buffers_Destroy_Args, num_char_buffers, 72:40)

/// Frees arrays of bytes that the other functions returned. Since 0.72.
typedef void PJRT_PhaseCompile_C_Buffers_Destroy(PJRT_PhaseCompile_C_Buffers_Destroy_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_PhaseCompile_Extension {
  PJRT_Extension_Base base;  ///< since 0.70
  PJRT_PhaseCompile_Get_Compiler* phase_compile_get_compiler;  ///< since 0.70
  PJRT_PhaseCompile_Destroy_Compiler* phase_compile_destroy_compiler;  ///< since 0.70
  PJRT_PhaseCompile_Run_Phase* phase_compile_run_phases;  ///< since 0.70
  PJRT_PhaseCompile_Get_PhaseNames* phase_compile_get_phase_names;  ///< since 0.70
  PJRT_PhaseCompile_C_Buffers_Destroy* phase_compile_c_buffers_destroy;  ///< since 0.72
} PJRT_PhaseCompile_Extension;
PJRT_LAYOUT(PJRT_PhaseCompile_Extension, phase_compile_c_buffers_destroy, 70:56, 72:64)

PJRT_EXTENSION(PJRT_PhaseCompile_Extension, PJRT_Extension_Type_PhaseCompile, PJRT_API_PHASE_COMPILE_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_PHASE_COMPILE_H_
