// The cost of the tracer's hook: CPU compared with `node -e 0`, on a session with nothing new, with a new turn,
// with one at the end of 100 MB, and with the server down; and how many bytes it reads for that.
import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Contender, measureAll, printRatios } from './support/measure.ts';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const hook = path.join(project, 'dist/trace-hook.js');
const folder = path.join(tmpdir(), 'clew-bench', 'trace');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const rounds = 15;

measureHook(9);

/** Nothing listens on the port: the hook only spools, and starts a process for sending. */
function measureHook(deadPort: number): void {
  const idle = makeSession('idle', 1);
  const small = makeSession('small', 20);
  const large = makeSession('large', 1050);
  runHook(idle);
  runHook(small);
  runHook(large);
  const newTurn = (session: Session): readonly string[] => [
    'bash',
    '-c',
    'sed "s/NEWID/$RANDOM$RANDOM$RANDOM/g" "$1" >> "$2"; exec "$3" "$4" < "$5"',
    'bash',
    path.join(folder, 'turn.jsonl'),
    session.file,
    process.execPath,
    hook,
    session.event,
  ];
  writeFileSync(path.join(folder, 'turn.jsonl'), turnText('NEWID', 200));
  const contenders: readonly Contender[] = [
    { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
    {
      name: 'hook, nothing new',
      command: ['bash', '-c', 'exec "$1" "$2" < "$3"', 'bash', process.execPath, hook, idle.event],
    },
    { name: 'hook, one new turn, server down', command: newTurn(small) },
    { name: `hook, one new turn after ${(statSync(large.file).size / 1e6).toFixed(0)} MB`, command: newTurn(large) },
  ];
  process.env.CLEW_HOME = path.join(folder, 'state');
  process.env.CLEW_TRACE_ENDPOINT = `http://127.0.0.1:${deadPort}`;
  const measured = measureAll(contenders, rounds);
  printRatios('the hook of the tracer', measured, 'node -e 0');
  const base = measured[0]?.cpuMs ?? Number.NaN;
  for (const { name, cpuMs } of measured.slice(1))
    console.log(`  ${name}: ${(cpuMs - base).toFixed(0)} ms CPU above node -e 0`);
  for (const session of [small, large]) {
    appendFileSync(session.file, turnText(`bytes${Math.random()}`, 200));
    console.log(
      `  ${path.basename(session.file)}: ${bytesRead(session).toFixed(0)} bytes read beyond those of an idle hook (${bytesRead(idle, true).toFixed(0)})`,
    );
  }
}

interface Session {
  readonly file: string;
  readonly event: string;
}

function makeSession(name: string, turns: number): Session {
  const file = path.join(folder, `${name}.jsonl`);
  for (let i = 0; i < turns; i++) appendFileSync(file, turnText(`${name}${i}`, 100_000));
  const event = path.join(folder, `${name}.json`);
  writeFileSync(event, JSON.stringify({ session_id: name, transcript_path: file, hook_event_name: 'Stop' }));
  return { file, event };
}

function turnText(id: string, size: number): string {
  const common = { sessionId: 's', cwd: '/w', version: '2.1.325', timestamp: new Date().toISOString() };
  const message = {
    id: `msg_${id}`,
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'done' }],
    stop_reason: 'end_turn',
  };
  const lines = [
    { ...common, type: 'user', uuid: `u-${id}`, message: { role: 'user', content: 'x'.repeat(size) } },
    {
      ...common,
      type: 'assistant',
      uuid: `a-${id}`,
      message: { ...message, usage: { input_tokens: 1, output_tokens: 2 } },
    },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, CLEW_HOME: path.join(folder, 'state'), CLEW_TRACE_ENDPOINT: 'http://127.0.0.1:9' };
}

function runHook({ event }: Session): void {
  const run = spawnSync('bash', ['-c', 'exec "$1" "$2" < "$3"', 'bash', process.execPath, hook, event], {
    env: environment(),
  });
  if (run.status !== 0) throw new Error(`the hook failed: ${run.stderr}`);
}

/** The bytes that the process has read, according to the system, including modules. */
function bytesRead(session: Session, isIdle = false): number {
  if (!existsSync('/proc/self/io')) return Number.NaN;
  const read = (which: Session): number => {
    const report =
      'import{readFileSync}from"node:fs";process.on("exit",()=>process.stderr.write("clew-io "+/rchar: (\\d+)/.exec(readFileSync("/proc/self/io","utf8"))[1]+"\\n"))';
    const importer = `data:text/javascript,${encodeURIComponent(report)}`;
    const script = 'exec "$1" --import "$2" "$3" < "$4"';
    const run = spawnSync('bash', ['-c', script, 'bash', process.execPath, importer, hook, which.event], {
      encoding: 'utf8',
      env: environment(),
    });
    return Number(/clew-io (\d+)/.exec(run.stderr)?.[1]);
  };
  const first = read(session);
  return isIdle ? first : first - read(session);
}
