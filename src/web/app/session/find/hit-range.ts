// A hit → its range on the page. The page draws a text differently from how it was written (Markdown, colours, numbers,
// diffs), so the place is recognised by the letters next to it. If the block does not show it, its slice of the text does.
import { contextChars, contextOf, lettersOf, type Matcher } from '../../../../export/wire/index.ts';
import { placeName, type TargetHit, type TargetLine } from '../source/index.ts';
import { type Run, rangeIn, runsOf } from './text-runs.ts';

/** The blocks that show a line. */
export function targetBlocks(root: Element, target: TargetLine): readonly Element[] {
  const name = CSS.escape(placeName(target));
  const anchors = [...root.querySelectorAll(`[data-place="${name}"], [data-result="${name}"]`)];
  return [...new Set(anchors.flatMap((anchor) => anchor.closest('.target') ?? []))];
}

/** `undefined`: the block does not show it. */
export function hitRange(root: Element, target: TargetLine, matcher: Matcher | undefined): Range | undefined {
  const { hit } = target;
  if (hit === undefined) return undefined;
  const slice = root.querySelector('.found-slice .found-here');
  if (slice !== null) return contentsOf(slice);
  if (matcher === undefined) return undefined;
  const places = targetBlocks(root, target).flatMap((block) => placesIn(block, matcher, hit));
  const best = places.reduce((most, { score }) => Math.max(most, score), 0);
  const equal = places.filter(({ score }) => score === best);
  return equal[Math.min(hit.same, equal.length - 1)]?.range;
}

function contentsOf(element: Element): Range {
  const range = document.createRange();
  range.selectNodeContents(element);
  return range;
}

interface ScoredRange {
  readonly range: Range;
  /** How many letters next to it are the same. */
  readonly score: number;
}

/** Fewer equal letters may be chance. */
const enoughLetters = 6;
const farChars = 200;

function placesIn(block: Element, matcher: Matcher, hit: TargetHit): readonly ScoredRange[] {
  // A sub-agent below a call has blocks of its own.
  const agent = block.closest('.agent');
  const isOwn = (text: Text): boolean => text.parentElement?.closest('.agent') === agent;
  const runs = [...runsOf(block, isOwn)];
  const whole = runs.map((run) => run.text).join('\n');
  const [before, after] = contextOf(hit);
  const needed = Math.min(enoughLetters, before.length + after.length);
  const found: ScoredRange[] = [];
  let base = 0;
  for (const run of runs) {
    for (const [start, end] of matcher.marksIn(run.text)) {
      if (lettersOf(run.text.slice(start, end)) !== lettersOf(hit.match)) continue;
      const left = lettersOf(whole.slice(Math.max(0, base + start - farChars), base + start)).slice(-contextChars);
      const right = lettersOf(whole.slice(base + end, base + end + farChars)).slice(0, contextChars);
      const score = sameEnd(left, before) + sameStart(right, after);
      const range = score < needed ? undefined : visibleRange(run, start, end);
      if (range !== undefined) found.push({ range, score });
    }
    base += run.text.length + 1;
  }
  return found;
}

function sameStart(a: string, b: string): number {
  let count = 0;
  while (count < a.length && count < b.length && a[count] === b[count]) count++;
  return count;
}

function sameEnd(a: string, b: string): number {
  let count = 0;
  while (count < a.length && count < b.length && a.at(-1 - count) === b.at(-1 - count)) count++;
  return count;
}

/** Not in a line that ends in an ellipsis before it, nor in an element that is not drawn. */
function visibleRange(run: Run, start: number, end: number): Range | undefined {
  const range = rangeIn(run, start, end);
  const rect = range?.getBoundingClientRect();
  if (range === undefined || rect === undefined || rect.width === 0 || rect.height === 0) return undefined;
  for (let element = run.nodes[0]?.parentElement ?? null; element !== null; element = element.parentElement) {
    if (element.matches('.item, .prompt, main')) break;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    if (/hidden|clip/.test(style.overflowX) && (rect.right > box.right + 1 || rect.left < box.left - 1))
      return undefined;
    if (/hidden|clip/.test(style.overflowY) && (rect.bottom > box.bottom + 1 || rect.top < box.top - 1))
      return undefined;
  }
  return range;
}
