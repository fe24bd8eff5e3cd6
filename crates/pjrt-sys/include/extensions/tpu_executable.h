// Extension: TPU executable.
// Published by TPU plugins only.

#ifndef PJRT_SYS_EXTENSIONS_TPU_EXECUTABLE_H_
#define PJRT_SYS_EXTENSIONS_TPU_EXECUTABLE_H_

#include "../core/base.h"

#define PJRT_API_TPU_EXECUTABLE_EXTENSION_VERSION 1

// Opaque handles.
typedef struct PJRT_TpuExecutable_TargetArguments PJRT_TpuExecutable_TargetArguments;
typedef struct PJRT_TpuExecutable_CompiledMemoryStats PJRT_TpuExecutable_CompiledMemoryStats;
typedef struct PJRT_TpuExecutable_CompilationEnvironments PJRT_TpuExecutable_CompilationEnvironments;
typedef struct PJRT_TpuExecutable_CostAnalysisResult PJRT_TpuExecutable_CostAnalysisResult;
typedef struct PJRT_TpuExecutable_HloModuleWithConfig PJRT_TpuExecutable_HloModuleWithConfig;
typedef struct PJRT_TpuExecutable_FieldValue PJRT_TpuExecutable_FieldValue;

/// Arguments of PJRT_TpuExecutable_GetTargetArguments.
typedef struct PJRT_TpuExecutable_GetTargetArguments_Args {
  size_t struct_size;  ///< in, since 0.90
  const char* serialized_executable;  ///< in, since 0.90
  size_t serialized_executable_size;  ///< in, since 0.90
  const char* target_arguments;  ///< out, since 0.90
  size_t target_arguments_size;  ///< out, since 0.90
  PJRT_TpuExecutable_TargetArguments* target_arguments_ptr;  ///< out, since 0.90
  void (*target_arguments_deleter)(PJRT_TpuExecutable_TargetArguments*);  ///< out, since 0.90
} PJRT_TpuExecutable_GetTargetArguments_Args;
PJRT_LAYOUT(PJRT_TpuExecutable_GetTargetArguments_Args, target_arguments_deleter, 90:56)

/// Serialized arguments of the compilation target. Since 0.90.
typedef PJRT_Error* PJRT_TpuExecutable_GetTargetArguments(
    PJRT_TpuExecutable_GetTargetArguments_Args* args);

/// Arguments of PJRT_TpuExecutable_GetHloModuleWithConfig.
typedef struct PJRT_TpuExecutable_GetHloModuleWithConfig_Args {
  size_t struct_size;  ///< in, since 0.90
  const char* serialized_executable;  ///< in, since 0.90
  size_t serialized_executable_size;  ///< in, since 0.90
  const char* hlo_module_with_config;  ///< out, since 0.90
  size_t hlo_module_with_config_size;  ///< out, since 0.90
  PJRT_TpuExecutable_HloModuleWithConfig* hlo_module_with_config_ptr;  ///< out, since 0.90
  /// out, since 0.90
  void (*hlo_module_with_config_deleter)(PJRT_TpuExecutable_HloModuleWithConfig*);
} PJRT_TpuExecutable_GetHloModuleWithConfig_Args;
PJRT_LAYOUT(PJRT_TpuExecutable_GetHloModuleWithConfig_Args, hlo_module_with_config_deleter, 90:56)

/// Serialized HLO module with its configuration. Since 0.90.
typedef PJRT_Error* PJRT_TpuExecutable_GetHloModuleWithConfig(
    PJRT_TpuExecutable_GetHloModuleWithConfig_Args* args);

/// Arguments of PJRT_TpuExecutable_RunHloCostAnalysis.
typedef struct PJRT_TpuExecutable_RunHloCostAnalysis_Args {
  size_t struct_size;  ///< in, since 0.97
  const char* target_arguments;  ///< in, since 0.97
  size_t target_arguments_size;  ///< in, since 0.97
  const char** hlo_module;  ///< in, since 0.97
  size_t* hlo_module_size;  ///< in, since 0.97
  size_t num_hlo_modules;  ///< in, since 0.97
  const PJRT_NamedValue* analysis_results;  ///< out, since 0.97
  size_t num_analysis_results;  ///< out, since 0.97
  PJRT_TpuExecutable_CostAnalysisResult* analysis_results_ptr;  ///< out, since 0.97
  void (*analysis_results_deleter)(PJRT_TpuExecutable_CostAnalysisResult*);  ///< out, since 0.97
} PJRT_TpuExecutable_RunHloCostAnalysis_Args;
PJRT_LAYOUT(PJRT_TpuExecutable_RunHloCostAnalysis_Args, analysis_results_deleter, 97:80)

/// Serialized result of the cost analysis. Since 0.97.
typedef PJRT_Error* PJRT_TpuExecutable_RunHloCostAnalysis(
    PJRT_TpuExecutable_RunHloCostAnalysis_Args* args);

/// Arguments of PJRT_TpuExecutable_GetCompiledMemoryStats.
typedef struct PJRT_TpuExecutable_GetCompiledMemoryStats_Args {
  size_t struct_size;  ///< in, since 0.97
  const char* serialized_executable;  ///< in, since 0.97
  size_t serialized_executable_size;  ///< in, since 0.97
  const char* compiled_memory_stats;  ///< out, since 0.97
  size_t compiled_memory_stats_size;  ///< out, since 0.97
  PJRT_TpuExecutable_CompiledMemoryStats* compiled_memory_stats_ptr;  ///< out, since 0.97
  /// out, since 0.97
  void (*compiled_memory_stats_deleter)(PJRT_TpuExecutable_CompiledMemoryStats*);
} PJRT_TpuExecutable_GetCompiledMemoryStats_Args;
PJRT_LAYOUT(PJRT_TpuExecutable_GetCompiledMemoryStats_Args, compiled_memory_stats_deleter, 97:56)

