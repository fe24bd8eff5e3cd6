//! Neighbouring loops over the same points as one: fewer steps, and what one writes the other need not load.

use super::schedule::Item;
use crate::fuse::{Loop, Store, source};
use crate::graph::{Graph, Value};
use cpu_vir::{Access, Inst, OperandId, Part, Program, Role};
use hashbrown::HashMap;

/// Loops are compared with this many before them.
const WINDOW: usize = 8;
/// Most instructions and arrays of a merged loop.
const MOST_INSTRUCTIONS: usize = 160;
const MOST_ARRAYS: usize = 24;
/// Loops of no more points are merged also when they have nothing in common.
const FEW_POINTS: usize = 64;

/// Merges loops of a block where that changes no result.
pub(super) fn merge_loops(graph: &Graph, items: &mut Vec<Item>) {
    let mut done: Vec<Item> = Vec::with_capacity(items.len());
    for item in items.drain(..) {
        done.push(item);
        // A merged loop may have another partner.
        while let last = done.len() - 1
            && let Some(earlier) = partner(graph, &done, last)
            && let (Item::Loop(first), Item::Loop(second)) = (&done[earlier], &done[last])
            && let Some(merged) = merged(first, second)
        {
            done[last] = Item::Loop(merged);
            // One of the last few.
            done.remove(earlier);
        }
    }
    *items = done;
}

/// An earlier loop that may move down to this one.
fn partner(graph: &Graph, items: &[Item], index: usize) -> Option<usize> {
    let Item::Loop(second) = &items[index] else { return None };
    for earlier in (index.saturating_sub(WINDOW)..index).rev() {
        match &items[earlier] {
            Item::Loop(first) if is_alike(first, second) => {
                let between = &items[earlier + 1..index];
                let wanted = |value: &Value| first.outputs.iter().any(|store| store.value == *value);
                if between.iter().all(|item| !touches(graph, item, &wanted)) {
                    return Some(earlier);
                }
            }
            // What happens inside is not looked into.
            Item::While(_) | Item::Case(_) => return None,
            _ => {}
        }
    }
    None
}

fn touches(graph: &Graph, item: &Item, wanted: &dyn Fn(&Value) -> bool) -> bool {
    match item {
        // Some values are written by several loops, a part by each.
        Item::Loop(looped) => looped.inputs.iter().any(wanted) || looped.outputs.iter().any(|s| wanted(&s.value)),
        Item::Rows { members, .. } => {
            members.iter().any(|member| member.inputs().chain(member.outputs()).any(|value| wanted(&value)))
        }
        Item::Direct { inputs, .. } => inputs.iter().any(|&input| wanted(&source(graph, input))),
        Item::Kernel(id) => graph.node(*id).inputs.iter().any(|&input| wanted(&source(graph, input))),
        Item::Constant(_) => false,
        Item::While(_) | Item::Case(_) => true,
    }
}

fn is_alike(first: &Loop, second: &Loop) -> bool {
    let (a, b) = (&first.program, &second.program);
    let plain = |looped: &Loop| {
        looped.program.reduced == 0
            && looped.program.reductions.is_empty()
            && looped.outputs.iter().all(|store| store.whole)
    };
    if a.dims != b.dims || !plain(first) || !plain(second) {
        return false;
    }
    let small = a.dims.iter().product::<usize>() <= FEW_POINTS;
    let related = |value: &Value| first.inputs.contains(value) || first.outputs.iter().any(|s| s.value == *value);
    small || second.inputs.iter().any(related)
}

