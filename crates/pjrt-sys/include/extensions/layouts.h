// Extension: layouts.
// Layouts as text. A backend with row-major storage only gains nothing by publishing it.

#ifndef PJRT_SYS_EXTENSIONS_LAYOUTS_H_
#define PJRT_SYS_EXTENSIONS_LAYOUTS_H_

#include "../core/base.h"
#include "../core/buffer.h"

#define PJRT_API_LAYOUTS_EXTENSION_VERSION 4

// Opaque handles.
typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;

/// Arguments of PJRT_Layouts_MemoryLayout_Destroy.
typedef struct PJRT_Layouts_MemoryLayout_Destroy_Args {
  size_t struct_size;  ///< in, since 0.51
  PJRT_Extension_Base* extension_start;  ///< in, since 0.51
  PJRT_Layouts_MemoryLayout* layout;  ///< in, since 0.51
} PJRT_Layouts_MemoryLayout_Destroy_Args;
PJRT_LAYOUT(PJRT_Layouts_MemoryLayout_Destroy_Args, layout, 51:24)

/// Frees a layout that the caller owns. Since 0.51.
typedef PJRT_Error* PJRT_Layouts_MemoryLayout_Destroy(PJRT_Layouts_MemoryLayout_Destroy_Args* args);

/// Arguments of PJRT_Layouts_MemoryLayout_Serialize.
typedef struct PJRT_Layouts_MemoryLayout_Serialize_Args {
  size_t struct_size;  ///< in, since 0.51
  PJRT_Extension_Base* extension_start;  ///< in, since 0.51
  PJRT_Layouts_MemoryLayout* layout;  ///< in, since 0.51
  const char* serialized_bytes;  ///< out, since 0.51
  size_t serialized_bytes_size;  ///< out, since 0.51
  PJRT_Layouts_SerializedLayout* serialized_layout;  ///< out, since 0.51
  void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout*);  ///< out, since 0.51
} PJRT_Layouts_MemoryLayout_Serialize_Args;
PJRT_LAYOUT(PJRT_Layouts_MemoryLayout_Serialize_Args, serialized_layout_deleter, 51:56)

/// Layout as text, for instance {1,0}, in a holder that the caller frees with the returned
/// deleter. Since 0.51.
typedef PJRT_Error* PJRT_Layouts_MemoryLayout_Serialize(
    PJRT_Layouts_MemoryLayout_Serialize_Args* args);

/// Arguments of PJRT_Layouts_PJRT_Buffer_MemoryLayout.
typedef struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args {
  size_t struct_size;  ///< in, since 0.51
  PJRT_Extension_Base* extension_start;  ///< in, since 0.51
  PJRT_Buffer* buffer;  ///< in, since 0.51
  PJRT_Layouts_MemoryLayout* layout;  ///< out, since 0.51
} PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args;
PJRT_LAYOUT(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args, layout, 51:32)

/// Layout of a buffer; the caller destroys it. Since 0.51.
typedef PJRT_Error* PJRT_Layouts_PJRT_Buffer_MemoryLayout(
    PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args);

/// Arguments of PJRT_Layouts_PJRT_Client_GetDefaultLayout.
typedef struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args {
  size_t struct_size;  ///< in, since 0.51
  PJRT_Extension_Base* extension_start;  ///< in, since 0.51
  PJRT_Client* client;  ///< in, since 0.51
  PJRT_Buffer_Type type;  ///< in, since 0.51
  const int64_t* dims;  ///< in, since 0.51
  size_t num_dims;  ///< in, since 0.51
  PJRT_Layouts_MemoryLayout* layout;  ///< out, since 0.51
} PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args;
PJRT_LAYOUT(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args, layout, 51:56)

/// Default layout for a type and dimensions; the caller destroys it. Since 0.51.
typedef PJRT_Error* PJRT_Layouts_PJRT_Client_GetDefaultLayout(
    PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args);

/// Arguments of PJRT_Layouts_PJRT_Topology_GetDefaultLayout.
typedef struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args {
  size_t struct_size;  ///< in, since 0.75
  PJRT_Extension_Base* extension_start;  ///< in, since 0.75
  PJRT_TopologyDescription* topology_description;  ///< in, since 0.75
  PJRT_Buffer_Type type;  ///< in, since 0.75
  const int64_t* dims;  ///< in, since 0.75
  size_t num_dims;  ///< in, since 0.75
  PJRT_Layouts_MemoryLayout* layout;  ///< out, since 0.75
} PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args;
PJRT_LAYOUT(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args, layout, 75:56)

/// Default layout without a client; the caller destroys it. Since 0.75.
typedef PJRT_Error* PJRT_Layouts_PJRT_Topology_GetDefaultLayout(
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args);

/// Arguments of PJRT_Layouts_PJRT_Executable_GetOutputLayouts.
typedef struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args {
  size_t struct_size;  ///< in, since 0.81
  PJRT_Extension_Base* extension_start;  ///< in, since 0.81
  PJRT_Executable* executable;  ///< in, since 0.81
  size_t num_outputs;  ///< out, since 0.81
  PJRT_Layouts_MemoryLayout** layouts;  ///< out, since 0.81
} PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args;
PJRT_LAYOUT(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args, layouts, 81:40)

/// Layout of every output; owned by the executable. Since 0.81.
typedef PJRT_Error* PJRT_Layouts_PJRT_Executable_GetOutputLayouts(
    PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args);

/// Arguments of PJRT_Layouts_PJRT_Executable_GetParameterLayouts.
typedef struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args {
  size_t struct_size;  ///< in, since 0.93
  PJRT_Extension_Base* extension_start;  ///< in, since 0.93
  PJRT_Executable* executable;  ///< in, since 0.93
  size_t num_parameters;  ///< out, since 0.93
  PJRT_Layouts_MemoryLayout** layouts;  ///< out, since 0.93
} PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args;
PJRT_LAYOUT(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args, layouts, 93:40)

/// Layout of every parameter; owned by the executable. Since 0.93.
typedef PJRT_Error* PJRT_Layouts_PJRT_Executable_GetParameterLayouts(
    PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args);

/// Node that publishes the extension.
typedef struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;  ///< since 0.68
  PJRT_Layouts_MemoryLayout_Destroy* PJRT_Layouts_MemoryLayout_Destroy;  ///< since 0.68
  PJRT_Layouts_MemoryLayout_Serialize* PJRT_Layouts_MemoryLayout_Serialize;  ///< since 0.68
  /// since 0.68
  PJRT_Layouts_PJRT_Client_GetDefaultLayout* PJRT_Layouts_PJRT_Client_GetDefaultLayout;
  PJRT_Layouts_PJRT_Buffer_MemoryLayout* PJRT_Layouts_PJRT_Buffer_MemoryLayout;  ///< since 0.68
  /// since 0.75
  PJRT_Layouts_PJRT_Topology_GetDefaultLayout* PJRT_Layouts_PJRT_Topology_GetDefaultLayout;
  /// since 0.81
  PJRT_Layouts_PJRT_Executable_GetOutputLayouts* PJRT_Layouts_PJRT_Executable_GetOutputLayouts;
  /// since 0.93
  PJRT_Layouts_PJRT_Executable_GetParameterLayouts* PJRT_Layouts_PJRT_Executable_GetParameterLayouts;
} PJRT_Layouts_Extension;
PJRT_LAYOUT(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Executable_GetParameterLayouts,
  68:56, 75:64, 81:72, 93:80)

PJRT_EXTENSION(PJRT_Layouts_Extension, PJRT_Extension_Type_Layouts, PJRT_API_LAYOUTS_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_LAYOUTS_H_
