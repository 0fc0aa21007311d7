// A library in a temporary folder, and the memory server on it, in this process: lines in, answers out.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { asObject, asString, isArray, type JsonObject, type JsonValue } from '../../src/base/json/json.ts';
import { serveMemory } from '../../src/memory/server/serve.ts';
import { encodeSlug } from '../../src/store/roots.ts';
import { temporaryFolder } from '../support/temp-folder.ts';

type Context = { after(end: () => unknown): unknown };

export interface Turn {
  readonly prompt: string;
  readonly answer?: string;
  readonly calls?: readonly { readonly tool: string; readonly input: JsonObject; readonly output: string }[];
  readonly thinking?: string;
}

export interface PlantedSession {
  readonly cwd: string;
  /** The last digits of its id; the rest is the same for all. */
  readonly id: string;
  readonly turns: readonly Turn[];
  readonly title?: string;
  /** The name of its project folder, if it is not that of `cwd`. */
  readonly slug?: string;
  /** Other lines, after the turns. */
  readonly more?: readonly JsonObject[];
}

export function idOf(end: string): string {
  return `${end.padStart(8, '0')}-aaaa-4bbb-8ccc-${end.padStart(12, '0')}`;
}

export function uuidOf(session: string, line: number): string {
  return `d${line.toString(16).padStart(7, '0')}-1111-4222-8333-${session.padStart(12, '0')}`;
}

const day = Date.parse('2026-03-01T10:00:00Z');

/** Written by hand as the client writes it, not with the code under test. */
export function transcriptText({ cwd, id, turns, title, more = [] }: PlantedSession): string {
  const lines: JsonObject[] = [];
  let parent: string | null = null;
  const add = (type: string, message: JsonObject): void => {
    const uuid = uuidOf(id, lines.length);
    const envelope = { isSidechain: false, userType: 'external', cwd, sessionId: idOf(id), version: '2.1.325' };
    const timestamp = new Date(day + lines.length * 1000).toISOString();
    lines.push({ parentUuid: parent, ...envelope, type, message, uuid, timestamp });
    parent = uuid;
  };
  const say = (content: JsonValue): void =>
    add('assistant', {
      id: `msg_${id}_${lines.length}`,
      type: 'message',
      role: 'assistant',
      model: 'claude-opus-4-5',
      content: [content],
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 5 },
    });
  for (const { prompt, answer = 'Done.', calls = [], thinking } of turns) {
    add('user', { role: 'user', content: prompt });
    if (thinking !== undefined) say({ type: 'thinking', thinking, signature: 'c2lnbmF0dXJl' });
    for (const [i, { tool, input, output }] of calls.entries()) {
      const call = `toolu_${id}_${lines.length}_${i}`;
      say({ type: 'tool_use', id: call, name: tool, input });
      add('user', { role: 'user', content: [{ type: 'tool_result', tool_use_id: call, content: output }] });
    }
    say({ type: 'text', text: answer });
  }
  if (title !== undefined) lines.push({ type: 'custom-title', customTitle: title, sessionId: idOf(id) });
  return [...lines, ...more].map((line) => `${JSON.stringify(line)}\n`).join('');
}

export interface Place {
  readonly folder: string;
  /** The config folder. */
  readonly root: string;
  readonly state: string;
  /** Existing folders. */
  readonly project: string;
  readonly other: string;
  plant(session: PlantedSession): string;
}

export function makePlace(context: Context): Place {
  const folder = temporaryFolder(context);
  const [root, state, project, other] = ['config', 'state', 'work/app', 'work/other'].map((name) => {
    mkdirSync(path.join(folder, name), { recursive: true });
    return path.join(folder, name);
  }) as [string, string, string, string];
  return {
    folder,
    root,
    state,
    project,
    other,
    plant: (session) => {
      const file = path.join(root, 'projects', session.slug ?? encodeSlug(session.cwd), `${idOf(session.id)}.jsonl`);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, transcriptText(session));
      return file;
    },
  };
}

export interface ServerOptions {
  readonly isAllProjects?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly ancestors?: readonly number[];
  /** The working directory; the project by default. */
  readonly folders?: readonly string[];
  /** What the client answers to `roots/list`; without it, it has no roots. */
  readonly roots?: readonly string[];
}

export class Asker {
  readonly notices: string[] = [];
  readonly lines: JsonObject[] = [];
  readonly #input = new PassThrough();
  readonly #waiting = new Map<number, (message: JsonObject) => void>();
  readonly #ended: Promise<void>;
  readonly #roots: readonly string[] | undefined;
  #id = 0;
  #rest = '';

  constructor({ root, state, project }: Place, options: ServerOptions = {}) {
    const output = new PassThrough();
    this.#roots = options.roots;
    output.on('data', (chunk: Buffer) => this.#take(chunk.toString('utf8')));
    this.#ended = serveMemory({
      roots: [root],
      state,
      env: { HOME: root, ...options.env },
      ancestors: options.ancestors ?? [],
      isAllProjects: options.isAllProjects ?? false,
      folders: options.folders ?? [project],
      onNotice: (message) => this.notices.push(message),
      input: this.#input,
      output,
    });
  }

  async start(): Promise<this> {
    const capabilities = this.#roots === undefined ? {} : { roots: {} };
    const clientInfo = { name: 'test', version: '1' };
    await this.ask('initialize', { protocolVersion: '2025-11-25', capabilities, clientInfo });
    this.write({ method: 'notifications/initialized' });
    return this;
  }

  write(message: JsonObject): void {
    this.raw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  raw(text: string | Buffer): void {
    this.#input.write(text);
  }

  ask(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = ++this.#id;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.write({ id, method, params });
    });
  }

  /** The text of a result, with `ERROR ` before it if it is one. */
  async call(name: string, args: JsonObject, meta?: JsonObject): Promise<string> {
    const answer = await this.ask('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });
    return textOf(answer);
  }

  async end(): Promise<void> {
    this.#input.end();
    await this.#ended;
  }

  #take(text: string): void {
    const lines = `${this.#rest}${text}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const message = asObject(JSON.parse(line) as JsonValue) ?? {};
      this.lines.push(message);
      if (message.method === 'roots/list') {
        const roots = (this.#roots ?? []).map((folder) => ({ uri: `file://${encodeURI(folder)}` }));
        this.write({ id: message.id ?? null, result: { roots } });
      } else if (typeof message.id === 'number') this.#waiting.get(message.id)?.(message);
    }
  }
}

export function textOf(answer: JsonObject): string {
  const error = asObject(answer.error);
  if (error !== undefined) return `ERROR ${JSON.stringify(error)}`;
  const result = asObject(answer.result);
  const parts = [result?.content, result?.contents, result?.messages].find(isArray);
  if (parts === undefined) return JSON.stringify(result);
  const texts = parts.map((part) => asString(asObject(part)?.text) ?? JSON.stringify(part));
  return `${result?.isError === true ? 'ERROR ' : ''}${texts.join('\n')}`;
}

/** Starts a server that ends with the test. */
export async function startMemory(context: Context, place: Place, options: ServerOptions = {}): Promise<Asker> {
  const asker = await new Asker(place, options).start();
  context.after(() => asker.end());
  return asker;
}

/** Every reference in an answer that is not part of recorded data. */
export function referencesIn(text: string): readonly string[] {
  const own = text.split('\n').filter((line) => !line.startsWith('|'));
  return own.flatMap((line) => line.match(/clew:[^\s·]+/g) ?? []);
}
