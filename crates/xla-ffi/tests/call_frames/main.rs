//! Handlers written against the C ABI, called as a backend calls them: what they see, what they can ask, what comes
//! back.
#![allow(non_snake_case, reason = "functions of the table have the names of the C API")]

mod arguments;
mod attributes;
mod errors;
mod futures;
mod guest;
mod older_versions;
mod registration;
mod resources;
mod states;
mod user_data;
