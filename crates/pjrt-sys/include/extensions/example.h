// Extension: example.
// The template that upstream offers for experiments.

#ifndef PJRT_SYS_EXTENSIONS_EXAMPLE_H_
#define PJRT_SYS_EXTENSIONS_EXAMPLE_H_

#include "../core/base.h"

#define PJRT_API_EXAMPLE_EXTENSION_VERSION 1

// Opaque handles.
typedef struct PJRT_ExampleExtensionCpp PJRT_ExampleExtensionCpp;

typedef struct PJRT_ExampleExtension_ExampleMethod_Args PJRT_ExampleExtension_ExampleMethod_Args;

typedef struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args PJRT_ExampleExtension_CreateExampleExtensionCpp_Args;

/// Arguments of PJRT_ExampleExtension_CreateExampleExtensionCpp.
struct PJRT_ExampleExtension_CreateExampleExtensionCpp_Args {
  PJRT_ExampleExtensionCpp* extension_cpp;  ///< in and out, since 0.72
};
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args, extension_cpp, 72:8)

/// Another name for the same struct.
typedef PJRT_ExampleExtension_CreateExampleExtensionCpp_Args PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args;

/// Node that publishes the extension.
typedef struct PJRT_Example_Extension {
  PJRT_Extension_Base base;  ///< since 0.72
  PJRT_Error*(*example_method)(PJRT_ExampleExtension_ExampleMethod_Args*);  ///< since 0.72
  PJRT_Error*(*create)(PJRT_ExampleExtension_CreateExampleExtensionCpp_Args*);  ///< since 0.72
  PJRT_Error*(*destroy)(PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args*);  ///< since 0.72
} PJRT_Example_Extension;
PJRT_LAYOUT(PJRT_Example_Extension, destroy, 72:48)

/// Arguments of PJRT_ExampleExtension_ExampleMethod.
struct PJRT_ExampleExtension_ExampleMethod_Args {
  PJRT_ExampleExtensionCpp* extension_cpp;  ///< in, since 0.72
  int64_t value;  ///< in, since 0.72
};
PJRT_LAYOUT_NO_SIZE_FIELD(PJRT_ExampleExtension_ExampleMethod_Args, value, 72:16)

/// Makes the example object. Since 0.72.
typedef PJRT_Error* PJRT_CreateExampleExtensionCpp_Fn(
    PJRT_ExampleExtension_CreateExampleExtensionCpp_Args* args);

/// Frees the example object.
typedef PJRT_Error* PJRT_DestroyExampleExtensionCpp_Fn(
    PJRT_ExampleExtension_DestroyExampleExtensionCpp_Args* args);

PJRT_EXTENSION(PJRT_Example_Extension, PJRT_Extension_Type_Example, PJRT_API_EXAMPLE_EXTENSION_VERSION)

#endif  // PJRT_SYS_EXTENSIONS_EXAMPLE_H_
