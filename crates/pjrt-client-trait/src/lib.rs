//! The safe vocabulary a backend author speaks: traits and value types, no C.
