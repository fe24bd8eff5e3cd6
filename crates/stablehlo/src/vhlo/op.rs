//! What the table of VHLO ops says about each op.

use std::sync::LazyLock;

use hashbrown::HashMap;

use super::Version;
use super::op_table::OPS;
use crate::ir::OpCode;

/// How many operands, results or regions an op has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arity {
    /// Exactly so many.
    Just(usize),
    /// At least so many.
    Many(usize),
}

impl Arity {
    pub(crate) fn allows(self, count: usize) -> bool {
        match self {
            Arity::Just(n) => count == n,
            Arity::Many(n) => count >= n,
        }
    }

    pub(crate) fn text(self) -> String {
        match self {
            Arity::Just(n) => n.to_string(),
            Arity::Many(n) => format!("at least {n}"),
        }
    }
}

/// What becomes of one property. The name stays unless said otherwise; «optional» ones vanish when they have
/// the value that an absent one stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// An integer.
    Int,
    /// An integer, optional with this default.
    IntOr(i64),
    /// A float.
    Float,
    /// A bool.
    Bool,
    /// A bool, optional, false by default.
    Flag,
    /// A bool that becomes a unit attribute if true, and vanishes if false.
    UnitFlag,
    /// A string.
    String,
    /// A string, optional, empty by default.
    OptionalString,
    /// A dictionary, optional, empty by default.
    OptionalDict,
    /// An array, optional, empty by default.
    OptionalArray,
    /// An array of layouts: given for operands and results, or for neither.
    Layouts,
    /// A rank-1 tensor of i64 that becomes an i64 array.
    I64s,
    /// The same, optional, empty by default.
    OptionalI64s,
    /// The same, optional, all one by default.
    OptionalOnes,
    /// A rank-1 tensor of bool that becomes an i1 array; optional, all false by default.
    OptionalBools,
    /// A tensor of i64, optional, all zero by default.
    OptionalPadding,
    /// A tensor of i64 with two columns.
    Pairs,
    /// The same, optional, empty by default.
    OptionalPairs,
    /// A tensor of i64, or mesh axes.
    ReplicaGroups,
    /// The tensor of a constant.
    Value,
    /// An array of precisions, optional, all default by default.
    Precisions,
    /// Optional, with a default of its own.
    Accuracy,
    /// Optional, `NOTYPE` by default.
    CompareType,
    /// Comparison direction.
    Direction,
    /// FFT type.
    FftType,
    /// RNG algorithm.
    RngAlgorithm,
    /// RNG distribution.
    RngDistribution,
    /// Transpose.
    Transpose,
    /// A string that becomes a symbol reference.
    Symbol,
    /// An array of strings that become symbol references; optional, empty by default.
    Symbols,
    /// An enumeration that becomes an i32; optional, `API_VERSION_ORIGINAL` by default.
    ApiVersion,
    /// A string or a dictionary; optional, empty by default.
    BackendConfig,
    /// A channel id that becomes `channel_handle` of type 0; optional, 0 by default.
    Channel,
    /// A type.
    Type,
    /// An array of dictionaries; optional, empty by default.
    Dicts,
    /// A field of the attribute that the op's [`Group`] forms.
    Part,
    /// Without meaning.
    Drop,
}

/// The attribute that the [`Rule::Part`] properties of an op form together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    /// There are none.
    None,
    /// `dimension_numbers` of a convolution.
    Convolution,
    /// `dot_dimension_numbers` and `algorithm`.
    Dot,
    /// `dimension_numbers` of a gather.
    Gather,
    /// `scatter_dimension_numbers`.
    Scatter,
    /// `channel_handle` with its type.
    Channel,
}

/// A property of a VHLO op.
#[derive(Debug)]
pub(crate) struct Prop {
    pub(crate) name: &'static str,
    pub(crate) rule: Rule,
}

/// A VHLO op.
#[derive(Debug)]
pub(crate) struct VhloOp {
    /// Without the dialect, with the version: `add_v1`.
    pub(crate) name: &'static str,
    /// What it becomes.
    pub(crate) code: OpCode,
    /// First version that has it.
    pub(crate) since: (u32, u32),
    /// Last version that has it, if it has been replaced.
    pub(crate) until: Option<(u32, u32)>,
    pub(crate) operands: Arity,
    pub(crate) results: Arity,
    pub(crate) regions: Arity,
    pub(crate) group: Group,
    /// In the order of the file: alphabetical.
    pub(crate) props: &'static [Prop],
}

