// Finds the thinking blocks that a staged result must not have. The API binds a block to everything that was sent before it
// (docs/surgery.md, Thinking), and refuses a block after the first change or after a gap.
import { isBinding } from '../../api/request/index.ts';
import { asObject, isArray, isObject } from '../../base/json/index.ts';
import { cwdOf, type Session } from '../../session/load/index.ts';
import { isThinking } from '../../session/resume/messages/index.ts';
import { isMessage, type Node, type Transcript } from '../../session/transcript/index.ts';
import { leanTranscript, madeNode, openRoundOf, pinTo } from './request.ts';
import { fittingThinking, type PrefixSource, type SentPrefix, sentPrefixOf, thinkingKeyOf } from './sent-prefix.ts';

/**
 * Which thinking to remove. `changed`: what is no longer valid, of models that check it. `bound`: all of models that check
 * it. `all`: of every model.
 */
export type ThinkingRule = 'changed' | 'bound' | 'all';

/** Lines whose thinking is known to be valid or invalid, whatever the comparison with the source shows. */
export interface JudgedThinking {
  readonly fitting: ReadonlySet<Node>;
  readonly unfit: ReadonlySet<Node>;
}

/** Where a line of a planned transcript comes from, and whether the operation changed it. */
export interface LineOrigin {
  /** Absent for a line that the operation created. */
  readonly origin?: SourcePlace;
  /** Its bytes differ from those of its origin. */
  readonly isEdited: boolean;
  /** Only its ids (session, line) were changed: everything else must be as it was. */
  readonly isRenamed: boolean;
}

export interface SourcePlace {
  readonly file: string;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}

export interface UnfitThinking {
  /** By record, the indexes of the blocks in its content. */
  readonly blocks: ReadonlyMap<Node, readonly number[]>;
  /** How many of them resuming would send. */
  readonly removed: number;
}

export function hasThinking(node: Node): boolean {
  return node.type === 'assistant' && node.message?.blockTypes.some((type) => type.endsWith('thinking')) === true;
}

export function holdsBoundThinking(node: Node): boolean {
  return hasThinking(node) && isBinding(node.message?.model);
}

export interface TrimRule {
  readonly rule: ThinkingRule;
  readonly judge?: ((result: Session) => JudgedThinking) | undefined;
}

/** `origins`: by line of the staged transcript. */
export function unfitThinking(
  staged: Session,
  sources: readonly Session[],
  origins: readonly LineOrigin[],
  { rule, judge }: TrimRule,
): UnfitThinking {
  const { transcript } = staged;
  const after = sentPrefixOf(transcript);
  const isJudged = rule === 'all' ? hasThinking : holdsBoundThinking;
  const fitting = rule === 'changed' ? fittingIn(staged, sources, origins, after) : new Set();
  const known = rule === 'changed' ? judge?.(staged) : undefined;
  const knownFitting = new Set([...(known?.fitting ?? [])].map(({ offset }) => offset));
  const knownUnfit = new Set([...(known?.unfit ?? [])].map(({ offset }) => offset));
  const unfit = new Map<Node, string[]>();
  const wanted = rule === 'all' ? openRoundOf(after.lines) : undefined;
  const isWanted = (line: Node): boolean => wanted !== undefined && line.message?.id === wanted;
  let removed = 0;
  let hasKept = false;
  let isOver = false;
  for (const block of after.thinking) {
    const { line } = block;
    if (line === undefined || !isJudged(line) || isWanted(line)) continue;
    const fits = !knownUnfit.has(line.offset) && (knownFitting.has(line.offset) || fitting.has(block));
    // After a gap no block is valid.
    isOver ||= hasKept && !fits;
    hasKept ||= fits;
    if (fits && !isOver) continue;
    unfit.set(line, [...(unfit.get(line) ?? []), block.key]);
    removed++;
  }
  const blocks = new Map([...unfit].map(([line, keys]) => [line, placesOf(transcript, line, keys)]));
  const sent = new Set(after.thinking.map(({ line }) => line));
  const from = rule === 'changed' ? firstChange(sources, origins) : 0;
  for (const line of transcript.nodes) {
    if (line.line < from || sent.has(line) || !isJudged(line) || isWanted(line)) continue;
    blocks.set(line, placesOf(transcript, line));
  }
  return { blocks, removed };
}

