// Plugin.
// What belongs to the library and not to a client.

#ifndef PJRT_SYS_CORE_PLUGIN_H_
#define PJRT_SYS_CORE_PLUGIN_H_

#include "base.h"

/// Arguments of PJRT_Plugin_Initialize.
typedef struct PJRT_Plugin_Initialize_Args {
  size_t struct_size;  ///< in, since 0.13
  PJRT_Extension_Base* extension_start;  ///< in, since 0.13
} PJRT_Plugin_Initialize_Args;
PJRT_LAYOUT(PJRT_Plugin_Initialize_Args, extension_start, 13:16)

/// One-time set-up, called once per process before the first client is created. Since 0.13.
typedef PJRT_Error* PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args* args);

/// Arguments of PJRT_Plugin_Attributes.
typedef struct PJRT_Plugin_Attributes_Args {
  size_t struct_size;  ///< in, since 0.9
  PJRT_Extension_Base* extension_start;  ///< in, since 0.9
  const PJRT_NamedValue* attributes;  ///< out, since 0.9
  /// out, since 0.9: always there, although headers 0.38 to 0.70 count struct_size without it
  size_t num_attributes;
} PJRT_Plugin_Attributes_Args;
PJRT_LAYOUT(PJRT_Plugin_Attributes_Args, num_attributes, 9:32, 38:24/32, 71:32)

/// Named values that describe the plugin, above all the StableHLO versions it reads. The array
/// lives as long as the process; callers treat failure as fatal. Since 0.9.
typedef PJRT_Error* PJRT_Plugin_Attributes(PJRT_Plugin_Attributes_Args* args);

#endif  // PJRT_SYS_CORE_PLUGIN_H_