impl VhloOp {
    /// The op with this name, such as `add_v1`.
    pub(crate) fn find(name: &str) -> Option<&'static VhloOp> {
        static BY_NAME: LazyLock<HashMap<&'static str, &'static VhloOp>> =
            LazyLock::new(|| OPS.iter().map(|op| (op.name, op)).collect());
        BY_NAME.get(name).copied()
    }

    /// The form that an op has in programs of this version.
    pub(crate) fn form_of(code: OpCode, version: Version) -> Option<&'static VhloOp> {
        static BY_CODE: LazyLock<HashMap<OpCode, Vec<&'static VhloOp>>> = LazyLock::new(|| {
            let mut by_code: HashMap<_, Vec<_>> = HashMap::new();
            OPS.iter().for_each(|op| by_code.entry(op.code).or_default().push(op));
            by_code
        });
        let code = if code == OpCode::FuncReturn { OpCode::Return } else { code };
        BY_CODE.get(&code)?.iter().copied().find(|op| op.exists_in(version))
    }

    /// Whether programs of this version have the op in this form.
    pub(crate) fn exists_in(&self, version: Version) -> bool {
        let version = (version.major, version.minor);
        self.since <= version && self.until.is_none_or(|until| version <= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_is_sorted_and_names_current_attributes() {
        assert!(OPS.is_sorted_by(|a, b| a.name < b.name));
        for op in OPS {
            assert!(op.props.is_sorted_by(|a, b| a.name < b.name), "{}", op.name);
            for prop in op.props {
                let known = op.code.inherent_attributes().contains(&prop.name);
                let plain = !matches!(prop.rule, Rule::Part | Rule::Channel | Rule::Drop);
                assert_eq!(known, plain, "{} {}", op.name, prop.name);
            }
        }
    }

    #[test]
    fn every_version_has_one_form_of_each_op() {
        for minor in 14..=20 {
            let version = Version::new(1, minor, 0);
            for op in OPS.iter().filter(|op| op.exists_in(version)) {
                let others = OPS.iter().filter(|o| o.code == op.code && o.exists_in(version));
                assert_eq!(others.count(), 1, "{} in {version}", op.name);
            }
        }
    }

    /// The published facts, found beside the workspace.
    fn facts() -> Option<serde_json::Value> {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/stablehlo/vhlo.json");
        let Ok(text) = std::fs::read_to_string(path) else {
            assert!(std::env::var_os("CI").is_none(), "{path} is missing");
            println!("skipped: {path} does not exist");
            return None;
        };
        Some(serde_json::from_str(&text).expect("JSON"))
    }

    #[test]
    fn table_agrees_with_the_published_facts() {
        let Some(facts) = facts() else { return };
        let current = facts["current_version"].as_str().expect("a version");
        assert_eq!(current.parse(), Ok(crate::CURRENT_VERSION));
        let ops = facts["ops"].as_array().expect("ops");
        assert_eq!(ops.len(), OPS.len());
        let arity = |list: &serde_json::Value| {
            let list = list.as_array().expect("a list");
            let single = list.iter().filter(|item| item["arity"] == "one").count();
            if single == list.len() { Arity::Just(single) } else { Arity::Many(single) }
        };
        for fact in ops {
            let name = fact["name"].as_str().and_then(|n| n.strip_prefix("vhlo.")).expect("a name");
            let op = VhloOp::find(name).unwrap_or_else(|| panic!("{name} is missing"));
            let props: Vec<&str> = op.props.iter().map(|prop| prop.name).collect();
            assert_eq!(serde_json::json!(props), fact["property_order"], "{name}");
            let version = |text: &str| text.parse::<Version>().map(|v| (v.major, v.minor)).ok();
            assert_eq!(version(fact["min_version"].as_str().expect("a version")), Some(op.since), "{name}");
            assert_eq!(version(fact["max_version"].as_str().expect("a version")), op.until, "{name}");
            let arities = (op.operands, op.results, op.regions);
            assert_eq!(arities, (arity(&fact["operands"]), arity(&fact["results"]), arity(&fact["regions"])), "{name}");
            let becomes = fact["stablehlo"].as_str().expect("a name");
            assert!(becomes.starts_with(op.code.name()) || op.code == OpCode::Return, "{name} {becomes}");
        }
    }
}
