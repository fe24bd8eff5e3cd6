//! What is on record of JAX's own tests: how many pass of each file, which do not, and for which cause. As data, and as
//! the part of a page that follows from the data. Knows nothing of how tests are run.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

/// Between these lines of the page stands what follows from the data.
const BEGIN: &str = "<!-- begin: written by `cargo xtask suite --record` -->\n";
const END: &str = "<!-- end -->\n";

/// The cause of a miss that nobody has looked into.
const UNEXPLAINED: &str = "unexplained";

/// How wide JAX's numbers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// `JAX_ENABLE_X64` is off.
    X32,
    /// It is on.
    X64,
}

impl Mode {
    const ALL: [Mode; 2] = [Mode::X32, Mode::X64];

    /// As it stands in the data.
    pub fn name(self) -> &'static str {
        match self {
            Mode::X32 => "x32",
            Mode::X64 => "x64",
        }
    }
}

/// One run of the tool.
pub struct Outcomes {
    mode: Mode,
    /// By test: whether it passed.
    passed: BTreeMap<String, bool>,
    /// Tests that failed; others that did not pass were skipped.
    failed: BTreeSet<String>,
}

impl Outcomes {
    /// Reads what the tool wrote.
    pub fn read(text: &str) -> Result<Outcomes> {
        let document: Value = serde_json::from_str(text)?;
        let results = document["results"].as_object().context("there are no results")?;
        let mode = if document["x64"].as_bool().context("no word on x64")? { Mode::X64 } else { Mode::X32 };
        let said = |(test, outcome): (&String, &Value)| (test.clone(), outcome == "passed");
        let failed = results.iter().filter(|(_, outcome)| *outcome == "failed").map(|(test, _)| test.clone());
        Ok(Outcomes { mode, passed: results.iter().map(said).collect(), failed: failed.collect() })
    }

    fn files(&self) -> BTreeSet<&str> {
        self.passed.keys().map(|test| file_of(test)).collect()
    }
}

fn file_of(test: &str) -> &str {
    test.split("::").next().unwrap_or(test)
}

/// A test that XLA's CPU passes and the backend does not.
struct Miss {
    cause: String,
    modes: BTreeSet<Mode>,
}

/// The record.
pub struct Record {
    /// The release whose tests they are.
    pub release: String,
    /// How many cases a test generates that generates any.
    pub cases: u64,
    causes: BTreeMap<String, String>,
    misses: BTreeMap<String, Miss>,
    passed: BTreeMap<String, BTreeMap<Mode, u64>>,
}

impl Record {
    /// Reads the data.
    pub fn read(text: &str) -> Result<Record> {
        let document: Value = serde_json::from_str(text)?;
        let table = |key: &str| document[key].as_object().with_context(|| format!("there is no table {key}"));
        let string = |value: &Value| value.as_str().map(str::to_owned).context("a text is something else");
        let mut causes = BTreeMap::new();
        for (name, cause) in table("causes")? {
            causes.insert(name.clone(), string(cause)?);
        }
        let mut misses = BTreeMap::new();
        for (test, miss) in table("misses")? {
            let named =
                |mode: &Mode| miss["modes"].as_array().is_some_and(|modes| modes.iter().any(|m| m == mode.name()));
            let modes: BTreeSet<Mode> = Mode::ALL.into_iter().filter(named).collect();
            ensure!(!modes.is_empty(), "{test}: the modes are x32 and x64");
            misses.insert(test.clone(), Miss { cause: string(&miss["cause"])?, modes });
        }
        let mut passed = BTreeMap::new();
        for (file, counts) in table("passed")? {
            let count = |mode: Mode| counts[mode.name()].as_u64().map(|count| (mode, count));
            passed.insert(file.clone(), Mode::ALL.into_iter().filter_map(count).collect());
        }
        let release = string(&document["release"])?;
        let cases = document["cases"].as_u64().context("no number of cases")?;
        Ok(Record { release, cases, causes, misses, passed })
    }

    /// The data as text.
    pub fn text(&self) -> String {
        let misses: serde_json::Map<String, Value> = self
            .misses
            .iter()
            .map(|(test, miss)| {
                let modes: Vec<&str> = miss.modes.iter().map(|mode| mode.name()).collect();
                (test.clone(), json!({"cause": miss.cause, "modes": modes}))
            })
            .collect();
        let passed: serde_json::Map<String, Value> = self
            .passed
            .iter()
            .map(|(file, counts)| {
                let counts: serde_json::Map<String, Value> =
                    counts.iter().map(|(mode, &count)| (mode.name().to_owned(), count.into())).collect();
                (file.clone(), counts.into())
            })
            .collect();
        let document = json!({
            "release": self.release, "cases": self.cases, "causes": self.causes, "misses": misses, "passed": passed,
        });
        format!("{document:#}\n")
    }

