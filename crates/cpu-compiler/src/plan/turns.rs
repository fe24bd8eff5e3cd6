//! Short steps as one step: a sequence, in which each costs no more than what it does.
//!
//! Works on finished steps. A loop becomes a sequence as a whole, with its jumps within it, if all of its steps can be
//! part of one; elsewhere short steps that follow each other do.

use super::areas::Areas;
use super::{Plan, Step};
use crate::kernel::{Block, BlockIndex};
use cpu_kernels::SingleIndex;
use cpu_runtime::Span;
use cpu_vir::exec::{Item, Move, MoveIndex, Place, Sequence};

/// More steps than this are no short loop.
const MOST_STEPS: usize = 200;

/// More short steps than this do not become one: before each run all pieces of memory of a step that writes are compared
/// with each other, and what a step costs to begin is nothing beside so many.
const MOST_TOGETHER: usize = 128;

/// Makes sequences of all loops that can be, outer ones first, and of short steps elsewhere.
pub(super) fn write_down(plan: &mut Plan) {
    let mut loops: Vec<(usize, usize)> = Vec::new();
    for (at, step) in plan.steps.iter().enumerate() {
        if let Step::If { target, .. } | Step::Jump(target) = step
            && *target <= at
            && at - target < MOST_STEPS
        {
            loops.push((*target, at + 1));
        }
    }
    // Outer loops begin no later and end later than those inside of them.
    loops.sort_by_key(|(start, end)| (*start, usize::MAX - end));
    let jumps = Jumps::new(&plan.steps);
    let mut replaced: Vec<Replaced> = Vec::new();
    for (start, end) in loops {
        let free = replaced.last().is_none_or(|before| before.end <= start);
        if free
            && jumps.are_apart(start, end)
            && let Some(step) = sequence(&plan.steps, start, end)
        {
            replaced.push(Replaced { start, end, step, title: "turns of" });
        }
    }
    let mut start = 0;
    let mut runs = Vec::new();
    // In order, and none inside of another.
    let mut loops = replaced.iter().peekable();
    for (at, step) in plan.steps.iter().enumerate() {
        while loops.next_if(|one| one.end <= at).is_some() {}
        let inside = loops.peek().is_some_and(|one| one.start <= at);
        if jumps.come_to(at) || inside || !is_short(step) || at - start == MOST_TOGETHER {
            runs.push((start, at));
            start = if inside || !is_short(step) { at + 1 } else { at };
        }
    }
    runs.push((start, plan.steps.len()));
    // They have no jumps, and none goes into them.
    for (start, end) in runs.into_iter().filter(|(start, end)| end - start > 1) {
        if let Some(step) = sequence(&plan.steps, start, end) {
            replaced.push(Replaced { start, end, step, title: "together" });
        }
    }
    replaced.sort_by_key(|one| one.start);
    if !replaced.is_empty() {
        replace(plan, replaced);
    }
}

/// For each position the first and the last step that jumps there.
struct Jumps<'a> {
    steps: &'a [Step],
    sources: Vec<Option<(usize, usize)>>,
}

impl Jumps<'_> {
    fn new(steps: &[Step]) -> Jumps<'_> {
        let mut sources: Vec<Option<(usize, usize)>> = vec![None; steps.len() + 1];
        for (at, step) in steps.iter().enumerate() {
            for &target in step.targets() {
                sources[target].get_or_insert((at, at)).1 = at;
            }
        }
        Jumps { steps, sources }
    }

    /// Whether a step jumps to a position.
    fn come_to(&self, position: usize) -> bool {
        self.sources[position].is_some()
    }

    /// Whether jumps of these steps stay within them or go to their end, and no others go into them but to the first.
    fn are_apart(&self, start: usize, end: usize) -> bool {
        let from_within = |&(first, last): &(usize, usize)| start <= first && last < end;
        self.steps[start..end].iter().flat_map(Step::targets).all(|target| (start..=end).contains(target))
            && self.sources[start..end].iter().skip(1).flatten().all(from_within)
    }
}

/// Steps that become one.
struct Replaced {
    start: usize,
    end: usize,
    step: Step,
    title: &'static str,
}

/// Whether a step costs more to begin than to do, and goes on with the next.
fn is_short(step: &Step) -> bool {
    match step {
        Step::Loop { kernel, .. } => kernel.is_short(),
        Step::Kernel { kernel, .. } => kernel.block().is_some(),
        Step::Copy { from, .. } => from.length <= SHORT_COPY,
        _ => false,
    }
}

/// Bytes of copies that are short.
const SHORT_COPY: usize = 4096;

/// Puts steps in the place of others, and has jumps go where their targets are now.
fn replace(plan: &mut Plan, replaced: Vec<Replaced>) {
    let steps = std::mem::take(&mut plan.steps);
    let mut texts = plan.text.as_mut().map(|texts| std::mem::take(texts).into_iter());
    let mut moved = Vec::with_capacity(steps.len() + 1);
    let mut replaced = replaced.into_iter().peekable();
    let mut inside: Option<usize> = None;
    for (at, step) in steps.into_iter().enumerate() {
        let text = texts.as_mut().and_then(Iterator::next);
        if let Some(Replaced { end, step, title, .. }) = replaced.next_if(|one| one.start == at) {
            inside = Some(end);
            moved.push(plan.steps.len());
            plan.steps.push(step);
            say(plan, text, |text| format!("{title}\n{text}"));
            continue;
        }
        if inside.is_some_and(|end| at < end) {
            // Nobody jumps here.
            moved.push(plan.steps.len() - 1);
            if let (Some(whole), Some(text)) = (plan.text.as_mut().and_then(|texts| texts.last_mut()), text) {
                whole.push('\n');
                whole.push_str(text.trim_end());
            }
            continue;
        }
        moved.push(plan.steps.len());
        plan.steps.push(step);
        say(plan, text, |text| text);
    }
    moved.push(plan.steps.len());
    for step in &mut plan.steps {
        step.targets_mut().iter_mut().for_each(|target| *target = moved[*target]);
    }
}

