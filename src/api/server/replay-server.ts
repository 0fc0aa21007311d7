// Replays a session: an HTTP server for the Messages API that answers each request with the message recorded at that
// place, so that an agent can run again without a model.
import { asString, isArray, isObject, type JsonObject } from '../../base/json/index.ts';
import { makeSecret } from '../../base/process/index.ts';
import type { Session } from '../../session/load/index.ts';
import { type Match, Matcher, type Mismatch, mismatchText, readParts, textOfBlocks } from './match-request.ts';
import { type MessagesServer, type ServerOptions, startMessagesServer } from './messages-server.ts';
import { type Recording, readRecording } from './recording.ts';
import { invalidRequest, type ReplyBlock, type ScriptedReply, type ScriptStep, type ServedRequest } from './script.ts';

/**
 * Whether a request is a side question of Claude Code and not part of the conversation: it has no tools, asks for
 * one token, or only searches the web.
 */
export function isSideRequest(body: JsonObject): boolean {
  const { tools } = body;
  if (body.max_tokens === 1 || !isArray(tools) || tools.length === 0) return true;
  return tools.every((tool) => isObject(tool) && (asString(tool.type) ?? '').startsWith('web_'));
}

function sideReply(body: JsonObject): ScriptedReply {
  return { blocks: [{ type: 'text', text: sideText(body) }] };
}

function sideText(body: JsonObject): string {
  if (body.max_tokens === 1) return '#';
  const schema = safeText([body.output_config, body.output_format]);
  if (schema.includes('"title"')) return '{"title":"Replayed session"}';
  return safeText(body.system).includes('isNewTopic') ? '{"isNewTopic":false,"title":null}' : 'OK.';
}

/** Whether the client requests the summary for a compaction. */
function asksForSummary(newestText: string): boolean {
  return /detailed summary of (the|this) (conversation|recent|portion)|summary of the (recent )?portion/i.test(
    newestText,
  );
}

function safeText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return ''; // nested deeper than the stack
  }
}

/** Options of `startReplayServer`. */
export interface ReplayOptions extends ServerOptions {
  /** `real` waits as recorded, with long pauses shortened. Default: `fast`, without pauses. */
  readonly speed?: 'real' | 'fast';
  /** `error` refuses with 400 and reports. Default: `nearest`, which serves the nearest message and reports. */
  readonly onMismatch?: 'nearest' | 'error';
  readonly onServed?: (served: Served) => void;
}

/** The answer to one request for a message. */
export interface Served {
  /** The number of the request among all that the server received. */
  readonly request: number;
  /** `side`: a side request of the client; `summary`: of a compaction; `end`: the recording has ended. */
  readonly kind: 'message' | 'summary' | 'side' | 'end' | 'refused';
  readonly agentId: string | undefined;
  /** From 1, in its conversation; `undefined` if no recorded message was served. */
  readonly message: number | undefined;
  readonly of: number;
  readonly tools: readonly string[];
  readonly text: string;
  readonly mismatches: readonly Mismatch[];
}

/** A running replay server. */
export interface ReplayServer extends MessagesServer {
  /** The key that clients must send, as `x-api-key` or as a bearer token. */
  readonly apiKey: string;
  /** The number of recorded messages, of the session and of its sub-agents. */
  readonly messages: number;
  readonly agentMessages: number;
  readonly counts: ReplayCounts;
}

/** How many answers a replay server has served. */
export interface ReplayCounts {
  readonly messages: number;
  readonly side: number;
  /** Requests that differed from the recording. */
  readonly mismatches: number;
}

/**
 * Starts a server that replays the recorded answers of a session. It ignores the rules of the API by default, because
 * old sessions may break new rules.
 */
export async function startReplayServer(session: Session, options: ReplayOptions = {}): Promise<ReplayServer> {
  const recording = await readRecording(session);
  const replay = new Replay(recording, options);
  const apiKey = options.apiKey ?? makeSecret();
  const server = await startMessagesServer((request, body) => replay.answer(request, body), {
    rules: 'ignore',
    ...options,
    apiKey,
  });
  return {
    ...server,
    apiKey,
    messages: recording.main.steps.length,
    agentMessages: recording.agents.reduce((sum, agent) => sum + agent.steps.length, 0),
    get counts() {
      return replay.counts;
    },
  };
}

const noMessage = { agentId: undefined, message: undefined, of: 0, tools: [], text: '', mismatches: [] } as const;

class Replay {
  readonly #matcher: Matcher;
  readonly #options: ReplayOptions;
  #counts: ReplayCounts = { messages: 0, side: 0, mismatches: 0 };

  constructor(recording: Recording, options: ReplayOptions) {
    this.#matcher = new Matcher(recording);
    this.#options = options;
  }

  get counts(): ReplayCounts {
    return this.#counts;
  }

  answer({ index }: ServedRequest, body: JsonObject): ScriptStep {
    const parts = readParts(body);
    if (asksForSummary(textOfBlocks(parts.newest))) {
      const text = this.#matcher.summaryFor(parts) ?? 'No summary was recorded.';
      this.#report({ ...noMessage, request: index, kind: 'summary', text });
      return { blocks: [{ type: 'text', text }] };
    }
    if (isSideRequest(body) && !this.#matcher.isOfAgent(parts)) {
      const reply = sideReply(body);
      this.#report({ ...noMessage, request: index, kind: 'side', text: textOfBlocks(reply.blocks) });
      return reply;
    }
    return this.#play(index, this.#matcher.match(parts));
  }

  #play(request: number, match: Match): ScriptStep {
    const { conversation, index, mismatches } = match;
    const of = conversation.steps.length;
    const place = { request, agentId: conversation.agentId, of, mismatches };
    const step = conversation.steps[index];
    if (mismatches.length > 0 && this.#options.onMismatch === 'error') {
      this.#report({ ...noMessage, ...place, kind: 'refused' });
      const differences = mismatches.map(mismatchText).join('; ');
      return invalidRequest(`replay: message ${index + 1} of ${of} does not match: ${differences}`);
    }
    if (step === undefined) {
      this.#report({ ...noMessage, ...place, kind: 'end' });
      return { blocks: [{ type: 'text', text: 'The recording ends here.' }] };
    }
    const reply = this.#prepare(step.readReply());
    this.#report({
      ...place,
      kind: 'message',
      message: index + 1,
      tools: step.callNames,
      text: textOfBlocks(reply.blocks.filter((block) => block.type === 'text')),
    });
    return this.#options.speed === 'real' ? reply : withoutPauses(reply);
  }

  /** Recorded signatures belong to another conversation: if thinking is checked, the server signs it for this one. */
  #prepare(reply: ScriptedReply): ScriptedReply {
    if ((this.#options.account ?? 'unchecked') === 'unchecked') return reply;
    return { ...reply, blocks: reply.blocks.map(withoutSignature) };
  }

  #report(served: Served): void {
    const { messages, side, mismatches } = this.#counts;
    this.#counts = {
      messages: messages + (served.kind === 'message' ? 1 : 0),
      side: side + (served.kind === 'side' || served.kind === 'summary' ? 1 : 0),
      mismatches: mismatches + (served.mismatches.length > 0 ? 1 : 0),
    };
    this.#options.onServed?.(served);
  }
}

function withoutPauses({ delayMs: _, betweenBlocksMs: __, ...reply }: ScriptedReply): ScriptedReply {
  return reply;
}

function withoutSignature(block: ReplyBlock): ReplyBlock {
  if (block.type !== 'thinking' && block.type !== 'redacted_thinking') return block;
  const { signature: _, data: __, ...left } = block;
  return left as ReplyBlock; // its type is unchanged
}
