//! Any text: `text::parse` gives a module that prints and reads back as the same program, or an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use stablehlo::ir::same_program;
use stablehlo::text::{PrintOptions, parse, print};

fuzz_target!(|text: &str| {
    match parse(text) {
        Ok(module) => {
            let again = parse(&print(&module, &PrintOptions::default())).expect("what was printed reads");
            same_program(&module, &again).expect("the same program");
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
