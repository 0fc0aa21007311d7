// Lines of a branch → those that repeat earlier ones. Some clients wrote the whole history again with new uuids
// (2.1.11 → 2.1.14 when resuming, 1.0.57 after an interrupt, with new times too). A copy has the same message and tool
// ids; prompts, which have none, the same content in the same place. It is shown and counted once.

import { callsOf, isMessage, type Node, resultsOf, type Transcript } from '../transcript/index.ts';
import { contentKey } from './relatives.ts';

/** The copies among `nodes`, which are in the order of the branch. */
export function findReplayed(transcript: Transcript, nodes: readonly Node[]): ReadonlySet<Node> {
  if (!transcript.mayRepeat) return new Set();
  const lines = nodes.filter(isMessage);
  if (!comesBack(lines)) return new Set();
  const contents = lines.map((line) => (hasToolId(line) ? '' : contentKey(transcript.read(line))));
  const originals = repeatedIds(lines, contents);
  const isNeighbour = (i: number, original: number): boolean =>
    originals[i] === undefined &&
    original >= 0 &&
    original < i &&
    isTyped(lines[i]) &&
    contents[i] === contents[original];
  for (let i = 1; i < lines.length; i++) {
    const original = (originals[i - 1] ?? -2) + 1;
    if (isNeighbour(i, original)) originals[i] = original;
  }
  for (let i = lines.length - 2; i >= 0; i--) {
    const original = (originals[i + 1] ?? -1) - 1;
    if (isNeighbour(i, original)) originals[i] = original;
  }
  return new Set(lines.filter((_, i) => originals[i] !== undefined));
}

/** A message id that returns after a typed line, or a call that is made again: only then the closer look is worth it. */
function comesBack(lines: readonly Node[]): boolean {
  const stretchOf = new Map<string, number>();
  const calls = new Set<string>();
  let stretch = 0;
  for (const line of lines) {
    if (isTyped(line)) stretch++;
    const id = line.type === 'assistant' ? line.message?.id : undefined;
    if (id === undefined) continue;
    if ((stretchOf.get(id) ?? stretch) !== stretch) return true;
    stretchOf.set(id, stretch);
    for (const call of callsOf(line)) {
      if (calls.has(call.id)) return true;
      calls.add(call.id);
    }
  }
  return false;
}

/** For each line the place of the first line with the same ids, or the same time and content. */
function repeatedIds(lines: readonly Node[], contents: readonly string[]): (number | undefined)[] {
  const first = new Map<string, number>();
  return lines.map((line, i) => {
    const key = keyOf(line, contents[i] ?? '');
    if (key === undefined) return undefined;
    const original = first.get(key);
    if (original === undefined) first.set(key, i);
    return original;
  });
}

function keyOf(line: Node, content: string): string | undefined {
  if (line.type === 'assistant') {
    const calls = callsOf(line).map((call) => call.id);
    return line.message?.id === undefined ? undefined : `${line.message.id} ${calls.join()} ${content}`;
  }
  const results = resultsOf(line).map((result) => result.toolUseId);
  if (results.length > 0) return `results ${results.join()} ${content}`;
  return Number.isNaN(line.time) ? undefined : `typed ${line.time} ${content}`;
}

/** A tool's id is enough; a result that also carries a prompt is recognised by its content. */
function hasToolId(line: Node): boolean {
  return callsOf(line).length > 0 || (resultsOf(line).length > 0 && line.promptKind === undefined);
}

function isTyped(line: Node | undefined): boolean {
  return line?.type === 'user' && resultsOf(line).length === 0;
}
