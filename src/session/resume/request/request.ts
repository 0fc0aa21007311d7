// A transcript → the messages that client 2.1.325 sends when it resumes it, before its own additions (reminders, cache
// marks), or why it refuses. Each stage is in a file of this folder.
import type { Diagnostic } from '../../../base/errors/index.ts';
import type { JsonObject } from '../../../base/json/index.ts';
import { takesSystemRole } from '../../../models/index.ts';
import { isBoundary, isMessage, isNote, type Node } from '../../transcript/index.ts';
import { buildResumeGraph, chooseLeaf, reattach, walkChain } from '../chain/index.ts';
import { type ClientRules, refusal, rulesFor } from '../client/index.ts';
import {
  type ClientHost,
  type Draft,
  draftLines,
  filterDrafts,
  forRequest,
  mergeDrafts,
  type ResumeMessage,
  repairMessages,
  requestModel,
  type WireMessage,
  withAnsweredEnd,
  withPrompt,
} from '../messages/index.ts';

export interface OldResumeSource {
  readonly nodes: readonly Node[];
  readonly diagnostics?: readonly Diagnostic[];
}

export function oldResumeLines({
  nodes,
  diagnostics = [],
}: OldResumeSource): { readonly lines: readonly Node[] } | { readonly refused: string } {
  const unread = new Set(diagnostics.filter(({ code }) => spoilsLine.has(code)).map(({ line }) => line));
  const byUuid = new Map<string | undefined, Node>();
  for (const node of nodes) {
    if (node.hidden || unread.has(node.line)) continue;
    if (isMessage(node) || isNote(node) || node.type === 'progress') byUuid.set(node.uuid, node);
  }
  const chain = new Set<Node>();
  for (let line = newest(byUuid.values()); line !== undefined && !chain.has(line); ) {
    chain.add(line);
    line = isBoundary(line) ? undefined : byUuid.get(line.parentUuid ?? '');
  }
  const lines = [...chain].reverse().filter((line) => line.type !== 'progress');
  const broken = lines.find((line) => isMessage(line) && !line.hasContent);
  if (lines.length === 0) return { refused: `${refusal}: the file holds no message of a main conversation` };
  return broken === undefined
    ? { lines }
    : { refused: `line ${broken.line} has no content, and this version fails on it` };
}

/** These clients ignore a damaged line. */
const spoilsLine: ReadonlySet<string> = new Set(['L-joined', 'L-spliced', 'L-nul', 'L-not-json', 'L-torn-tail']);

function newest(lines: Iterable<Node>): Node | undefined {
  let found: Node | undefined;
  for (const line of lines) {
    if (line.isSidechain) continue;
    // A line without a time is neither newer nor older than another.
    if (found === undefined || line.time >= found.time) found = line;
  }
  return found;
}

/** What a resume sends, or why Claude Code refuses to resume. */
export type ResumeRequest =
  | { readonly messages: readonly WireMessage[]; readonly model: string }
  | { readonly refused: string };

/** The part of a transcript that `requestMessages` reads. */
export interface ResumeSource {
  readonly nodes: readonly Node[];
  /** Damage in its lines; older clients ignore damaged lines. */
  readonly diagnostics?: readonly Diagnostic[];
  read(node: Node, needed?: 'sent'): JsonObject;
}

/** How the client that resumes is set up. */
export interface ResumeOptions {
  /** Where it sends its requests; api.anthropic.com if not given. */
  readonly host?: ClientHost;
  /** Its version, such as `2.1.200`; the newest one known if not given. */
  readonly client?: string;
}

/**
 * Returns the messages that Claude Code sends when it resumes a session. Without a prompt it returns the history
 * alone.
 */
export function requestMessages(
  session: { readonly transcript: ResumeSource },
  prompt?: string,
  options?: ResumeOptions,
): ResumeRequest {
  const traced = traceMessages(session, prompt, options);
  if ('refused' in traced) return traced;
  return { messages: traced.messages.map(({ role, content }) => ({ role, content })), model: traced.model };
}

/** The same, each message with the lines it comes from. */
export function traceMessages(
  session: { readonly transcript: ResumeSource },
  prompt?: string,
  { host = 'anthropic', client }: ResumeOptions = {},
): { readonly messages: readonly ResumeMessage[]; readonly model: string } | { readonly refused: string } {
  const source = session.transcript;
  const rules = rulesFor(client);
  const resumed = resumeLines(source, client);
  if ('refused' in resumed) return resumed;
  const { lines } = resumed;
  const drafts = draftLines(lines, (node) => source.read(node, 'sent'), rules);
  const unread = unreadable(drafts, rules);
  if (unread !== undefined) return { refused: unread };
  const filtered = filterDrafts(drafts, rules);
  const model = requestModel(filtered, rules);
  const answered = withAnsweredEnd(forRequest(filtered, model, host, rules), rules);
  const asked = prompt === undefined ? answered : withPrompt(answered, prompt, hasReminders(lines, model, rules));
  return { messages: repairMessages(mergeDrafts(asked, rules), rules), model };
}

/** The lines that a resume reads, in the order of the request, before filtering. */
export function resumeLines(
  source: ResumeSource,
  client?: string,
): { readonly lines: readonly Node[] } | { readonly refused: string } {
  const rules = rulesFor(client);
  if (!rules.has('followsFileOrder')) return oldResumeLines(source);
  const graph = buildResumeGraph(source.nodes, (node) => source.read(node));
  const choice = chooseLeaf(graph, rules);
  return 'refused' in choice ? choice : { lines: reattach(graph, walkChain(graph, choice.leaf), rules) };
}

/** Why older clients cannot resume a session although they read its lines. */
function unreadable(drafts: readonly Draft[], rules: ClientRules): string | undefined {
  const answers = drafts.filter((draft) => draft.role === 'assistant');
  if (!rules.has('readsTextAnswers') && answers.some((draft) => draft.isBareString)) {
    return 'the content of an answer is a text, not a list of blocks, and this version fails on it';
  }
  if (rules.has('hangsWithoutModel') && answers.length > 0 && answers.at(-1)?.model === undefined) {
    return 'the last answer does not name its model, and this version never ends on it';
  }
  return undefined;
}

/** Rule 51: the client adds reminders, unless the session already has their content. */
function hasReminders(lines: readonly Node[], model: string, rules: ClientRules): boolean {
  if (!rules.has('remindsAtPrompt')) return false;
  return !takesSystemRole(model) || !lines.some((node) => node.subtype === 'remote_session_change');
}
