// The lines of a session and the file next to them → its title.
import { readRegularText } from '../../base/files/index.ts';
import { asObject, asString, type JsonObject, parseJson } from '../../base/json/index.ts';
import { asEntry, contentOf } from '../../format/entry/index.ts';
import type { SessionFiles } from '../../store/index.ts';
import type { Graph } from '../graph/index.ts';
import type { Session } from '../load/index.ts';
import { beginsAsSessionMessage, kindOfText, promptText, type Transcript } from '../transcript/index.ts';

/** Returns the title of a session, or `undefined` if nothing in it can serve as one. */
export function titleOf(session: Pick<Session, 'transcript' | 'graph' | 'files'>): string | undefined {
  return chooseTitle(titleInLines(session), session.files);
}

/** A title that the lines of a session give it. */
export interface LineTitle {
  /** Its place in the order of precedence: an index of `titleSources`. */
  readonly rank: number;
  readonly text: string;
}

export const titleSources = ['custom-title', 'ai-title', 'summary', 'last-prompt', 'prompt'] as const;

/** A title in a file next to the transcript comes after one that a line gives on purpose, and before all others. */
export function chooseTitle(title: LineTitle | undefined, files: SessionFiles): string | undefined {
  if (title?.rank === 0) return title.text;
  return titleInFile(files.customTitle) ?? title?.text;
}

export function titleInLines({ transcript, graph }: Pick<Session, 'transcript' | 'graph'>): LineTitle | undefined {
  const sources: readonly (() => string | undefined)[] = [
    () => lastValue(transcript, 'custom-title', 'customTitle'),
    () => lastValue(transcript, 'ai-title', 'aiTitle'),
    () => summaryTitle(transcript, graph),
    () => lastPrompt(transcript),
    () => firstPrompt(transcript),
  ];
  for (const [rank, source] of sources.entries()) {
    const text = source();
    if (text !== undefined) return { rank, text };
  }
  return undefined;
}

function lastValue(transcript: Transcript, type: string, key: string): string | undefined {
  for (let i = transcript.nodes.length - 1; i >= 0; i--) {
    const node = transcript.nodes[i];
    if (node?.type !== type) continue;
    const value = said(transcript.read(node)[key]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function lastPrompt(transcript: Transcript): string | undefined {
  for (let i = transcript.nodes.length - 1; i >= 0; i--) {
    const node = transcript.nodes[i];
    const value = node?.type === 'last-prompt' ? lastPromptTitle(transcript.read(node)) : undefined;
    if (value !== undefined) return value;
  }
  return undefined;
}

/** The client also notes what other sessions and its tasks sent: nobody typed it. */
export function lastPromptTitle({ lastPrompt }: JsonObject): string | undefined {
  const text = said(lastPrompt);
  if (text === undefined || beginsAsSessionMessage(text) || kindOfText(text) === 'notification') return undefined;
  return text;
}

function titleInFile(path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  try {
    return said(asObject(parseJson(readRegularText(path)))?.customTitle);
  } catch {
    return undefined; // gone or unreadable: other titles serve
  }
}

/** A `summary` counts only if it names a line of this file: most of them belong to other sessions. */
function summaryTitle(transcript: Transcript, graph: Graph): string | undefined {
  for (let i = transcript.nodes.length - 1; i >= 0; i--) {
    const node = transcript.nodes[i];
    if (node?.type !== 'summary' || graph.byUuid(node.leafUuid) === undefined) continue;
    const value = said(transcript.read(node).summary);
    if (value !== undefined) return value;
  }
  return undefined;
}

function firstPrompt(transcript: Transcript): string | undefined {
  for (const node of transcript.nodes) {
    if (node.promptKind === undefined || node.promptKind === 'slash-command' || node.isSidechain) continue;
    const text = promptTitle(transcript.read(node));
    if (text !== undefined) return text;
  }
  return undefined;
}

export function promptTitle(entry: JsonObject): string | undefined {
  return said(promptText(contentOf(asEntry(entry) ?? {})));
}

export function said(value: unknown): string | undefined {
  return asString(value)?.trim() || undefined;
}
