// Extension: XLA transformations.
// Hooks into XLA's HLO pipeline.

#ifndef PJRT_SYS_EXTENSIONS_XLA_TRANSFORM_H_
#define PJRT_SYS_EXTENSIONS_XLA_TRANSFORM_H_

#include "../core/base.h"
#include "../core/error.h"

#define PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION 1

/// Where in XLA's pipeline a transformation runs.
typedef enum PJRT_XlaTransform_PipelineStage {
  PJRT_XlaTransform_PipelineStage_kPreScheduler = 0,  ///< since 0.110
  PJRT_XlaTransform_PipelineStage_kPostScheduler = 1,  ///< since 0.110
} PJRT_XlaTransform_PipelineStage;

/// Bytes and their length.
typedef struct PJRT_XlaTransform_string {
  const char* data;  ///< since 0.110
  size_t size;  ///< since 0.110
} PJRT_XlaTransform_string;
PJRT_NO_LAYOUT(PJRT_XlaTransform_string)

/// Version of the caller, and an error that the callee may write.
typedef struct PJRT_XlaTransform_version_and_error {
  int64_t api_version;  ///< since 0.110
  void* data;  ///< out, since 0.110
  void (*cleanup_fn)(void*);  ///< out, since 0.110
  bool has_error;  ///< out, since 0.110
  PJRT_Error_Code code;  ///< out, since 0.110
  PJRT_XlaTransform_string error_msg;  ///< out, since 0.110
} PJRT_XlaTransform_version_and_error;
PJRT_NO_LAYOUT(PJRT_XlaTransform_version_and_error)

/// Arguments of PJRT_XlaTransform.
typedef struct PJRT_XlaTransform_Args {
  size_t struct_size;  ///< in, since 0.110
  PJRT_XlaTransform_version_and_error header;  ///< in and out, since 0.110
  PJRT_XlaTransform_string hlo_module;  ///< in, since 0.110
  PJRT_XlaTransform_string transformed_hlo_module;  ///< out, since 0.110
  bool changed;  ///< out, since 0.110
} PJRT_XlaTransform_Args;
PJRT_LAYOUT(PJRT_XlaTransform_Args, changed, 110:89)

typedef struct PJRT_XlaTransform_Callbacks PJRT_XlaTransform_Callbacks;

/// Callbacks of a transformation of HLO modules.
struct PJRT_XlaTransform_Callbacks {
  int64_t version;  ///< since 0.110
  void (*dtor)(PJRT_XlaTransform_Callbacks*);  ///< since 0.110
  /// since 0.110
  void (*transform_hlo_module)(PJRT_XlaTransform_Callbacks*, PJRT_XlaTransform_Args*);
};
PJRT_NO_LAYOUT(PJRT_XlaTransform_Callbacks)

/// Arguments of PJRT_Register_Xla_Transform_Fn.
typedef struct PJRT_Register_Xla_Transform_Args {
  size_t struct_size;  ///< in, since 0.110
  const char* name;  ///< in, since 0.110
  size_t name_size;  ///< in, since 0.110
  PJRT_XlaTransform_PipelineStage stage;  ///< in, since 0.110
  PJRT_XlaTransform_Callbacks* callbacks;  ///< in, since 0.110
} PJRT_Register_Xla_Transform_Args;
PJRT_LAYOUT(PJRT_Register_Xla_Transform_Args, callbacks, 110:40)

/// Arguments of PJRT_Clear_Xla_Transform_Fn.
typedef struct PJRT_Clear_Xla_Transform_Args {
  size_t struct_size;  ///< in, since 0.111
  PJRT_XlaTransform_PipelineStage stage;  ///< in, since 0.111
  const char* name;  ///< in, since 0.111
  size_t name_size;  ///< in, since 0.111
  PJRT_XlaTransform_Callbacks* callbacks;  ///< in, since 0.111
  bool cleared;  ///< out, since 0.111
} PJRT_Clear_Xla_Transform_Args;
PJRT_LAYOUT(PJRT_Clear_Xla_Transform_Args, cleared, 111:41)

/// Serialized trace and its length.
typedef struct PJRT_HloPassPipelineTrace {
  const char* serialized_trace;  ///< since 0.114
  size_t serialized_trace_size;  ///< since 0.114
} PJRT_HloPassPipelineTrace;
PJRT_NO_LAYOUT(PJRT_HloPassPipelineTrace)

/// Arguments of PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn.
typedef struct PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args {
  size_t struct_size;  ///< since 0.114
  PJRT_XlaTransform_string hlo_module;  ///< since 0.114
  PJRT_HloPassPipelineTrace trace;  ///< since 0.114
} PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args;
PJRT_LAYOUT(PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args, trace, 114:40)

/// Arguments of PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn.
typedef struct PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args {
  size_t struct_size;  ///< since 0.114
  PJRT_HloPassPipelineTrace* trace;  ///< since 0.114
} PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args;
PJRT_LAYOUT(PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args, trace, 114:16)

/// Registers a transformation of HLO modules at a stage of XLA's pipeline. Since 0.110.
typedef PJRT_Error* (*PJRT_Register_Xla_Transform_Fn)(PJRT_Register_Xla_Transform_Args* args);

/// Removes the registered transformations of a stage. Since 0.111.
typedef PJRT_Error* (*PJRT_Clear_Xla_Transform_Fn)(PJRT_Clear_Xla_Transform_Args* args);

/// Trace of the passes that ran over a module. Since 0.114.
typedef PJRT_Error* (*PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn)(
    PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Args* args);

/// Frees such a trace. Since 0.114.
typedef PJRT_Error* (*PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn)(
    PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Xla_Transform_Extension {
  PJRT_Extension_Base base;  ///< since 0.110
  PJRT_Register_Xla_Transform_Fn register_xla_transform;  ///< since 0.110
  PJRT_Clear_Xla_Transform_Fn clear_xla_transform;  ///< since 0.111
  PJRT_Xla_Transform_Get_Hlo_Pass_Pipeline_Trace_Fn get_hlo_pass_pipeline_trace;  ///< since 0.114
  /// since 0.114
  PJRT_Xla_Transform_Destroy_Hlo_Pass_Pipeline_Trace_Fn destroy_hlo_pass_pipeline_trace;
} PJRT_Xla_Transform_Extension;
PJRT_LAYOUT(PJRT_Xla_Transform_Extension, destroy_hlo_pass_pipeline_trace, 110:32, 111:40, 114:56)

PJRT_EXTENSION(PJRT_Xla_Transform_Extension, PJRT_Extension_Type_XlaTransform, PJRT_API_XLA_TRANSFORM_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_XLA_TRANSFORM_H_
