// Bookkeeping lines → the session's title (given by the user, else by a model, else the first prompt), its tag, and
// the session that it was forked from.

import { readRegularText } from '../../base/files/regular-file.ts';
import { asObject, asString, parseJson } from '../../base/json/json.ts';
import { asEntry, contentOf } from '../../format/entry/entry.ts';
import type { Graph } from '../graph/graph.ts';
import type { Session } from '../load/session.ts';
import { isMessage } from '../transcript/node.ts';
import { promptText } from '../transcript/prompt-text.ts';
import type { Transcript } from '../transcript/transcript.ts';

/** Returns the title of a session, or `undefined` if nothing in it can serve as one. */
export function titleOf(session: Pick<Session, 'transcript' | 'graph' | 'files'>): string | undefined {
  const { transcript } = session;
  return (
    lastValue(transcript, 'custom-title', 'customTitle') ??
    titleInFile(session.files.customTitle) ??
    lastValue(transcript, 'ai-title', 'aiTitle') ??
    summaryTitle(transcript, session.graph) ??
    lastValue(transcript, 'last-prompt', 'lastPrompt') ??
    firstPrompt(transcript)
  );
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

/** The last tag; an empty one removes the tag. */
export function tagOf({ transcript }: Pick<Session, 'transcript'>): string | undefined {
  const node = transcript.nodes.findLast(({ type }) => type === 'tag');
  return node === undefined ? undefined : said(transcript.read(node).tag);
}

/** Every line that a fork copies names the session it is from. */
export function forkedFromOf({ transcript }: Pick<Session, 'transcript'>): string | undefined {
  const first = transcript.nodes.find((node) => isMessage(node) && !node.isSidechain);
  return first === undefined ? undefined : said(asObject(transcript.read(first).forkedFrom)?.sessionId);
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
    const text = said(promptText(contentOf(asEntry(transcript.read(node)) ?? {})));
    if (text !== undefined) return text;
  }
  return undefined;
}

function said(value: unknown): string | undefined {
  return asString(value)?.trim() || undefined;
}
