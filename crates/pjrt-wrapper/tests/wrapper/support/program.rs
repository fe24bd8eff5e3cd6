//! The language of the test backend: `<operation> <shape>`, such as `add_one f32[2,3]`.
//!
//! Unless the table says otherwise a program takes one array of that shape and returns one.
//!
//! | operation | what it does |
//! | --- | --- |
//! | `add_one`, `copy` | what they say |
//! | `donate` | adds one, in the storage of its argument if nobody else holds that |
//! | `donate_first` | takes two arrays, donates the first, returns it plus one |
//! | `donate_both` | takes two arrays, donates both, returns the first plus one |
//! | `fail` | fails before it takes its donated argument |
//! | `fail_after_take` | fails after it took its donated argument |
//! | `fail_later` | returns results and an event that fail |
//! | `pending` | adds one; results and event are pending until the test completes them |
//! | `nothing` | returns no result |
//! | `constant` | takes nothing, returns sevens (as bytes) |
//! | `identify` | takes nothing, returns replica and partition as `s32[2]` |
//! | `two` | returns its argument, and its argument plus one |
//! | `column_major` | a copy whose result lies column-major |
//! | `to_pinned` | a copy whose result is in `pinned_host` |
//! | `sharded` | a copy with shardings |
//! | `serializable` | a copy that serializes itself |
//! | `send`, `recv`, `tap` | use the callbacks of channel 5 |
//! | `wrong_count`, `wrong_result`, `wrong_devices` | return something else than they promised |
//! | `wrong_donation` | promises to donate an argument that it does not have |

use pjrt_client_trait::{ElementType, Result, Shape, Status};

/// A program that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    pub operation: String,
    pub shape: Shape,
}

const OPERATIONS: &[&str] = &[
    "add_one",
    "copy",
    "donate",
    "donate_first",
    "donate_both",
    "fail",
    "fail_after_take",
    "fail_later",
    "pending",
    "nothing",
    "constant",
    "identify",
    "two",
    "column_major",
    "to_pinned",
    "sharded",
    "serializable",
    "send",
    "recv",
    "tap",
    "wrong_count",
    "wrong_result",
    "wrong_devices",
    "wrong_donation",
];

impl Source {
    pub fn read(code: &[u8]) -> Result<Self> {
        let wrong =
            |what: &str| Status::invalid_argument(format!("{what} in program {:?}", String::from_utf8_lossy(code)));
        let text = std::str::from_utf8(code).map_err(|_| wrong("no text"))?;
        let (operation, shape) = text.split_once(' ').ok_or_else(|| wrong("no shape"))?;
        if !OPERATIONS.contains(&operation) {
            return Err(wrong("unknown operation"));
        }
        let (ty, dims) =
            shape.strip_suffix(']').and_then(|shape| shape.split_once('[')).ok_or_else(|| wrong("no shape"))?;
        let ty =
            ElementType::ALL.iter().copied().find(|known| known.text() == ty).ok_or_else(|| wrong("unknown type"))?;
        let dims: Result<Vec<i64>> = dims
            .split(',')
            .filter(|dim| !dim.is_empty())
            .map(|dim| dim.parse().map_err(|_| wrong("bad dimension")))
            .collect();
        Ok(Source { operation: operation.to_owned(), shape: Shape::new(ty, dims?)? })
    }

    pub fn num_parameters(&self) -> usize {
        match self.operation.as_str() {
            "constant" | "identify" => 0,
            "donate_first" | "donate_both" => 2,
            _ => 1,
        }
    }

    pub fn num_outputs(&self) -> usize {
        match self.operation.as_str() {
            "nothing" => 0,
            "two" => 2,
            _ => 1,
        }
    }

    pub fn donated(&self) -> &'static [usize] {
        match self.operation.as_str() {
            "donate" | "donate_first" | "fail" | "fail_after_take" => &[0],
            "donate_both" => &[0, 1],
            "wrong_donation" => &[3],
            _ => &[],
        }
    }
}
