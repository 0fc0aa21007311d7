// The cost of a hook: `clew guard` compared with starting Node, without limits, with nothing new, and after a new line of
// the calling session, as before every tool call; on the libraries of `bench -- library`, if they were made.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusFolder } from './support/corpus.ts';
import { measureAll, printRatios } from './support/measure.ts';

const project = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const clew = path.join(project, 'dist/clew.js');
const cache = path.join(tmpdir(), 'clew-bench');
delete process.env.NODE_EXTRA_CA_CERTS;

const rounds = 9;
for (const [name, sessions] of [
  ['library-300', 500],
  ['library-1000', 1700],
] as const)
  measureLibrary(name, sessions);

function measureLibrary(name: string, sessions: number): void {
  const made = path.join(cache, name);
  const root = existsSync(made) ? made : corpusFolder(name, { sessions, linesPerSession: 160, bytesPerLine: 4000 });
  const projects = path.join(root, 'projects');
  const files = readdirSync(projects, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));
  const main = path.join(projects, files.find((file) => !file.includes('agent-')) ?? '');
  const size = statSync(main).size;
  const input = path.join(cache, `${name}-hook.json`);
  writeFileSync(input, JSON.stringify({ hook_event_name: 'PreToolUse', transcript_path: main, tool_name: 'Bash' }));
  const env = { CLEW_HOME: path.join(cache, `${name}-guard-state`), CLEW_ROOTS: root };
  const hook = [process.execPath, clew, 'guard'];
  const limited = [...hook, '--hard', '1000000'];
  const message = '{"id":"ID","model":"claude-opus-4-5","role":"assistant","usage":{"output_tokens":10}}';
  const line = `{"type":"assistant","message":${message},"timestamp":"2026-03-01T00:00:00.000Z"}`;
  const grow = ['sh', '-c', `printf '%s\\n' "$1" | sed "s/ID/$$/" >> "$2"; shift 2; exec "$@"`, 'sh', line, main];
  try {
    spawnSync(limited[0] as string, limited.slice(1), { input: '{}', env: { ...process.env, ...env } });
    const measured = measureAll(
      [
        { name: 'node -e 0', command: [process.execPath, '-e', '0'] },
        { name: 'clew guard, no limits', command: hook, input, env },
        { name: 'clew guard, nothing new', command: limited, input, env },
        { name: 'clew guard, one new line', command: [...grow, ...limited], input, env },
      ],
      rounds,
    );
    printRatios(`guard on ${files.length} transcripts`, measured, 'node -e 0');
    const bare = measured[0]?.cpuMs ?? Number.NaN;
    for (const { name: what, cpuMs } of measured.slice(1))
      console.log(`  ${what.padEnd(44)}${(cpuMs - bare).toFixed(0).padStart(5)} ms over node`);
  } finally {
    truncateSync(main, size);
  }
}
