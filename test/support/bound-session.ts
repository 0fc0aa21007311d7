// A session like those of client 2.1.325 with nine thinking blocks, `th1` to `th9`, each signed for everything before it:
// tool calls, an image, a token in a prompt, snapshots of the system prompt, notes of the client.
import { randomUUID } from 'node:crypto';
import { leafOf, signAfter } from './bound-thinking.ts';
import { tinyImage } from './tiny-images.ts';

type Json = Record<string, unknown>;

export const boundSessionId = '9b9b9b9b-1111-4222-8333-444444444409';
/** Looks like a token of GitHub. */
export const token: string = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

/** Adds lines to a transcript, each a child of the line before. */
export class BoundWriter {
  readonly lines: Json[];
  readonly #sessionId: string;
  readonly #model: string;
  #parent: unknown = null;
  #time = Date.parse('2026-11-10T10:00:00.000Z');
  #messages = 0;

  constructor(options: { readonly sessionId?: string; readonly model?: string; readonly lines?: Json[] } = {}) {
    const { sessionId = boundSessionId, model = 'claude-opus-5-5', lines = [] } = options;
    this.#sessionId = sessionId;
    this.#model = model;
    this.lines = lines;
    this.#parent = leafOf(lines)?.uuid ?? null;
    this.#time += lines.length * 1000;
  }

  user(content: unknown, fields: Json = {}): this {
    return this.#add({ type: 'user', message: { role: 'user', content }, ...fields });
  }

  note(attachment: Json, rendered?: string): this {
    const texts = rendered === undefined ? {} : { rendered: [{ content: rendered, isMeta: true }] };
    return this.#add({ type: 'attachment', attachment, ...texts });
  }

  /** An answer that begins with the thinking of this name; one block a line. */
  answer(name: string, ...blocks: readonly Json[]): this {
    const id = `msg_${this.#sessionId.slice(0, 4)}_${++this.#messages}_${name}`;
    const thinking = { type: 'thinking', thinking: '', signature: signAfter(this.lines, this.#parent, name) };
    for (const block of [thinking, ...blocks]) {
      this.#add({
        type: 'assistant',
        requestId: `req_${id}`,
        message: {
          id,
          type: 'message',
          role: 'assistant',
          model: this.#model,
          content: [block],
          stop_reason: blocks.some(({ type }) => type === 'tool_use') ? 'tool_use' : 'end_turn',
          stop_sequence: null,
          usage: { input_tokens: 10, output_tokens: 5 },
        },
      });
    }
    return this;
  }

  result(id: string, content: string): this {
    const block = { type: 'tool_result', tool_use_id: id, content };
    return this.user([block], { toolUseResult: { stdout: content } });
  }

  /** A record outside the chain. */
  aside(entry: Json): this {
    this.lines.push({ ...entry, sessionId: this.#sessionId });
    return this;
  }

  /** The pin that the client writes at the end of a turn. */
  pin(): this {
    return this.aside({ type: 'last-prompt', leafUuid: this.#parent });
  }

  text(): string {
    return this.lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  }

  #add(entry: Json): this {
    this.#time += 1000;
    const line = {
      parentUuid: this.#parent,
      isSidechain: false,
      userType: 'external',
      cwd: '/home/kim/project',
      sessionId: this.#sessionId,
      version: '2.1.325',
      gitBranch: 'main',
      ...entry,
      uuid: randomUUID(),
      timestamp: new Date(this.#time).toISOString(),
    };
    this.lines.push(line);
    this.#parent = line.uuid;
    return this;
  }
}

export const text = (words: string): Json => ({ type: 'text', text: words });
const call = (id: string, name: string, input: Json): Json => ({ type: 'tool_use', id, name, input });

/** A session of random turns, as `boundSession` has them. */
export function randomBoundSession(random: () => number): BoundWriter {
  const writer = new BoundWriter();
  writer.user('Begin.');
  if (random() < 0.8) writer.note({ type: 'prompt_snapshot', systemPrompt, tools, cliPrefix: 'cli' });
  if (random() < 0.5) writer.note({ type: 'nested_memory', path: '/home/kim/project/CLAUDE.md' }, 'Keep lines short.');
  writer.answer('th0', text('Yes.'));
  const turns = 2 + Math.floor(random() * 6);
  for (let turn = 1; turn <= turns; turn++) addRandomTurn(writer, random, `th${turn}`);
  return writer;
}

/** Appends another turn to the file of a session, as the client does. */
export function addRandomTurn(writer: BoundWriter, random: () => number, name: string): void {
  const kind = random();
  if (kind < 0.15) writer.user([text(`Look ${name}.`), image]);
  else writer.user(kind < 0.3 ? `Use ${token} in ${name}.` : `Go on with ${name}.`);
  if (random() < 0.2) writer.note({ type: 'todo_reminder', name }, `A note about ${name}.`);
  for (let round = 0; random() < 0.45; round++) {
    const id = `toolu_${name}_${round}`;
    writer.answer(
      `${name}.${round}`,
      call(id, random() < 0.5 ? 'Bash' : 'Read', { command: `run ${'x '.repeat(300)}` }),
    );
    writer.result(id, 'out '.repeat(random() < 0.5 ? 5 : 400));
  }
  writer.answer(name, text(`Done ${name}.`)).pin();
}

const image: Json = {
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: tinyImage('png', 8, 8).toString('base64') },
};
const systemPrompt = ['You are a coding agent.', 'The memory folder is /home/kim/.claude/projects/-home-kim-project.'];
const tools = [
  { name: 'Bash', description: 'Runs a command.', schema: { name: 'Bash', description: 'Runs a command.' } },
];

/** Seven turns, nine blocks: 1, 1, 2 (Bash), 1 (image), 1 (token), 2 (Read), 1. */
export function boundSession(options: { readonly sessionId?: string; readonly model?: string } = {}): BoundWriter {
  return new BoundWriter(options)
    .aside({ type: 'cost-state', totalCostUSD: 0.1 })
    .user('Explain the parser.')
    .note({ type: 'prompt_snapshot', systemPrompt, reminderFold: true })
    .note({ type: 'prompt_snapshot', systemPrompt, reminderFold: true, tools, cliPrefix: 'cli' })
    .note({ type: 'nested_memory', path: '/home/kim/project/CLAUDE.md' }, 'Keep lines short.')
    .answer('th1', text('It reads lines.'))
    .user('And the printer?')
    .answer('th2', text('It writes lines.'))
    .user('Run the tests.')
    .answer(
      'th3',
      text('I run them.'),
      call('toolu_bash', 'Bash', { command: `npm test -- ${'--verbose '.repeat(60)}` }),
    )
    .result('toolu_bash', 'ok '.repeat(400))
    .answer('th4', text('All pass.'))
    .note({ type: 'deferred_tools_record', tools: ['WebSearch'] })
    .user([text('What is in this picture?'), image])
    .answer('th5', text('A dot.'))
    .user(`Use the token ${token} for the request.`)
    .answer('th6', text('I shall.'))
    .user('Read the file.')
    .answer('th7', call('toolu_read', 'Read', { file_path: '/home/kim/project/a.txt' }))
    .result('toolu_read', 'line '.repeat(300))
    .answer('th8', text('It holds lines.'))
    .user('Thank you.')
    .answer('th9', text('You are welcome.'));
}