/// Adds what is said of the last step, if anything is.
fn say(plan: &mut Plan, text: Option<String>, with: impl FnOnce(String) -> String) {
    if let (Some(texts), Some(text)) = (&mut plan.text, text) {
        texts.push(with(text));
    }
}

/// Steps that are apart from others as one step; `None` if something in them has to stay a step.
fn sequence(steps: &[Step], start: usize, end: usize) -> Option<Step> {
    let mut areas = Areas::default();
    let body = &steps[start..end];
    for step in body {
        touch(&mut areas, step)?;
    }
    let items = body.iter().map(|step| item(&areas, step, start)).collect::<Option<Vec<Item>>>()?;
    let sequence = Sequence::prepare(&areas.list(), &items).ok()?;
    let (reads, writes) = areas.finish();
    Some(Step::Turns { sequence, reads, writes })
}

/// Notes what a step reads and writes; `None` if it cannot be part of a sequence.
fn touch(areas: &mut Areas, step: &Step) -> Option<()> {
    let (reads, writes): (&[Span], &[Span]) = match step {
        Step::Loop { reads, writes, parts: ..=1, .. } => (reads, writes),
        Step::Kernel { kernel, reads, writes } if kernel.block().is_some() => (reads, writes),
        Step::Copy { from, to } => (std::slice::from_ref(from), std::slice::from_ref(to)),
        Step::If { condition, .. } | Step::Unless { condition, .. } => (std::slice::from_ref(condition), &[]),
        Step::Switch { choice, .. } => (std::slice::from_ref(choice), &[]),
        Step::Jump(_) => (&[], &[]),
        Step::Loop { .. } | Step::Kernel { .. } | Step::Rows { .. } | Step::Turns { .. } => return None,
    };
    reads.iter().for_each(|span| areas.add(span, false));
    writes.iter().for_each(|span| areas.add(span, true));
    Some(())
}

/// A step as part of a sequence that begins at a position.
fn item(areas: &Areas, step: &Step, start: usize) -> Option<Item> {
    let places = |spans: &[Span]| spans.iter().map(|span| areas.place(span)).collect::<Vec<_>>();
    Some(match step {
        Step::Loop { kernel, reads, writes, .. } => {
            Item::Run { kernel: kernel.clone(), inputs: places(reads), outputs: places(writes) }
        }
        Step::Kernel { kernel, reads, writes } => {
            let Block { update, indices, drops, runs } = kernel.block()?;
            let (from, to) = (&reads[update.unwrap_or(0)], &writes[0]);
            let index = |BlockIndex { operand, index }: &BlockIndex| {
                let SingleIndex { start, ty, wrap, most, stride } = *index;
                let place = areas.place(&reads[*operand]);
                MoveIndex { place: Place { start: place.start + start, ..place }, ty, wrap, most, stride }
            };
            Item::Move(Move {
                from: areas.place(from),
                to: areas.place(to),
                indices: indices.iter().map(index).collect(),
                moves_source: update.is_none(),
                drops,
                runs,
            })
        }
        Step::Copy { from, to } => Item::Copy { from: areas.place(from), to: areas.place(to), bytes: from.length },
        Step::If { condition, target } => {
            Item::If { condition: areas.place(condition), value: true, target: target - start }
        }
        Step::Unless { condition, target } => {
            Item::If { condition: areas.place(condition), value: false, target: target - start }
        }
        Step::Jump(target) => Item::Jump { target: target - start },
        Step::Switch { choice, boolean, targets } => Item::Switch {
            choice: areas.place(choice),
            boolean: *boolean,
            targets: targets.iter().map(|target| target - start).collect(),
        },
        Step::Rows { .. } | Step::Turns { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_apart_if_no_jump_goes_into_them_or_out_of_them() {
        // Two loops, one in the other, and a jump over both.
        let targets = [9, 1, 2, 3, 6, 3, 6, 1, 8];
        let steps: Vec<Step> = targets.iter().map(|&target| Step::Jump(target)).collect();
        let jumps = Jumps::new(&steps);
        for (start, end) in (0..9).flat_map(|start| (start + 1..=9).map(move |end| (start, end))) {
            let apart = steps.iter().enumerate().all(|(at, step)| {
                step.targets().iter().all(|&target| match (start..end).contains(&at) {
                    true => (start..=end).contains(&target),
                    false => target <= start || end <= target,
                })
            });
            assert_eq!(jumps.are_apart(start, end), apart, "{start}..{end}");
        }
        assert!(jumps.are_apart(3, 6) && jumps.are_apart(1, 8) && jumps.are_apart(0, 9));
        assert!(!jumps.are_apart(3, 5), "out of them");
        assert!(!jumps.are_apart(2, 4), "into them");
        assert!(jumps.come_to(3) && !jumps.come_to(5));
    }
}
