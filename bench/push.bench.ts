// The first push of a corpus at each level: CPU of the client and of the server, in MB of transcripts per second and core,
// compared with psql that copies the same bytes as lines into a table; and a push with nothing new.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { noPostgres } from '../test/support/postgres.ts';
import { startTeamStore, type TeamStore } from '../test/support/team-store.ts';
import { corpusFiles, corpusFolder, sizeMb } from './support/corpus.ts';
import { type Contender, measureAll, median } from './support/measure.ts';

const rounds = 3;
const levels = ['metrics', 'titles', 'text', 'files'] as const;
const plan = { sessions: 150, linesPerSession: 600, bytesPerLine: 2_000 };
const clew = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../dist/clew.js');
const folder = path.join(tmpdir(), 'clew-bench', 'push');

if (noPostgres === false) await measurePush();
else console.log(`skipped: ${noPostgres}`);

async function measurePush(): Promise<void> {
  const ends: (() => unknown)[] = [];
  const context = { after: (end: () => unknown) => void ends.push(end) };
  rmSync(folder, { recursive: true, force: true });
  const root = corpusFolder('push', plan);
  const files = corpusFiles(root, plan);
  // Each push is the first one of its user, because the store does not take the same content twice.
  const people = levels.flatMap((level) => Array.from({ length: rounds }, (_, round) => `${level}${round}`));
  const store = await startTeamStore(context, Object.fromEntries(people.map((name) => [name, 'developer' as const])));
  store.server.run('CREATE TABLE lines (line text)');
  const mb = sizeMb(files);
  console.log(`\nfirst push of ${files.length} sessions, ${mb.toFixed(0)} MB; medians of ${rounds} rounds`);
  const base = compare(copyLines(store, files), rounds, store);
  print('psql \\copy of the lines', base, mb, base);
  for (const level of levels) {
    const runs = Array.from({ length: rounds }, (_, round) =>
      compare(pushAt(store, level, `${level}${round}`, root), 1, store),
    );
    const middle = (name: keyof Cost): number => median(runs.map((run) => run[name]));
    print(
      `clew push, ${level}`,
      { clientMs: middle('clientMs'), serverMs: middle('serverMs'), wallMs: middle('wallMs') },
      mb,
      base,
    );
  }
  const again = compare(pushAt(store, 'files', 'files0', root), rounds, store);
  console.log(`  nothing new: ${again.clientMs.toFixed(0)} ms CPU, ${again.wallMs.toFixed(0)} ms`);
  for (const end of ends.reverse()) await end();
}

interface Cost {
  readonly clientMs: number;
  readonly serverMs: number;
  readonly wallMs: number;
}

function compare(contender: Contender, times: number, store: TeamStore): Cost {
  const before = serverCpuMs(store);
  const [measured] = measureAll([contender], times);
  if (measured === undefined) throw new Error('nothing was measured');
  return { clientMs: measured.cpuMs, serverMs: (serverCpuMs(store) - before) / times, wallMs: measured.wallMs };
}

function print(name: string, { clientMs, serverMs, wallMs }: Cost, mb: number, base: Cost): void {
  const rate = (mb / (clientMs / 1000)).toFixed(0);
  const total = ((clientMs + serverMs) / (base.clientMs + base.serverMs)).toFixed(2);
  console.log(
    `  ${name.padEnd(24)} client ${clientMs.toFixed(0)} ms (${rate} MB/s per core), server ${serverMs.toFixed(0)} ms, ` +
      `wall ${wallMs.toFixed(0)} ms; CPU of both ${total} × psql`,
  );
}

function pushAt(store: TeamStore, level: string, person: string, root: string): Contender {
  const home = path.join(folder, person);
  mkdirSync(home, { recursive: true });
  writeFileSync(path.join(home, 'team.json'), JSON.stringify({ level }));
  const env = { CLEW_HOME: home, CLEW_MACHINE: person, CLEW_STORE: store.addressOf(person) };
  return { name: level, command: [process.execPath, clew, 'push', '--root', root], env };
}

/** The lines have every character but these three. */
function copyLines({ server }: TeamStore, files: readonly string[]): Contender {
  const script = path.join(folder, 'copy.sql');
  mkdirSync(folder, { recursive: true });
  const copy = (file: string): string =>
    `\\copy lines from '${file}' (format csv, delimiter E'\\x02', quote E'\\x01', escape E'\\x01')\n`;
  writeFileSync(script, `TRUNCATE lines;\n${files.map(copy).join('')}`);
  return {
    name: 'psql',
    command: ['psql', '-X', '-q', '-h', server.folder, '-U', 'postgres', '-d', 'clew', '-f', script],
  };
}

/** Of the server and all its processes, also those that have ended. */
function serverCpuMs({ server }: TeamStore): number {
  const [pid = ''] = readFileSync(path.join(server.folder, 'data', 'postmaster.pid'), 'utf8').split('\n');
  const ticks = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout);
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const used = all.map((name) => {
    const stat = statOf(name);
    if (name !== pid && stat[1] !== pid) return 0;
    // User and system time; of the server itself also that of the processes that it has waited for.
    const fields = name === pid ? [11, 12, 13, 14] : [11, 12];
    return fields.reduce((sum, field) => sum + Number(stat[field]), 0);
  });
  return (used.reduce((a, b) => a + b, 0) * 1000) / ticks;
}

/** From the state of the process on. */
function statOf(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return []; // it has ended
  }
}