function fittingIn(
  staged: Session,
  sources: readonly Session[],
  origins: readonly LineOrigin[],
  after: SentPrefix,
): ReadonlySet<unknown> {
  const fitting = new Set<unknown>();
  for (const source of sources) {
    // Without a snapshot, the client creates the system prompt, which names the folder.
    if (after.prompt === '' && cwdOf(source) !== cwdOf(staged)) continue;
    const known = beforeMark(source.transcript);
    const add = (before: SentPrefix): void => {
      const sound = {
        ...before,
        thinking: before.thinking.filter(({ line }) => line === undefined || !known.has(line.offset)),
      };
      for (const block of fittingThinking(sound, after)) fitting.add(block);
    };
    add(sentPrefixOf(source.transcript));
    if (fitting.size === after.thinking.length) break;
    const earlier = sourceAtEnd(source.transcript, origins, after);
    if (earlier !== undefined) add(sentPrefixOf(earlier));
  }
  return fitting;
}

/** Thinking that a mark removed from the conversation must not reappear. */
function beforeMark({ nodes }: Transcript): ReadonlySet<number> {
  const mark = nodes.findLast(({ type, subtype }) => type === 'attachment' && subtype === 'thinking_stripped');
  return new Set(nodes.filter((node) => mark !== undefined && node.index < mark.index).map(({ offset }) => offset));
}

/** The source as it was when the last line of the result was its last line: an earlier turn, or another branch. */
function sourceAtEnd(
  source: Transcript,
  origins: readonly LineOrigin[],
  { lines }: SentPrefix,
): PrefixSource | undefined {
  const numbers = new Set(
    lines.flatMap(({ line }) => {
      const origin = origins[line - 1]?.origin;
      return origin?.file === source.path ? origin.line : [];
    }),
  );
  const own = source.nodes.filter((node) => numbers.has(node.line) && node.uuid !== undefined);
  const leaf = own.findLast(isMessage);
  const last = own.at(-1);
  if (leaf?.uuid === undefined || last === undefined) return undefined;
  const nodes = source.nodes.slice(0, last.index + 1).filter(({ type }) => type !== 'last-prompt');
  const picked = source.pick(nodes);
  const pin = madeNode(pinTo(leaf.uuid, ''), picked.nodes.length);
  return { nodes: [...picked.nodes, pin], read: (node) => (node === pin ? {} : picked.read(node)) };
}

/** The first staged line that is new or changed, or before which content is missing. */
function firstChange(sources: readonly Session[], origins: readonly LineOrigin[]): number {
  const byFile = new Map(sources.map(({ transcript }) => [transcript.path, contentLines(transcript)]));
  const file = origins.find(({ origin }) => origin !== undefined)?.origin?.file ?? '';
  const lines = byFile.get(file) ?? [];
  let next = 0;
  const change = origins.findIndex(({ origin, isEdited, isRenamed }) => {
    if (origin === undefined || origin.file !== file || (isEdited && !isRenamed)) return true;
    if ((lines[next] ?? Number.POSITIVE_INFINITY) < origin.line) return true;
    if (lines[next] === origin.line) next++;
    return false;
  });
  return change < 0 ? Number.POSITIVE_INFINITY : change + 1;
}

/** Lines that a resume could send, other than thinking. */
function contentLines({ nodes }: Transcript): readonly number[] {
  const lines = nodes.filter(
    (node) =>
      node.type === 'attachment' ||
      (isMessage(node) && node.message?.blockTypes.every((type) => type.endsWith('thinking')) !== true),
  );
  return [...new Set(lines.map(({ line }) => line))];
}

/** The indexes of the thinking blocks of a line, or of those with these keys. */
export function placesOf(transcript: Transcript, line: Node, keys?: readonly string[]): readonly number[] {
  const wanted = keys === undefined ? undefined : [...keys];
  const content = asObject(leanTranscript(transcript).read(line).message)?.content;
  return (isArray(content) ? content : []).flatMap((block, i) => {
    if (!isObject(block) || !isThinking(block)) return [];
    if (wanted === undefined) return [i];
    const at = wanted.indexOf(thinkingKeyOf(block));
    if (at >= 0) wanted.splice(at, 1);
    return at < 0 ? [] : [i];
  });
}
