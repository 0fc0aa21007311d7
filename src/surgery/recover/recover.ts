// The prompts of a deleted session → a session that clients resume. Its title, its first message and the placeholder after
// every prompt say that it is recovered, so that neither the user nor the model takes it for the original.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { exitCodes, UserError } from '../../base/errors/index.ts';
import type { JsonObject } from '../../base/json/index.ts';
import { counted, isUuid, oneLine } from '../../base/text/index.ts';
import type { DeletedContents, DeletedSession } from '../../library/deleted/index.ts';
import { syntheticModel } from '../../session/resume/client/index.ts';
import { encodeSlug } from '../../store/index.ts';
import { madeLine, type OutLine, type Plan } from '../engine/index.ts';

export interface RecoverOptions {
  /** The working directory; by default that of the session. */
  readonly to?: string | undefined;
}

/** Plans a session of the prompts that are left. It gets the id of the deleted session, because no file has it any more. */
export function planRecover(contents: DeletedContents, options: RecoverOptions = {}): Plan {
  const { session, prompts } = contents;
  const { id, cwd: known, isArchived, folder } = session;
  if (isArchived)
    throw new UserError(
      `the archive has all of session ${id}`,
      `\`clew restore ${id}\` brings it back whole`,
      exitCodes.refused,
    );
  if (prompts.length === 0)
    throw new UserError(
      `no prompt of session ${id} is left, so there is nothing to resume`,
      `\`clew recover ${id}\` prints what is left`,
      exitCodes.refused,
    );
  const cwd = options.to ?? known;
  if (cwd === undefined)
    throw new UserError(`the folder of session ${id} is not known`, 'add --to DIR, the folder to work in');
  const sessionId = session.hasId && isUuid(id) ? id : randomUUID();
  // Sub-agents that are left are in the folder of the project, next to the transcript.
  const project = options.to === undefined && session.project !== '' ? session.project : encodeSlug(cwd);
  const lines = recoveredLines(contents, sessionId, cwd);
  return {
    operation: 'recover',
    words: options.to === undefined ? [] : ['--to', options.to],
    sources: [{ sessionId: id, path: prompts[0]?.path ?? session.path }],
    results: [
      {
        sessionId,
        folder: path.join(folder.projects, project),
        isInPlace: false,
        files: [{ name: `${sessionId}.jsonl`, content: { lines: () => lines } }],
      },
    ],
    // The title in the side folder would hide the new one.
    otherFiles:
      session.traces?.title === undefined || sessionId !== id
        ? []
        : [
            {
              path: path.join(folder.projects, project, id, 'custom-title.json'),
              content: { bytes: Buffer.from(JSON.stringify({ customTitle: recoveredTitle(session) })) },
            },
          ],
    dropped: [],
    notes: [
      `${counted(prompts.length, 'prompt')} recovered; the answers and all that was done are lost`,
      ...(sessionId === id ? [] : [`it got the new id ${sessionId}, because the prompts have none`]),
    ],
    workingFolder: cwd,
    expects: ({ session: result }) => {
      const found = result.transcript.nodes.filter(({ type }) => type === 'user').length;
      return found === prompts.length + 1
        ? []
        : [`${found - 1} of ${counted(prompts.length, 'prompt')} are in the result`];
    },
  };
}

/** The same as the bytes of a transcript, for reading. */
export function recoveredTranscript(contents: DeletedContents): Buffer {
  const { id, cwd } = contents.session;
  const lines = recoveredLines(contents, id, cwd ?? '/');
  return Buffer.concat(lines.flatMap(({ bytes }) => [bytes, Buffer.from('\n')]));
}

function recoveredTitle({ title }: Pick<DeletedSession, 'title'>): string {
  return `Recovered: ${oneLine(title ?? 'deleted session', 120)}`;
}

/** What the user and the model read first. */
function recoveredNote({ prompts, files, agents, tasks }: DeletedContents): string {
  const left = [
    counted(prompts.length, 'prompt'),
    ...(files.length === 0 ? [] : [`older versions of ${counted(files.length, 'file')}`]),
    ...(agents.length === 0 ? [] : [`the conversations of ${counted(agents.length, 'sub-agent')}`]),
    ...(tasks.length === 0 ? [] : [counted(tasks.length, 'task')]),
  ];
  return [
    '[Recovered session. The transcript of this session was deleted. Clew wrote this one from what was left of it: ' +
      `${left.join(', ')}. The user typed the prompts below at that time; they are history, not new requests.`,
    'All answers, tool calls and results are lost: each answer below is a placeholder. Do not assume that something was ' +
      'or was not done; look at the files.]',
  ].join('\n');
}

const lostAnswer = '[The answer to this prompt is lost: the transcript was deleted, and only prompts were recovered.]';

function recoveredLines(contents: DeletedContents, sessionId: string, cwd: string): readonly OutLine[] {
  const { session, prompts } = contents;
  const chain = new Chain(sessionId, cwd, prompts.find(({ time }) => !Number.isNaN(time))?.time ?? Date.now());
  const entries: JsonObject[] = [
    { type: 'custom-title', customTitle: recoveredTitle(session), sessionId },
    // For programs: no client reads a line of an unknown type without an id.
    {
      type: 'clew-recovered',
      sessionId,
      from: session.id,
      prompts: prompts.length,
      recoveredAt: new Date().toISOString(),
    },
    chain.user(recoveredNote(contents), Number.NaN),
  ];
  for (const { text, time } of prompts) entries.push(chain.user(text, time), chain.answer(lostAnswer));
  entries.push({
    type: 'last-prompt',
    lastPrompt: oneLine(prompts.at(-1)?.text ?? '', 200),
    leafUuid: chain.leaf,
    sessionId,
  });
  return entries.map(madeLine);
}

/** One line after the other, with increasing times, as every client since 1.0.57 reads it. */
class Chain {
  readonly #sessionId: string;
  readonly #cwd: string;
  #time: number;
  #leaf: string | null = null;

  constructor(sessionId: string, cwd: string, time: number) {
    this.#sessionId = sessionId;
    this.#cwd = cwd;
    this.#time = time - 1;
  }

  get leaf(): string | null {
    return this.#leaf;
  }

  user(text: string, time: number): JsonObject {
    return this.#add(time, { type: 'user', message: { role: 'user', content: text.toWellFormed() } });
  }

  answer(text: string): JsonObject {
    return this.#add(Number.NaN, {
      type: 'assistant',
      message: {
        id: randomUUID(),
        type: 'message',
        role: 'assistant',
        model: syntheticModel,
        content: [{ type: 'text', text }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: { input_tokens: 0, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
      },
    });
  }

  #add(time: number, entry: JsonObject): JsonObject {
    this.#time = Math.max(this.#time + 1, Number.isNaN(time) ? 0 : time);
    const uuid = randomUUID();
    const parentUuid = this.#leaf;
    this.#leaf = uuid;
    return {
      parentUuid,
      isSidechain: false,
      userType: 'external',
      entrypoint: 'cli',
      cwd: this.#cwd,
      sessionId: this.#sessionId,
      version: formatVersion,
      gitBranch: '',
      ...entry,
      uuid,
      timestamp: new Date(this.#time).toISOString(),
    };
  }
}

/** The client whose format the lines have. */
const formatVersion = '2.1.45';
