// A session to export → the same session as exports read it: every line with placeholders for its secrets,
// in sub-agents too, and a count of what was replaced.
import { asObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { type AgentSource, openAgent, type Session } from '../../session/load/index.ts';
import type { Node, Transcript } from '../../session/transcript/index.ts';
import type { SessionRedactor } from '../../surgery/redact/index.ts';
import { placeholdersIn } from '../../surgery/secrets/index.ts';

/** A session to export, with or without its secrets. */
export interface ExportSource {
  readonly session: Session;
  readonly isRedacted: boolean;
  /** For texts that are not in the lines: a title in a file of its own, the name of an agent. */
  hide(text: string): string;
  /** @internal Whether a record of a file is known to have nothing to hide. */
  isClean(file: string, record: { readonly offset: number; readonly length: number }): boolean;
  /** What was replaced in the lines read so far: how many different values of each kind. */
  secrets(): readonly SecretCount[];
}

/** How many secrets of one kind were replaced. */
export interface SecretCount {
  readonly kind: string;
  readonly count: number;
}

/** Prepares a session for an export. Pass a redactor from `redactorFor`; without one, secrets stay. */
export function exportSource(session: Session, redactor?: SessionRedactor): ExportSource {
  if (redactor === undefined)
    return { session, isRedacted: false, hide: (text) => text, isClean: () => true, secrets: () => [] };
  const taken = new Map<string, Set<string>>();
  const cut = (text: string): string => {
    const before = Buffer.from(text);
    const after = redactor.redact(before);
    if (after === before) return text;
    const redacted = after.toString('utf8');
    const present = new Set(placeholdersIn(text).map(({ placeholder }) => placeholder));
    for (const { kind, placeholder } of placeholdersIn(redacted)) {
      if (!present.has(placeholder)) taken.set(kind, (taken.get(kind) ?? new Set()).add(placeholder));
    }
    return redacted;
  };
  const isClean: Hiding['isClean'] = (file, record) => redactor.isClean(file, record);
  return {
    session: { ...session, transcript: hideTranscript(session.transcript, { cut, isClean }) },
    isRedacted: true,
    hide: cut,
    isClean,
    secrets: () => [...taken].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, { size: count }]) => ({ kind, count })),
  };
}

/** The sub-agent's own session, redacted like the session that started it. */
export async function openSourceAgent(
  source: ExportSource,
  root: Session,
  agent: AgentSource,
): Promise<Session | { readonly unreadable: string }> {
  const own = await openAgent(root, agent);
  // An agent in the main file was picked out of a transcript that is already redacted.
  if ('unreadable' in own || !source.isRedacted || agent.path === undefined) return own;
  const hiding = { cut: (text: string) => source.hide(text), isClean: source.isClean };
  return { ...own, transcript: hideTranscript(own.transcript, hiding) };
}

interface Hiding {
  cut(text: string): string;
  /** Whether `cut` would not change the record. */
  isClean(file: string, record: Pick<Node, 'offset' | 'length'>): boolean;
}

/** New lists, because caches of the old ones were filled before anything was redacted. */
function hideTranscript(transcript: Transcript, hiding: Hiding): Transcript {
  // A line is read once for each of its blocks and views: one of 60 MB would be searched for secrets each time.
  let last: { readonly node: Node; readonly entry: ReturnType<Transcript['read']> } | undefined;
  return {
    ...transcript,
    nodes: [...transcript.nodes],
    read: (node) => {
      if (last?.node === node) return last.entry;
      const entry = transcript.read(node);
      last = { node, entry: hiding.isClean(transcript.path, node) ? entry : hideEntry(entry, hiding.cut) };
      return last.entry;
    },
    pick: (nodes) => hideTranscript(transcript.pick(nodes), hiding),
  };
}

function hideEntry(entry: JsonObject, cut: (text: string) => string): JsonObject {
  let text: string;
  try {
    text = JSON.stringify(entry);
  } catch {
    return {}; // nested too deep to be written, so it cannot be looked into either
  }
  const redacted = cut(text);
  return redacted === text ? entry : (asObject(parseJson(redacted)) ?? {});
}

export function modelsOf({ transcript }: Pick<Session, 'transcript'>): readonly string[] {
  const models = transcript.nodes.flatMap((node) => (node.type === 'assistant' ? (node.message?.model ?? []) : []));
  return [...new Set(models)].filter((model) => model !== '<synthetic>');
}

export interface NamedSession {
  readonly shortId: string;
  readonly title: string;
  readonly startedAt: number;
}

export function exportFileName({ shortId, title, startedAt }: NamedSession, extension: string): string {
  const date = new Date(startedAt);
  const day = Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 10);
  const parts = [day, words(title), shortId.replace(/[^\w-]/g, '')];
  return `${parts.filter((part) => part !== '').join('-') || 'session'}.${extension}`;
}

/** Letters and digits of any script; the rest becomes dashes. At most 50 characters and 150 bytes. */
function words(title: string): string {
  const slug = title
    .slice(0, 400)
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return [...slug].slice(0, 50).join('').replace(/-+$/, '');
}
