//! The PJRT C ABI: bindings generated from our own header, and the sizes that every release gave its structs.
