// The facts of a turn's span: its prompt, times and model. If the turn continues after a Stop, most of them come from the
// earlier run, and the prompt is read again.
import { asString } from '../../base/json/index.ts';
import { contentOf, isText, textOf } from '../../format/entry/index.ts';
import { commandName, promptText } from '../../session/transcript/index.ts';
import { imagesOf } from '../span/index.ts';
import type { OpenRoot, TurnDraft } from './draft.ts';
import type { TraceLine } from './trace-line.ts';
import type { AboutTurn, LinePlace, TraceMessage, TracePrompt, TraceTurn } from './turn.ts';

export type TurnRoot = Pick<TraceTurn, 'prompt' | 'about' | 'startMs' | 'endMs' | 'model' | 'isInterrupted'>;

export interface RootRules {
  readonly strictSeed: boolean;
  /** Reads a line of an earlier run again. */
  readonly readLine: (place: LinePlace, role: 'user' | 'assistant') => TraceLine | undefined;
}

/** `undefined` if the turn continues and the state file of an earlier version lacks the facts. */
export function rootOf(
  { prompt, open, firstLine, endMs, isInterrupted }: TurnDraft,
  messages: readonly TraceMessage[],
  { strictSeed, readLine }: RootRules,
): TurnRoot | undefined {
  const model = messages.find((message) => message.model !== undefined)?.model;
  if (open === undefined) {
    const startMs = prompt?.timeMs ?? messages.find((message) => message.startMs !== undefined)?.startMs;
    const about = prompt === undefined ? aboutOf(firstLine) : aboutPrompt(prompt);
    return { prompt, about, startMs, endMs, model, isInterrupted };
  }
  const { root } = open;
  if (root === undefined) return undefined;
  const line = root.first === null ? undefined : readLine(root.first, root.hasPrompt ? 'user' : 'assistant');
  return {
    prompt: line?.role === 'user' ? promptOf(line, strictSeed) : undefined,
    about: aboutOf(line ?? firstLine),
    startMs: root.startMs ?? undefined,
    endMs: latest(root.endMs ?? undefined, endMs),
    model: root.model ?? model,
    isInterrupted: root.isInterrupted || isInterrupted,
  };
}

export function openRootOf(root: TurnRoot, { open, prompt, firstLine }: TurnDraft): OpenRoot {
  const { startMs, endMs, model, isInterrupted } = root;
  const first = prompt?.place ?? (firstLine === undefined ? null : linePlace(firstLine));
  return {
    ...(open?.root ?? { first, hasPrompt: prompt !== undefined }),
    startMs: startMs ?? null,
    endMs: endMs ?? null,
    model: model ?? null,
    isInterrupted,
  };
}

export function aboutOf(line: TraceLine | undefined): AboutTurn {
  return { promptId: asString(line?.entry.promptId), cwd: line?.head.cwd, version: line?.head.version };
}

function aboutPrompt({ id, cwd, version }: TracePrompt): AboutTurn {
  return { promptId: id, cwd, version };
}

export function promptOf(line: TraceLine, strictSeed: boolean): TracePrompt {
  const blocks = contentOf(line.entry);
  const { gitBranch, slug, promptId } = line.entry;
  return {
    text: strictSeed ? textOf(blocks) : promptText(blocks),
    images: imagesOf(blocks),
    command: commandName(blocks.filter(isText).map((block) => block.text)),
    id: asString(promptId),
    uuid: line.head.uuid,
    timeMs: line.timeMs,
    place: linePlace(line),
    version: line.head.version,
    cwd: line.head.cwd,
    gitBranch: asString(gitBranch),
    slug: asString(slug),
  };
}

function linePlace({ offset, number, length }: TraceLine): LinePlace {
  return { offset, line: number, length };
}

function latest(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || b === undefined ? (a ?? b) : Math.max(a, b);
}
