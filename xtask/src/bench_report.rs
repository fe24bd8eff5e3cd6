//! The document of a benchmark run as text, table and picture. Knows nothing of how it was measured.

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// One case on both platforms.
#[derive(Clone, Debug, PartialEq)]
struct Case {
    name: String,
    /// Nanoseconds of a call: the judge's, ours.
    run: (f64, f64),
    /// Milliseconds of a cold compilation.
    compile: (f64, f64),
    /// Largest difference of the results, relative to the largest value.
    difference: f64,
}

/// A run on two platforms.
#[derive(Debug)]
pub struct Report {
    machine: String,
    ours: String,
    cases: Vec<Case>,
    /// Cases that did not run on our platform, with the reason.
    failures: Vec<(String, String)>,
}

impl Report {
    /// Reads the run of two platforms from a document.
    pub fn read(document: &Value, judge: &str, ours: &str) -> Result<Report> {
        let runs = document["runs"].as_object().context("the document has no runs")?;
        let cases_of = |platform: &str| {
            let run = runs.values().find(|run| run["platform"] == platform);
            run.and_then(|run| run["cases"].as_object()).with_context(|| format!("no run on platform {platform}"))
        };
        let (theirs, mine) = (cases_of(judge)?, cases_of(ours)?);
        let meta = &document["meta"];
        let text = |key: &str| meta[key].as_str().unwrap_or("?").to_owned();
        let machine = format!("{}, {} cores, jaxlib {}, {}", text("cpu"), meta["cores"], text("jaxlib"), text("date"));
        let mut report = Report { machine, ours: ours.to_owned(), cases: Vec::new(), failures: Vec::new() };
        for (name, case) in mine {
            let other = &theirs[name];
            if let Some(error) = case["error"].as_str() {
                report.failures.push((name.clone(), error.to_owned()));
                continue;
            }
            let number = |case: &Value, key: &str| {
                let found = case[key].as_f64().filter(|&number| number > 0.0);
                found.with_context(|| format!("case {name} has no {key}"))
            };
            report.cases.push(Case {
                name: name.clone(),
                run: (number(other, "median_ns")?, number(case, "median_ns")?),
                compile: (number(other, "compile_ms")?, number(case, "compile_ms")?),
                difference: case["max_rel_err"].as_f64().unwrap_or(f64::NAN),
            });
        }
        ensure!(!report.cases.is_empty() || !report.failures.is_empty(), "the run has no cases");
        report.cases.sort_by(|a, b| a.speed().total_cmp(&b.speed()));
        Ok(report)
    }

    fn mean(&self, ratio: impl Fn(&Case) -> f64) -> f64 {
        (self.cases.iter().map(|case| ratio(case).ln()).sum::<f64>() / self.cases.len() as f64).exp()
    }

    /// A few lines for a terminal.
    pub fn summary(&self) -> String {
        let mut text = format!("{}\n{} cases on {} beside XLA's CPU", self.machine, self.cases.len(), self.ours);
        if let (Some(slowest), Some(fastest)) = (self.cases.first(), self.cases.last()) {
            _ = write!(
                text,
                "\nsteady state: {:.2} x in the geometric mean; slowest {:.2} x ({}), fastest {:.2} x ({})\n\
                 compile time: {:.1} x in the geometric mean",
                self.mean(Case::speed),
                slowest.speed(),
                slowest.name,
                fastest.speed(),
                fastest.name,
                self.mean(Case::compile_speed),
            );
        }
        for (name, error) in &self.failures {
            _ = write!(text, "\nfailed: {name}: {error}");
        }
        text.push('\n');
        text
    }