    /// The test files.
    pub fn files(&self) -> Vec<String> {
        self.passed.keys().cloned().collect()
    }

    fn is_miss(&self, test: &str, mode: Mode) -> bool {
        self.misses.get(test).is_some_and(|miss| miss.modes.contains(&mode))
    }

    /// Where a run was otherwise than the record has it.
    pub fn surprises(&self, outcomes: &Outcomes) -> Vec<String> {
        let mode = outcomes.mode;
        let say = |test: &String, what: &str| format!("{} {}: {test}", mode.name(), what);
        let failed = outcomes.failed.iter().filter(|test| !self.is_miss(test, mode)).map(|test| say(test, "fails"));
        let passes = |test: &&String| outcomes.passed.get(*test) == Some(&true) && self.is_miss(test, mode);
        failed.chain(self.misses.keys().filter(passes).map(|test| say(test, "passes now"))).collect()
    }

    /// Takes the files of a run over.
    pub fn update(&mut self, outcomes: &Outcomes) {
        let mode = outcomes.mode;
        for test in &outcomes.failed {
            let new = || Miss { cause: UNEXPLAINED.to_owned(), modes: BTreeSet::new() };
            self.misses.entry(test.clone()).or_insert_with(new).modes.insert(mode);
        }
        for (test, miss) in &mut self.misses {
            if outcomes.passed.get(test) == Some(&true) {
                miss.modes.remove(&mode);
            }
        }
        self.misses.retain(|_, miss| !miss.modes.is_empty());
        for file in outcomes.files() {
            let count = outcomes.passed.iter().filter(|(test, passed)| **passed && file_of(test) == file).count();
            self.passed.entry(file.to_owned()).or_default().insert(mode, count as u64);
        }
    }

    /// Misses of a file, or of all.
    fn misses(&self, file: Option<&str>, mode: Mode) -> u64 {
        let of_file = |test: &str| file.is_none_or(|file| file_of(test) == file);
        self.misses.iter().filter(|(test, miss)| of_file(test) && miss.modes.contains(&mode)).count() as u64
    }

    /// Passed, and of how many; nothing for a mode that was not run.
    fn total(&self, mode: Mode) -> Option<(u64, u64)> {
        let passed: u64 = self.passed.values().filter_map(|counts| counts.get(&mode)).sum();
        (passed > 0).then(|| (passed, passed + self.misses(None, mode)))
    }

    /// A line for each mode.
    pub fn summary(&self) -> String {
        let mut text = String::new();
        for mode in Mode::ALL {
            if let Some((passed, all)) = self.total(mode) {
                _ = writeln!(text, "{}: {passed} of {all}, {:.2} %", mode.name(), 100.0 * passed as f64 / all as f64);
            }
        }
        text
    }

    /// The part of the page that follows from the data.
    fn generated(&self) -> String {
        let mut text = String::from("| file | 32-bit | of | 64-bit | of |\n| --- | ---: | ---: | ---: | ---: |\n");
        let cells = |pair: Option<(u64, u64)>| match pair {
            Some((passed, all)) => format!("{passed} | {all}"),
            None => " | ".to_owned(),
        };
        for (file, counts) in &self.passed {
            let pair = |mode: Mode| counts.get(&mode).map(|&passed| (passed, passed + self.misses(Some(file), mode)));
            _ = writeln!(text, "| `{file}` | {} | {} |", cells(pair(Mode::X32)), cells(pair(Mode::X64)));
        }
        let [narrow, wide] = Mode::ALL.map(|mode| self.total(mode));
        _ = writeln!(text, "| together | {} | {} |", cells(narrow), cells(wide));
        let percent = |pair: Option<(u64, u64)>| {
            pair.map_or("not run".to_owned(), |(passed, all)| format!("{:.2} %", 100.0 * passed as f64 / all as f64))
        };
        _ = writeln!(text, "\n{} in 32-bit mode, {} in 64-bit mode.\n", percent(narrow), percent(wide));
        text.push_str("## What does not pass, and why\n\n| cause | what it is | tests |\n| --- | --- | --- |\n");
        for (name, cause) in &self.causes {
            let tests = self.misses.iter().filter(|(_, miss)| miss.cause == *name).map(|(test, miss)| {
                let only = match (miss.modes.contains(&Mode::X32), miss.modes.contains(&Mode::X64)) {
                    (true, false) => " (32-bit)",
                    (false, true) => " (64-bit)",
                    _ => "",
                };
                let test = test.replacen(".py::", ": ", 1).replace("::", ".");
                format!("`{test}`{only}")
            });
            _ = writeln!(text, "| `{name}` | {cause} | {} |", tests.collect::<Vec<_>>().join("<br>"));
        }
        text
    }

