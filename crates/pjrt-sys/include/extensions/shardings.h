// Extension: shardings.
// How parameters and outputs are sharded; frameworks infer output shardings of programs for
// several devices from it.

#ifndef PJRT_SYS_EXTENSIONS_SHARDINGS_H_
#define PJRT_SYS_EXTENSIONS_SHARDINGS_H_

#include "../core/base.h"

#define PJRT_API_SHARDINGS_EXTENSION_VERSION 1

/// Arguments of PJRT_Shardings_PJRT_Executable_ParameterShardings.
typedef struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args {
  size_t struct_size;  ///< in, since 0.91
  PJRT_Extension_Base* extension_start;  ///< in, since 0.91
  PJRT_Executable* executable;  ///< in, since 0.91
  size_t num_parameters;  ///< out, since 0.91
  const char *const* shardings;  ///< out, since 0.91
  const size_t* sharding_sizes;  ///< out, since 0.91
} PJRT_Shardings_PJRT_Executable_ParameterShardings_Args;
PJRT_LAYOUT(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args, sharding_sizes, 91:48)

/// One serialized OpSharding per parameter; a null array means not available. Since 0.91.
typedef PJRT_Error* PJRT_Shardings_PJRT_Executable_ParameterShardings(
    PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args);

/// Arguments of PJRT_Shardings_PJRT_Executable_OutputShardings.
typedef struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args {
  size_t struct_size;  ///< in, since 0.91
  PJRT_Extension_Base* extension_start;  ///< in, since 0.91
  PJRT_Executable* executable;  ///< in, since 0.91
  size_t num_outputs;  ///< out, since 0.91
  const char *const* shardings;  ///< out, since 0.91
  const size_t* sharding_sizes;  ///< out, since 0.91
} PJRT_Shardings_PJRT_Executable_OutputShardings_Args;
PJRT_LAYOUT(PJRT_Shardings_PJRT_Executable_OutputShardings_Args, sharding_sizes, 91:48)

/// One serialized OpSharding per output; a null array means not available. Since 0.91.
typedef PJRT_Error* PJRT_Shardings_PJRT_Executable_OutputShardings(
    PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;  ///< since 0.91
  /// since 0.91
  PJRT_Shardings_PJRT_Executable_ParameterShardings* PJRT_Shardings_PJRT_Executable_ParameterShardings;
  /// since 0.91
  PJRT_Shardings_PJRT_Executable_OutputShardings* PJRT_Shardings_PJRT_Executable_OutputShardings;
} PJRT_Shardings_Extension;
PJRT_LAYOUT(PJRT_Shardings_Extension, PJRT_Shardings_PJRT_Executable_OutputShardings, 91:40)

PJRT_EXTENSION(PJRT_Shardings_Extension, PJRT_Extension_Type_Shardings, PJRT_API_SHARDINGS_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_SHARDINGS_H_