    /// The whole table, slowest case first.
    pub fn markdown(&self) -> String {
        let mut text = format!("```text\n{}```\n\n", self.summary());
        text.push_str(
            "| case | XLA:CPU, µs | ours, µs | ratio | compile, XLA:CPU, ms | ours, ms | ratio | difference |\n",
        );
        text.push_str("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
        for case in &self.cases {
            _ = writeln!(
                text,
                "| {} | {:.1} | {:.1} | {:.2} | {:.1} | {:.2} | {:.1} | {:.0e} |",
                case.name,
                case.run.0 / 1e3,
                case.run.1 / 1e3,
                case.speed(),
                case.compile.0,
                case.compile.1,
                case.compile_speed(),
                case.difference,
            );
        }
        text
    }

    /// A bar for each case, on a logarithmic axis around 1.
    pub fn svg(&self) -> String {
        const ROW: f64 = 14.0;
        const LEFT: f64 = 230.0;
        const WIDTH: f64 = 560.0;
        const TOP: f64 = 40.0;
        let decades = 2.0;
        let place = |ratio: f64| LEFT + WIDTH * (ratio.log10().clamp(-decades, decades) + decades) / (2.0 * decades);
        let height = TOP + ROW * self.cases.len() as f64 + 20.0;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"{height}\" font-family=\"sans-serif\" \
             font-size=\"10\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"{LEFT}\" y=\"16\" \
             font-size=\"13\">Time of XLA's CPU divided by that of {}: above 1 is faster</text>\n",
            escaped(&self.ours)
        );
        for mark in [0.01, 0.1, 1.0, 10.0, 100.0] {
            let (x, colour) = (place(mark), if mark == 1.0 { "black" } else { "#ccc" });
            _ = writeln!(
                text,
                "<line x1=\"{x}\" x2=\"{x}\" y1=\"{TOP}\" y2=\"{height}\" stroke=\"{colour}\"/>\
                 <text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{mark}</text>",
                TOP - 6.0
            );
        }
        for (row, case) in self.cases.iter().enumerate() {
            let (y, ratio) = (TOP + ROW * row as f64 + 2.0, case.speed());
            let (from, to) = (place(1.0).min(place(ratio)), place(1.0).max(place(ratio)));
            let colour = if ratio >= 1.0 { "#2a7" } else { "#c55" };
            _ = writeln!(
                text,
                "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><rect x=\"{from:.1}\" y=\"{y}\" width=\"{:.1}\" \
                 height=\"{}\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"{}\">{ratio:.2}</text>",
                LEFT - 6.0,
                y + 9.0,
                escaped(&case.name),
                (to - from).max(1.0),
                ROW - 4.0,
                to + 4.0,
                y + 9.0,
            );
        }
        text.push_str("</svg>\n");
        text
    }
}

impl Case {
    fn speed(&self) -> f64 {
        self.run.0 / self.run.1
    }

    fn compile_speed(&self) -> f64 {
        self.compile.0 / self.compile.1
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn document() -> Value {
        let case = |run: f64, compile: f64| json!({"median_ns": run, "compile_ms": compile, "max_rel_err": 1e-7});
        json!({
            "meta": {"cpu": "some CPU", "cores": 2, "jaxlib": "1.0", "date": "2000-01-01"},
            "runs": {
                "cpu-2t": {"platform": "cpu", "cases": {"a": case(4000.0, 10.0), "b<": case(1000.0, 10.0), "c": case(1.0, 1.0)}},
                "mine-2t": {"platform": "mine", "cases": {
                    "a": case(1000.0, 1.0), "b<": case(4000.0, 0.1), "c": {"error": "no such op"}}},
            }
        })
    }

    #[test]
    fn ratios_say_how_much_faster_we_are() {
        let report = Report::read(&document(), "cpu", "mine").unwrap();
        let said = report.summary();
        for part in [
            "1.00 x in the geometric mean",
            "slowest 0.25 x (b<)",
            "fastest 4.00 x (a)",
            "31.6 x",
            "failed: c: no such op",
        ] {
            assert!(said.contains(part), "{said}");
        }
        assert!(report.markdown().contains("| a | 4.0 | 1.0 | 4.00 | 10.0 | 1.00 | 10.0 |"), "{}", report.markdown());
        let picture = report.svg();
        assert!(picture.contains("b&lt;") && picture.ends_with("</svg>\n"));
    }

    #[test]
    fn a_document_without_our_run_is_refused() {
        assert!(Report::read(&document(), "cpu", "other").is_err());
        assert!(Report::read(&json!({}), "cpu", "mine").is_err());
    }
}