/// Serialized memory statistics of a compilation. Since 0.97.
typedef PJRT_Error* PJRT_TpuExecutable_GetCompiledMemoryStats(
    PJRT_TpuExecutable_GetCompiledMemoryStats_Args* args);

/// Arguments of PJRT_TpuExecutable_SetTpuCompilationEnv.
typedef struct PJRT_TpuExecutable_SetTpuCompilationEnv_Args {
  size_t struct_size;  ///< in, since 0.97
  const char* serialized_compilation_environments;  ///< in, since 0.97
  size_t serialized_compilation_environments_size;  ///< in, since 0.97
  const char* result_compilation_environments;  ///< out, since 0.97
  size_t result_compilation_environments_size;  ///< out, since 0.97
  /// out, since 0.97
  PJRT_TpuExecutable_CompilationEnvironments* result_compilation_environments_ptr;
  /// out, since 0.97
  void (*result_compilation_environments_deleter)(PJRT_TpuExecutable_CompilationEnvironments*);
} PJRT_TpuExecutable_SetTpuCompilationEnv_Args;
PJRT_LAYOUT(PJRT_TpuExecutable_SetTpuCompilationEnv_Args, result_compilation_environments_deleter,
  97:56)

/// Compilation environments with one option set. Since 0.97.
typedef PJRT_Error* PJRT_TpuExecutable_SetTpuCompilationEnv(
    PJRT_TpuExecutable_SetTpuCompilationEnv_Args* args);

/// Arguments of PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString.
typedef struct PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args {
  size_t struct_size;  ///< in, since 0.97
  const char* serialized_compilation_environments;  ///< in, since 0.97
  size_t serialized_compilation_environments_size;  ///< in, since 0.97
  const char* field_name;  ///< in, since 0.97
  size_t field_name_size;  ///< in, since 0.97
  const char* field_value;  ///< out, since 0.97
  size_t field_value_size;  ///< out, since 0.97
  PJRT_TpuExecutable_FieldValue* field_value_ptr;  ///< out, since 0.97
  void (*field_value_deleter)(PJRT_TpuExecutable_FieldValue*);  ///< out, since 0.97
} PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args;
PJRT_LAYOUT(PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args, field_value_deleter, 97:72)

/// Value of one compilation environment field, as text. Since 0.97.
typedef PJRT_Error* PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString(
    PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString_Args* args);

/// Arguments of PJRT_TpuExecutable_IsTpuPredeterminedError.
typedef struct PJRT_TpuExecutable_IsTpuPredeterminedError_Args {
  size_t struct_size;  ///< in, since 0.98
  const char* serialized_status;  ///< in, since 0.98
  size_t serialized_status_size;  ///< in, since 0.98
  bool is_predetermined;  ///< out, since 0.98
} PJRT_TpuExecutable_IsTpuPredeterminedError_Args;
PJRT_LAYOUT(PJRT_TpuExecutable_IsTpuPredeterminedError_Args, is_predetermined, 98:25)

/// Whether a serialized status is one that repeating the work cannot change. Since 0.98.
typedef PJRT_Error* PJRT_TpuExecutable_IsTpuPredeterminedError(
    PJRT_TpuExecutable_IsTpuPredeterminedError_Args* args);

/// Arguments of PJRT_TpuExecutable_IsTpuCancellationPlaceholderError.
typedef struct PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args {
  size_t struct_size;  ///< since 0.114
  const char* serialized_status;  ///< since 0.114
  size_t serialized_status_size;  ///< since 0.114
  bool is_cancellation_placeholder;  ///< since 0.114
} PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args;
PJRT_LAYOUT(PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args, is_cancellation_placeholder,
  114:25)

/// Whether a serialized status only stands for a cancellation elsewhere. Since 0.114.
typedef PJRT_Error* PJRT_TpuExecutable_IsTpuCancellationPlaceholderError(
    PJRT_TpuExecutable_IsTpuCancellationPlaceholderError_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_TpuExecutable_Extension {
  PJRT_Extension_Base base;  ///< since 0.90
  PJRT_TpuExecutable_GetTargetArguments* get_target_arguments;  ///< since 0.90
  PJRT_TpuExecutable_GetHloModuleWithConfig* get_hlo_module_with_config;  ///< since 0.90
  void* get_core_program_abi_version;  ///< since 0.90
  PJRT_TpuExecutable_GetCompiledMemoryStats* get_compiled_memory_stats;  ///< since 0.97
  PJRT_TpuExecutable_RunHloCostAnalysis* run_hlo_cost_analysis;  ///< since 0.97
  PJRT_TpuExecutable_SetTpuCompilationEnv* set_tpu_compilation_env;  ///< since 0.97
  /// since 0.97
  PJRT_TpuExecutable_GetTpuCompilationEnvFieldAsString* get_tpu_compilation_env_field_as_string;
  PJRT_TpuExecutable_IsTpuPredeterminedError* is_tpu_predetermined_error;  ///< since 0.98
  /// since 0.114
  PJRT_TpuExecutable_IsTpuCancellationPlaceholderError* is_tpu_cancellation_placeholder_error;
} PJRT_TpuExecutable_Extension;
PJRT_LAYOUT(PJRT_TpuExecutable_Extension, is_tpu_cancellation_placeholder_error,
  90:48, 97:80, 98:88, 114:96)

PJRT_EXTENSION(PJRT_TpuExecutable_Extension, PJRT_Extension_Type_TpuExecutable, PJRT_API_TPU_EXECUTABLE_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_TPU_EXECUTABLE_H_
