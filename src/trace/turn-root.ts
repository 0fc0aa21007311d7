// What the span of a turn is made of: its prompt, its times, its model. Of a turn that goes on after a Stop most of it is
// what an earlier run knew, and the prompt is read again.
import { asString } from '../base/json.ts';
import { textOf } from '../format/block.ts';
import { contentOf } from '../format/entry.ts';
import { promptText } from '../session/prompt-text.ts';
import type { OpenRoot, TurnDraft } from './draft.ts';
import { imagesOf } from './placeholder.ts';
import type { TraceLine } from './trace-line.ts';
import type { LinePlace, TraceMessage, TracePrompt, TraceTurn } from './turn.ts';

export type TurnRoot = Pick<TraceTurn, 'prompt' | 'startMs' | 'endMs' | 'model' | 'isInterrupted'>;

export interface RootRules {
  readonly strictSeed: boolean;
  /** Reads the line of a prompt again that an earlier run has seen. */
  readonly readPrompt: (place: LinePlace) => TraceLine | undefined;
}

/** `undefined` where the turn goes on and the state file of an earlier version does not tell. */
export function rootOf(
  { prompt, open, endMs, isInterrupted }: TurnDraft,
  messages: readonly TraceMessage[],
  { strictSeed, readPrompt }: RootRules,
): TurnRoot | undefined {
  const model = messages.find((message) => message.model !== undefined)?.model;
  if (open === undefined) {
    const startMs = prompt?.timeMs ?? messages.find((message) => message.startMs !== undefined)?.startMs;
    return { prompt, startMs, endMs, model, isInterrupted };
  }
  const { root } = open;
  if (root === undefined) return undefined;
  const line = root.prompt === null ? undefined : readPrompt(root.prompt);
  return {
    prompt: line === undefined ? undefined : promptOf(line, strictSeed),
    startMs: root.startMs ?? undefined,
    endMs: latest(root.endMs ?? undefined, endMs),
    model: root.model ?? model,
    isInterrupted: root.isInterrupted || isInterrupted,
  };
}

/** What the next run must know. */
export function openRootOf({ prompt, startMs, endMs, model, isInterrupted }: TurnRoot): OpenRoot {
  return {
    prompt: prompt?.place ?? null,
    startMs: startMs ?? null,
    endMs: endMs ?? null,
    model: model ?? null,
    isInterrupted,
  };
}

export function promptOf(line: TraceLine, strictSeed: boolean): TracePrompt {
  const blocks = contentOf(line.entry);
  const { gitBranch, slug } = line.entry;
  return {
    text: strictSeed ? textOf(blocks) : promptText(blocks),
    images: imagesOf(blocks),
    uuid: line.head.uuid,
    timeMs: line.timeMs,
    place: { offset: line.offset, line: line.number, length: line.length },
    version: line.head.version,
    cwd: line.head.cwd,
    gitBranch: asString(gitBranch),
    slug: asString(slug),
  };
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
