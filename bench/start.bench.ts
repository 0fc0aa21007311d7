// The start of the commands that run often, compared with `node -e 0`: `--version`, the status line, and the trace hook with
// nothing to do. `--help` shows the start of the full program.
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { identifyHead, tracePlaces, writeState } from '../src/trace/state/index.ts';
import { corpusFolder } from './support/corpus.ts';
import { type Contender, measureAll, printRatios } from './support/measure.ts';

// If set, every start of Node reads these certificates.
delete process.env.NODE_EXTRA_CA_CERTS;
const dist = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../dist');
const [clew, hook] = [path.join(dist, 'clew.js'), path.join(dist, 'trace-hook.js')];
const folder = path.join(tmpdir(), 'clew-bench', `start-${process.versions.node}`);
rmSync(folder, { recursive: true, force: true });
const root = corpusFolder('start', { sessions: 60, linesPerSession: 100, bytesPerLine: 1500 });
const session = writeSession(path.join(folder, 'root/projects/-w'));
const event = path.join(folder, 'event.json');
writeFileSync(event, JSON.stringify({ transcript_path: session, hook_event_name: 'Stop' }));
const env = {
  CLEW_HOME: path.join(folder, 'state'),
  CLEW_ROOTS: [root, path.join(folder, 'root')].join(path.delimiter),
};
writeHookState();
const node = process.execPath;
const statusline = { command: [node, clew, 'statusline'], input: event, env };
run(statusline); // reads all sessions
console.log(`\nNode ${process.versions.node}: ${run(statusline).trim()}`);

const contenders: readonly Contender[] = [
  { name: 'node -e 0', command: [node, '-e', '0'] },
  { name: 'clew --version', command: [node, clew, '--version'] },
  { name: 'clew statusline, 61 sessions, nothing new', ...statusline },
  { name: 'trace hook, switched off', command: [node, hook], input: event, env: { ...env, CLEW_TRACE: 'off' } },
  { name: 'trace hook, no destination', command: [node, hook], input: event, env },
  {
    name: 'trace hook, nothing new',
    command: [node, hook],
    input: event,
    env: { ...env, CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9' },
  },
  { name: 'clew --help', command: [node, clew, '--help'] },
];
const measured = measureAll(contenders, 21);
printRatios('start-up', measured, 'node -e 0');
const base = measured[0]?.cpuMs ?? Number.NaN;
for (const { name, cpuMs } of measured.slice(1)) console.log(`  ${name}: +${(cpuMs - base).toFixed(1)} ms CPU`);

function run({ command: [program = '', ...args], input }: { command: readonly string[]; input: string }): string {
  const script = 'input=$1; shift; exec "$@" <"$input"';
  const call = spawnSync('bash', ['-c', script, 'bash', input, program, ...args], {
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  if (call.status !== 0) throw new Error(`${program} failed: ${call.stderr}`);
  return call.stdout;
}

/** A session of today, of 40 answers. */
function writeSession(project: string): string {
  const file = path.join(project, '5e551011-0000-4000-8000-000000000001.jsonl');
  const lines = Array.from({ length: 40 }, (_, i) => ({
    type: 'assistant',
    uuid: `u${i}`,
    sessionId: path.basename(file, '.jsonl'),
    timestamp: new Date(Date.now() - 1000).toISOString(),
    cwd: '/w',
    version: '2.1.325',
    message: {
      id: `msg_${i}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'x'.repeat(2000) }],
      usage: { input_tokens: 10, cache_read_input_tokens: 20_000, output_tokens: 500 },
    },
  }));
  mkdirSync(project, { recursive: true });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

/** As a hook that has read the session leaves it. */
function writeHookState(): void {
  const identity = identifyHead(session);
  if (identity === undefined) throw new Error(`${session} is missing`);
  const sessionId = path.basename(session, '.jsonl');
  const rest = { cursor: undefined, takenOver: undefined, updatedMs: Date.now(), pending: [] };
  writeState(tracePlaces(env), { sessionId, file: session, identity, atEnd: 'turn', ...rest });
}
