// A session that the real client writes direct against the fake API, with nine signed thinking blocks: tools, an
// image, a token in a prompt. And the client's first request for a session made from it, checked.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isArray, type JsonObject } from '../../src/base/json/json.ts';
import { tinyImage } from '../support/tiny-images.ts';
import { bound, judgeRequest, type RefusedBlock } from './binding-api.ts';
import { type ClientRun, type FileSet, resume, sessionFiles, startSession } from './client.ts';
import { clientOf } from './live.ts';
import type { ScriptBlock, Scripts } from './mock-reply.ts';

export const model = 'claude-opus-5-5';
/** Looks like a token of GitHub. */
export const token: string = `ghp_${'a1B2c3D4e5'.repeat(4).slice(0, 36)}`;

const text = (words: string): ScriptBlock => ({ type: 'text', text: words });
const call = (name: string, input: JsonObject): ScriptBlock => ({ type: 'tool_use', name, input });

const workspace: FileSet = {
  'a.txt': 'line of a file\n'.repeat(40),
  'picture.png': tinyImage('png', 16, 16),
  'README.md': '# Widgets\n',
};

/** Six turns: 1, 2 (Bash), 2 (image), 1 (token), 2 (Read) and 1 blocks. */
const turns: readonly (readonly [prompt: string, steps: (folder: string) => Scripts[string]])[] = [
  ['Explain the parser. [[one]]', () => [bound('b1', text('It reads lines.'))]],
  [
    'Run the tests. [[two]]',
    () => [
      bound('b2', text('I run them.'), call('Bash', { command: `seq 1 400 # ${'x'.repeat(200)}`, description: 'Run' })),
      bound('b3', text('All pass.')),
    ],
  ],
  [
    'Look at the picture. [[three]]',
    (folder) => [
      bound('b4', text('I look.'), call('Read', { file_path: `${folder}/picture.png` })),
      bound('b5', text('A dot.')),
    ],
  ],
  [`Use ${token} for it. [[four]]`, () => [bound('b6', text('I shall.'))]],
  [
    'Read the file. [[five]]',
    (folder) => [
      bound('b7', text('I read it.'), call('Read', { file_path: `${folder}/a.txt` })),
      bound('b8', text('It holds lines.')),
    ],
  ],
  ['Thank you. [[six]]', () => [bound('b9', text('You are welcome.'))]],
];

const names = ['one', 'two', 'three', 'four', 'five', 'six'];

function scripts(folder: string): Scripts {
  return Object.fromEntries([
    ...turns.map(([, steps], i) => [names[i] ?? '', steps(folder)] as const),
    // All tool rounds in one turn, for clients that do not keep their prompt between two runs.
    ['all', turns.flatMap(([, steps]) => steps(folder)).filter((_, i) => [1, 3, 6, 8].includes(i))],
    ['after', [bound('after', text('Here I am.'))]],
  ]);
}

/** The file of the session. */
export interface Recording {
  readonly sessionId: string;
  readonly bytes: Buffer;
}

const args = ['--model', model, '--dangerously-skip-permissions'];

/** Six turns of the current client. */
export async function recordTurns(version: string): Promise<Recording> {
  const cli = await clientOf(version);
  const common = { cli, args, workspace, scripts, host: 'anthropic' } as const;
  let run: ClientRun = await startSession({ ...common, prompt: turns[0]?.[0] ?? '' });
  let recording = recordingOf(run);
  for (const [prompt] of turns.slice(1)) {
    const { sessionId, bytes } = recording;
    run = await resume({ ...common, prompt, sessionId, files: { [`${sessionId}.jsonl`]: bytes } });
    recording = recordingOf(run, sessionId);
  }
  return recording;
}

/** One more turn. */
export async function goOnWith(version: string, { sessionId, bytes }: Recording): Promise<Recording> {
  const run = await resume({
    cli: await clientOf(version),
    args,
    workspace,
    scripts,
    host: 'anthropic',
    prompt: 'And on. [[after]]',
    sessionId,
    files: { [`${sessionId}.jsonl`]: bytes },
  });
  return recordingOf(run, sessionId);
}

/** One turn with three tool rounds: four blocks. */
export async function recordRounds(version: string): Promise<Recording> {
  const cli = await clientOf(version);
  return recordingOf(
    await startSession({ cli, args, workspace, scripts, host: 'anthropic', prompt: 'Do it all. [[all]]' }),
  );
}

function recordingOf(run: ClientRun, known?: string): Recording {
  const found = Object.entries(run.files).find(([name]) =>
    known === undefined ? /^[0-9a-f-]{36}\.jsonl$/.test(name) : name === `${known}.jsonl`,
  );
  if (found === undefined) throw new Error(`the client wrote no session: ${run.stderr || run.stdout}`);
  return { sessionId: path.basename(found[0], '.jsonl'), bytes: found[1] };
}

export interface ResumeVerdict {
  /** Thinking blocks in the first request. */
  readonly sent: number;
  readonly refused: readonly RefusedBlock['why'][];
  /** The number of requests until the fake API answered. */
  readonly requests: number;
}

/** The response of the fake API to the client that resumes this file. */
export async function verdictOn(version: string, file: string): Promise<ResumeVerdict> {
  const run = await resume({
    cli: await clientOf(version),
    args,
    workspace,
    scripts,
    host: 'anthropic',
    prompt: 'Go on. [[after]]',
    files: await sessionFiles(file),
    sessionId: path.basename(file, '.jsonl'),
  });
  const main = run.requests.filter(
    ({ path: to, body }) => to === '/v1/messages' && isArray(body.tools) && body.tools.length > 0,
  );
  const [first] = main;
  if (first === undefined) throw new Error(`the client sent nothing: ${run.stderr || run.stdout}`);
  const { sent, refused } = judgeRequest(first.body);
  return { sent, refused: refused.map(({ why }) => why), requests: main.length };
}

/** The verdict on a recording as it is. */
export async function verdictOnBytes(version: string, { sessionId, bytes }: Recording): Promise<ResumeVerdict> {
  const folder = mkdtempSync(path.join(tmpdir(), 'clew-bound-'));
  try {
    const file = path.join(folder, `${sessionId}.jsonl`);
    writeFileSync(file, bytes);
    return await verdictOn(version, file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