    /// The page with its generated part renewed.
    ///
    /// # Errors
    /// When the page has no place for it, or when a miss has no cause that is described.
    pub fn renewed(&self, page: &str) -> Result<String> {
        for (test, miss) in &self.misses {
            if !self.causes.contains_key(&miss.cause) && miss.cause != UNEXPLAINED {
                bail!("{test}: the cause {} is not described", miss.cause);
            }
        }
        let (before, rest) = page.split_once(BEGIN).context("the page has no place for the figures")?;
        let (_, after) = rest.split_once(END).context("the figures of the page have no end")?;
        Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", self.generated()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Record {
        Record::read(
            r#"{"release": "1.0", "cases": 2, "causes": {"layout": "no layouts"},
                "misses": {"a_test.py::A::one": {"cause": "layout", "modes": ["x32", "x64"]}},
                "passed": {"a_test.py": {"x32": 3}}}"#,
        )
        .unwrap()
    }

    fn run(results: Value, x64: bool) -> Outcomes {
        Outcomes::read(&json!({"x64": x64, "results": results}).to_string()).unwrap()
    }

    #[test]
    fn the_data_survives() {
        let text = record().text();
        assert_eq!(Record::read(&text).unwrap().text(), text);
        assert_eq!(record().summary(), "x32: 3 of 4, 75.00 %\n");
    }

    #[test]
    fn what_is_otherwise_than_on_record_is_said() {
        let outcomes = json!({"a_test.py::A::one": "skipped", "a_test.py::A::two": "passed"});
        assert!(record().surprises(&run(outcomes, false)).is_empty());
        let outcomes = json!({"a_test.py::A::one": "passed", "a_test.py::A::two": "failed"});
        assert_eq!(
            record().surprises(&run(outcomes, true)),
            ["x64 fails: a_test.py::A::two", "x64 passes now: a_test.py::A::one"]
        );
    }

    #[test]
    fn runs_are_taken_over_mode_by_mode() {
        let mut record = record();
        let outcomes =
            json!({"a_test.py::A::one": "passed", "a_test.py::A::two": "failed", "b_test.py::B::x": "passed"});
        record.update(&run(outcomes, true));
        assert_eq!(record.summary(), "x32: 3 of 4, 75.00 %\nx64: 2 of 3, 66.67 %\n");
        assert_eq!(record.misses["a_test.py::A::two"].cause, UNEXPLAINED);
        let page = record.renewed(&format!("head\n{BEGIN}old\n{END}tail\n")).unwrap();
        for part in [
            "head\n",
            "| `a_test.py` | 3 | 4 | 1 | 2 |",
            "| `b_test.py` |  |  | 1 | 1 |",
            "| `layout` | no layouts | `a_test: A.one` (32-bit) |",
            "tail\n",
        ] {
            assert!(page.contains(part), "{part} is not in\n{page}");
        }
    }

    /// The page and the list in this repository.
    #[test]
    fn the_page_is_what_the_data_says() {
        let docs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let data = std::fs::read_to_string(docs.join("jax-suite.json")).unwrap();
        let page = std::fs::read_to_string(docs.join("jax-suite.md")).unwrap();
        let record = Record::read(&data).unwrap();
        assert!(record.renewed(&page).unwrap() == page, "run `cargo xtask suite --record`");
        for (test, miss) in &record.misses {
            assert!(record.causes.contains_key(&miss.cause), "{test}: {} is no cause", miss.cause);
        }
        for cause in record.causes.keys() {
            assert!(record.misses.values().any(|miss| miss.cause == *cause), "nothing fails by {cause}");
        }
        for mode in Mode::ALL {
            let (passed, all) = record.total(mode).unwrap();
            assert!(passed * 1000 >= all * 995, "{}: {passed} of {all}", mode.name());
        }
    }
}
