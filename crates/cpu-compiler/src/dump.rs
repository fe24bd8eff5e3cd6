//! What the compiler makes of a program, as files for people: `RUST_CPU_DUMP=DIR` writes them for every program.

use crate::graph::{Graph, Literal, Op, Value};
use std::ffi::OsStr;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the stages of one program go.
pub(crate) struct Dump {
    stem: PathBuf,
}

static PROGRAMS: AtomicU64 = AtomicU64::new(0);

impl Dump {
    /// A dump of a program of this name, if it was asked for.
    pub fn begin(name: &str) -> Option<Dump> {
        let directory = std::env::var_os("RUST_CPU_DUMP").filter(|directory| directory != OsStr::new(""))?;
        let safe: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).take(80).collect();
        let number = PROGRAMS.fetch_add(1, Ordering::Relaxed);
        Some(Dump { stem: Path::new(&directory).join(format!("{number:04}.{safe}")) })
    }

    /// Writes one stage. A disk that cannot be written is said once for each file, and stops nothing.
    pub fn write(&self, stage: &str, text: &str) {
        let mut file = self.stem.clone().into_os_string();
        file.push(format!(".{stage}"));
        let folder = self.stem.parent().unwrap_or(Path::new("."));
        if let Err(error) = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, text)) {
            eprintln!("RUST_CPU_DUMP: {}: {error}", Path::new(&file).display());
        }
    }
}

/// The graph as text: a line for each node.
pub(crate) fn graph_text(graph: &Graph) -> String {
    let mut text = String::new();
    for (index, block) in graph.blocks.iter().enumerate() {
        let _ = writeln!(text, "block {index}:");
        for &id in &block.nodes {
            let node = graph.node(id);
            let results: Vec<String> = graph.results(id).map(|value| named(graph, value)).collect();
            let inputs: Vec<String> = node.inputs.iter().map(|value| format!("%{}", value.0)).collect();
            let _ = writeln!(text, "  {} = {}({})", results.join(", "), op_text(&node.op), inputs.join(", "));
        }
        let results: Vec<String> = block.results.iter().map(|value| format!("%{}", value.0)).collect();
        let _ = writeln!(text, "  return {}", results.join(", "));
    }
    text
}

fn named(graph: &Graph, value: Value) -> String {
    let ty = graph.ty(value);
    let element = ty.element.map_or("token", |element| element.text());
    format!("%{}: {element}{:?}", value.0, ty.dims)
}

fn op_text(op: &Op) -> String {
    match op {
        Op::Parameter => "parameter".to_owned(),
        Op::Constant(Literal { bytes, splat }) => {
            let shown = &bytes[..bytes.len().min(16)];
            format!("constant {shown:02x?}{}", if *splat { " everywhere" } else { "" })
        }
        Op::Iota(dim) => format!("iota {dim}"),
        Op::Map(op) => format!("{op:?}").to_lowercase(),
        Op::Broadcast(dims) => format!("broadcast {dims:?}"),
        Op::View => "view".to_owned(),
        Op::Transpose(order) => format!("transpose {order:?}"),
        Op::Slice { start, stride } => format!("slice from {start:?} by {stride:?}"),
        Op::Reverse(dims) => format!("reverse {dims:?}"),
        Op::Pad { low, interior } => format!("pad {low:?} between {interior:?}"),
        Op::Concatenate(dim) => format!("concatenate {dim}"),
        Op::Reduce { dims, kind, .. } => format!("reduce {kind} over {dims:?}"),
        Op::Kernel(kernel) => kernel.name(),
        Op::While { condition, body, .. } => format!("while block {} do block {}", condition.0, body.0),
        Op::Case(branches) => {
            format!("case of blocks {:?}", branches.iter().map(|block| block.0).collect::<Vec<_>>())
        }
    }
}

/// One box of the picture: what it is, what it reads and what it writes.
pub(crate) struct Cluster {
    pub title: String,
    pub detail: String,
    pub indent: usize,
    pub reads: Vec<Value>,
    pub writes: Vec<Value>,
    pub color: &'static str,
}

/// Clusters in order, with a line from each to those that read what it writes.
pub(crate) fn picture(clusters: &[Cluster]) -> String {
    const ROW: usize = 46;
    const WIDTH: usize = 520;
    const LEFT: usize = 260;
    let height = clusters.len() * ROW + 40;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
        LEFT + WIDTH + 40
    );
    let place = |index: usize| (LEFT + 24 * clusters[index].indent.min(8), 20 + index * ROW);
    for (index, cluster) in clusters.iter().enumerate() {
        for value in &cluster.reads {
            let Some(from) = clusters[..index].iter().rposition(|earlier| earlier.writes.contains(value)) else {
                continue;
            };
            let ((x1, y1), (x2, y2)) = (place(from), place(index));
            let bend = x1.min(x2) as i64 - 20 - 14 * (index - from).min(15) as i64;
            let (y1, y2) = (y1 + 24, y2 + 12);
            let _ = writeln!(
                text,
                "<path d=\"M{x1} {y1} C{bend} {y1} {bend} {y2} {x2} {y2}\" fill=\"none\" stroke=\"#888\"/>\
                 <circle cx=\"{x2}\" cy=\"{y2}\" r=\"2.5\" fill=\"#444\"/>"
            );
        }
    }
    for (index, cluster) in clusters.iter().enumerate() {
        let (x, y) = place(index);
        let (title, detail) = (escape(&cluster.title), escape(&cluster.detail));
        let _ = writeln!(
            text,
            "<rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"36\" rx=\"4\" fill=\"{}\" stroke=\"#555\"/>\
             <text x=\"{}\" y=\"{}\" font-weight=\"bold\">{title}</text><text x=\"{}\" y=\"{}\" fill=\"#333\">{detail}</text>",
            WIDTH - 24 * cluster.indent.min(8),
            cluster.color,
            x + 8,
            y + 15,
            x + 8,
            y + 30
        );
    }
    text + "</svg>\n"
}

fn escape(text: &str) -> String {
    let short: String = text.chars().take(84).collect();
    short.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
