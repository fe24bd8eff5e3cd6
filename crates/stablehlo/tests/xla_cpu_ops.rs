//! Ops on random numbers of every element type and many shapes agree with XLA:CPU: integers and moved data bit for
//! bit, floats in units of the last place. Conversions of narrow floats are judged by `ml_dtypes`.
//!
//! `STABLEHLO_SAMPLES` asks for more than the two samples of each op and type, `STABLEHLO_SEED` for others.

mod xla_cpu;

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::sync::Arc;

use stablehlo::eval::{Evaluator, Registry, Tensor};
use stablehlo::ir::Module;
use xla_cpu::{difference, judge_all, python, written};

#[test]
fn a_sum_may_be_off_by_the_rounding_of_its_terms_and_no_more() {
    let off = |by: f32, terms: f64| {
        let (got, want) = (Tensor::from_vec(&[1], vec![by]), Tensor::from_vec(&[1], vec![0f32]));
        difference(&got, &want, Some(4.0), false, terms)
    };
    // The unit in the last place of 8 is 2^-20.
    assert_eq!(off(4.0 * 2f32.powi(-20), 8.0), None);
    assert!(off(5.0 * 2f32.powi(-20), 8.0).is_some());
    assert!(off(4.0 * 2f32.powi(-20), 0.0).is_some(), "nothing is added up");
}

#[test]
fn the_seed_decides_programs_and_inputs() {
    let Some(python) = python() else { return };
    let files = |name: &str, seed: &str| -> BTreeMap<OsString, Vec<u8>> {
        let directory = written(&python, name, &["--seed", seed, "--inputs-only"]);
        let entries = std::fs::read_dir(&directory).expect("it is a directory").map(|entry| entry.expect("a file"));
        let files = entries.map(|entry| (entry.file_name(), std::fs::read(entry.path()).expect("its file"))).collect();
        std::fs::remove_dir_all(&directory).expect("it is ours");
        files
    };
    let (first, again, other) = (files("first", "1"), files("again", "1"), files("other", "2"));
    assert!(first.len() > 100, "{} files only", first.len());
    assert!(first == again, "one seed gives different programs or inputs");
    assert!(first != other, "two seeds give the same");
}

#[test]
fn ops_agree_with_xla_cpu() {
    let Some(python) = python() else { return };
    let setting = |name: &str, default: &str| std::env::var(name).unwrap_or_else(|_| default.to_owned());
    let (samples, seed) = (setting("STABLEHLO_SAMPLES", "2"), setting("STABLEHLO_SEED", "1"));
    let evaluate = |module: &Arc<Module>, grid, inputs| {
        let evaluator = Evaluator::new(Arc::clone(module), &Registry::default()).map_err(|error| error.to_string())?;
        evaluator.run_all(grid, None, inputs).map(Some).map_err(|error| error.to_string())
    };
    let (seen, failures) = judge_all(&python, "results", (&samples, &seed), &evaluate);
    assert!(failures.is_empty(), "{} results differ:\n{}", failures.len(), failures.join("\n"));
    // The page of ops says what is compared with the usual samples.
    if (samples.as_str(), seed.as_str()) != ("2", "1") {
        return;
    }
    let line = |(op, elements): (&String, &BTreeSet<String>)| {
        format!("{op} {}\n", elements.iter().cloned().collect::<Vec<_>>().join(" "))
    };
    let list: String = seen.iter().map(line).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/differential/compared.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &list).expect("the list is written");
    }
    let expected = std::fs::read_to_string(path).expect("the list of what is compared");
    assert_eq!(list, expected, "tests/differential/compared.txt is out of date, rewrite it with UPDATE_EXPECT=1");
}
