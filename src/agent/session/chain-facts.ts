// The resumed lines and Clew's private lines → what the agent needs to send the same request again: the frozen prompt,
// the marks of all thinking, the thinking in private lines, and whether another program writes too.
import { asObject, type JsonObject } from '../../base/json/json.ts';
import { isWrittenByClew } from '../../session/facts/prompt-origin.ts';
import { type Draft, draftLines } from '../../session/resume/messages/draft.ts';
import type { ResumeSource } from '../../session/resume/request/request.ts';
import { isMessage, type Node } from '../../session/transcript/node.ts';
import { madeNode } from '../../surgery/request/request-parts.ts';
import { noteThinking } from './conversation.ts';
import { type FrozenPrompt, promptLineType, readPromptLine } from './frozen-prompt.ts';
import { type KnownThinking, readMark, type ThinkingMarks } from './thinking.ts';

export const thinkingLineType = 'clew-thinking';

export interface ChainFacts {
  readonly drafts: readonly Draft[];
  readonly privateDrafts: ReadonlySet<Draft>;
  readonly marks: ThinkingMarks;
  readonly prompt: FrozenPrompt | undefined;
  /** Another program wrote messages of the session: our thinking must not come between its own. */
  readonly isShared: boolean;
}

export function readChainFacts(source: ResumeSource, lines: readonly Node[]): ChainFacts {
  const marks = new Map<string, KnownThinking>();
  let promptHash: string | undefined;
  let isShared = false;
  const drafts = draftLines(lines, (node) => {
    const entry = source.read(node);
    noteThinking(entry, marks);
    if (isMessage(node)) {
      promptHash = readMark(entry.clewPrefix)?.prompt ?? promptHash;
      isShared ||= !isWrittenByClew(entry);
    }
    return entry;
  });
  const privateDrafts = new Set<Draft>();
  for (const node of source.nodes.filter(({ type }) => type === thinkingLineType))
    addPrivateThinking(source.read(node), drafts, privateDrafts, marks);
  return { drafts, privateDrafts, marks, prompt: promptOf(source, promptHash), isShared };
}

/** The prompt of the last answer or, without an answer, the last prompt. */
function promptOf(source: ResumeSource, hash: string | undefined): FrozenPrompt | undefined {
  const kept = source.nodes.filter(({ type }) => type === promptLineType).map((node) => source.read(node));
  const entry = kept.findLast((line) => line.hash === hash) ?? (hash === undefined ? kept.at(-1) : undefined);
  return entry === undefined ? undefined : readPromptLine(entry);
}

/** The private line for a thinking block before line `at` of its message. */
export function privateThinkingLine(entry: JsonObject, at: number): JsonObject {
  const message = asObject(entry.message) ?? {};
  const { clewPrefix } = entry;
  return {
    type: thinkingLineType,
    messageId: message.id,
    model: message.model,
    at,
    content: message.content,
    ...(clewPrefix === undefined ? {} : { clewPrefix }),
  };
}

function addPrivateThinking(
  line: JsonObject,
  drafts: Draft[],
  privateDrafts: Set<Draft>,
  marks: Map<string, KnownThinking>,
): void {
  const { messageId, model, at, content, clewPrefix = null } = line;
  const own = drafts.flatMap((draft, i) => (draft.id === messageId && !privateDrafts.has(draft) ? [i] : []));
  const last = own.at(-1);
  if (last === undefined) return;
  const message = { id: messageId, type: 'message', role: 'assistant', model, content };
  const entry: JsonObject = { type: 'assistant', message, clewPrefix };
  const made = draftLines([madeNode(entry, 0)], () => entry);
  drafts.splice((typeof at === 'number' ? own[at] : undefined) ?? last + 1, 0, ...made);
  for (const draft of made) privateDrafts.add(draft);
  noteThinking(entry, marks);
}