/// Both loops as one; `None` when the second reads what the first writes elsewhere than at its own point, or when
/// they are too long together.
fn merged(first: &Loop, second: &Loop) -> Option<Loop> {
    if first.program.body.len() + second.program.body.len() > MOST_INSTRUCTIONS
        || first.program.operands.len() + second.program.operands.len() > MOST_ARRAYS
    {
        return None;
    }
    let mut program = first.program.clone();
    let mut inputs = first.inputs.clone();
    let first_inputs: Vec<OperandId> = first.program.with_role(Role::Input).collect();
    let mut operands: HashMap<OperandId, OperandId> = HashMap::new();
    // Operands of the second whose memory the first writes.
    let mut forwarded: HashMap<OperandId, OperandId> = HashMap::new();
    let mut next_input = 0;
    for (index, operand) in second.program.operands.iter().enumerate() {
        let id = OperandId(index as u32);
        if operand.role == Role::Input {
            let value = second.inputs[next_input];
            next_input += 1;
            if let Some(store) = first.outputs.iter().find(|store| store.value == value) {
                if program.operands[store.operand.index()].storage != operand.storage {
                    return None;
                }
                forwarded.insert(id, store.operand);
                continue;
            }
            let known =
                first.inputs.iter().zip(&first_inputs).find(|(known, place)| {
                    **known == value && program.operands[place.index()].storage == operand.storage
                });
            if let Some((_, place)) = known {
                operands.insert(id, *place);
                continue;
            }
            inputs.push(value);
        }
        program.operands.push(*operand);
        operands.insert(id, OperandId(program.operands.len() as u32 - 1));
    }
    let mut values: Vec<cpu_vir::Value> = Vec::with_capacity(second.program.body.len());
    for (inst, ty) in second.program.body.iter().zip(&second.program.types) {
        if let Inst::Load { access, part, guard } = inst
            && let Some(output) = forwarded.get(&access.operand)
        {
            values.push(stored(&first.program, *output, access, *part).filter(|_| guard.is_none())?);
            continue;
        }
        let inst = renamed(inst, &values, &operands)?;
        program.body.push(inst);
        program.types.push(*ty);
        values.push(cpu_vir::Value(program.body.len() as u32 - 1));
    }
    for store in &second.program.stores {
        let mut store = store.clone();
        store.access.operand = *operands.get(&store.access.operand)?;
        store.value = values[store.value.index()];
        program.stores.push(store);
    }
    let mut outputs = first.outputs.clone();
    for store in &second.outputs {
        outputs.push(Store { operand: *operands.get(&store.operand)?, ..*store });
    }
    cpu_vir::verify(&program).ok()?;
    Some(Loop { program, inputs, outputs })
}

/// The value that a program stores where an access reads.
fn stored(program: &Program, output: OperandId, access: &Access, part: Part) -> Option<cpu_vir::Value> {
    let same = |other: &Access| {
        other.operand == output
            && other.offset == access.offset
            && other.strides.iter().zip(&access.strides).zip(&program.dims).all(|((a, b), size)| *size <= 1 || a == b)
    };
    program.stores.iter().find(|store| store.part == part && same(&store.access)).map(|store| store.value)
}

fn renamed(inst: &Inst, values: &[cpu_vir::Value], operands: &HashMap<OperandId, OperandId>) -> Option<Inst> {
    let mut inst = inst.clone();
    let rename = |value: &mut cpu_vir::Value| *value = values[value.index()];
    match &mut inst {
        Inst::Const(_) | Inst::Index { .. } => {}
        Inst::Load { access, .. } => access.operand = *operands.get(&access.operand)?,
        Inst::Gather { access, indices, .. } => {
            access.operand = *operands.get(&access.operand)?;
            indices.iter_mut().for_each(|index| rename(&mut index.index));
        }
        Inst::Unary { a, .. }
        | Inst::Convert { a }
        | Inst::NarrowToOdd { a }
        | Inst::Bitcast { a }
        | Inst::Round { a, .. }
        | Inst::Wrap { a, .. }
        | Inst::ReducePrecision { a, .. } => rename(a),
        Inst::Binary { a, b, .. } | Inst::Compare { a, b, .. } => {
            rename(a);
            rename(b);
        }
        Inst::Select { mask: a, a: b, b: c } | Inst::Fma { a, b, c } => {
            rename(a);
            rename(b);
            rename(c);
        }
    }
    Some(inst)
}
