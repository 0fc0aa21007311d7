// Fills a store with gigabytes of text, without a push: sessions of turns whose tool results, inputs, prompts and answers are parts
// of the source files and manuals in node_modules. The rare words of a part get another ending in each project, and some in
// each session, so that the words are as unevenly frequent as in real sessions.

import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { personLexeme, type Sql } from '../../src/team/database/index.ts';
import { documentWords, fieldWords } from '../../src/team/words/index.ts';

export interface LargeStorePlan {
  readonly people: number;
  /** Of text, for each person. */
  readonly megabytes: number;
  readonly months: number;
}

interface PooledDocument {
  readonly kind: string;
  readonly tool: string | null;
  readonly text: string;
  readonly words: string;
  readonly tokens: number;
}

interface PooledTurn {
  readonly documents: readonly PooledDocument[];
  readonly words: string;
  readonly tokens: readonly number[];
}

/** Endings that each project and each session replaces by its own. */
const [projectEnding, sessionEnding] = ['zqxzq', 'zqyzq'];
const projectsOfPerson = 4;
const turnsOfSession = 12;
const firstMonth = Date.UTC(2025, 6, 1);

/** Rows of `sessions`, `titles`, `documents` and `exchanges`; the indexes of words are made afterwards. */
export async function fillLargeStore(sql: Sql, plan: LargeStorePlan): Promise<void> {
  const turns = makePool();
  const random = randomNumbers(5);
  const months = Array.from({ length: plan.months }, (_, i) => monthStart(i));
  await sql`SELECT clew.ensure_months(${months.map(({ text }) => text)}::date[])`;
  const words = ['documents_words', 'exchanges_words'];
  for (const index of words) await sql`DROP INDEX clew.${sql(index)}`;
  const [{ tenant = 0 } = {}] = await sql<{ tenant: number }[]>`SELECT tenant FROM clew.tenants`;
  const people = await sql<{ person: number }[]>`SELECT person FROM clew.people ORDER BY person LIMIT ${plan.people}`;
  const left = people.map(({ person }) => ({ person, bytes: plan.megabytes * 1e6 }));
  // Everyone works at the same time: rows of one person are not next to each other.
  for (let number = 0; left.some(({ bytes }) => bytes > 0); number++) {
    const busy = left.filter(({ bytes }) => bytes > 0);
    const lines: Record<string, string[]> = { sessions: [], titles: [], documents: [], exchanges: [] };
    for (const owner of busy) {
      const month = months[random(months.length)] ?? monthStart(0);
      const { person } = owner;
      owner.bytes -= addSession(lines, { tenant, person, number, month, turns, random });
    }
    await sql.begin(async (transaction) => {
      for (const [table, rows] of Object.entries(lines)) {
        const copy =
          await transaction`COPY clew.${transaction(table)} (${transaction(columns[table] ?? [])}) FROM STDIN`.writable();
        for (const row of rows) if (!copy.write(row)) await once(copy, 'drain');
        await ended(copy);
      }
    });
  }
  for (const table of ['documents', 'exchanges'])
    await sql.unsafe(`CREATE INDEX ${table}_words ON clew.${table} USING gin (words) WITH (fastupdate = off)`);
}

function ended(copy: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    copy.on('finish', resolve).on('error', reject);
    copy.end();
  });
}

const columns: Readonly<Record<string, readonly string[]>> = {
  sessions:
    'tenant person session_id month level machine content_key main_bytes main_sha256 started_at ended_at project_hash facts months words'.split(
      ' ',
    ),
  titles: 'tenant person session_id month title cwd path facts'.split(' '),
  documents: 'tenant person session_id month nth agent line kind part said_at tool uuid text words tokens facts'.split(
    ' ',
  ),
  exchanges: 'tenant person session_id month nth agent line first_line end_line said_at words tokens facts'.split(' '),
};

interface Month {
  readonly text: string;
  readonly time: number;
}

function monthStart(i: number): Month {
  const date = new Date(firstMonth);
  date.setUTCMonth(date.getUTCMonth() + i);
  return { text: date.toISOString().slice(0, 10), time: date.getTime() };
}

interface SessionPlan {
  readonly tenant: number;
  readonly person: number;
  readonly number: number;
  readonly month: Month;
  readonly turns: readonly PooledTurn[];
  readonly random: (below: number) => number;
}

/** Returns how much text it has. */
function addSession(
  lines: Record<string, string[]>,
  { tenant, person, number, month, turns, random }: SessionPlan,
): number {
  const id = `${hex(person, 8)}-${hex(number, 4)}-4000-8000-${hex(person * 100_000 + number, 12)}`;
  const project = random(projectsOfPerson);
  const ofProject = `p${person}n${project}`;
  const ofSession = `s${person}n${number}`;
  const own = (text: string): string => text.replaceAll(projectEnding, ofProject).replaceAll(sessionEnding, ofSession);
  const key = `${tenant}\t${person}\t${id}\t${month.text}`;
  const start = month.time + random(27 * 24 * 3600) * 1000;
  const sums = [0, 0, 0, 0, 0] as [number, number, number, number, number];
  let [line, bytes, nth] = [1, 0, 0];
  for (let turn = 0; turn < turnsOfSession; turn++) {
    const pooled = turns[random(turns.length)] as PooledTurn; // in range
    const firstLine = line;
    const saidAt = new Date(start + line * 20_000).toISOString();
    for (const document of pooled.documents) {
      const time = new Date(start + line * 20_000).toISOString();
      const text = own(document.text);
      bytes += text.length;
      const facts = `{"turn": ${turn + 1}, "exchange": ${firstLine}}`;
      lines.documents?.push(
        `${key}\t${nth}\t\t${line}\t${document.kind}\t0\t${time}\t${document.tool ?? '\\N'}\t${id.slice(0, 24)}${hex(line, 12)}\t${escaped(text)}\t${personLexeme(person)} ${escaped(own(document.words))}\t${document.tokens}\t${facts}\n`,
      );
      sums[0]++;
      sums[1] += document.tokens;
      [line, nth] = [line + 1, nth + 1];
    }
    const titles = turn === 0 ? ` 'tsession':1 'tproject${project}':2 't${ofSession}':3` : '';
    lines.exchanges?.push(
      `${key}\t${turn}\t\t${firstLine}\t${firstLine}\t${line - 1}\t${saidAt}\t${personLexeme(person)} ${escaped(own(pooled.words))}${titles}\t{${pooled.tokens.join(',')}}\t\\N\n`,
    );
    sums[2]++;
    sums[3] += pooled.tokens.filter((count) => count > 0).length;
    sums[4] += pooled.tokens.reduce((sum, count) => sum + count, 0);
  }
  const [started, end] = [start, start + line * 20_000].map((time) => new Date(time).toISOString());
  const facts = JSON.stringify({
    model: null,
    counts: { turns: turnsOfSession, agents: 0, entries: line },
    mtimeMs: start,
  });
  lines.sessions?.push(
    `${key}\t3\tbench\t${id}\t${bytes * 3}\t${id}\t${started}\t${end}\tproject${project}\t${facts}\t{${month.text}}\t{${sums.join(',')}}\n`,
  );
  const folder = `-home-dev-project${project}`;
  const titleFacts = JSON.stringify({ project: folder, root: '/home/dev/.claude', sessionId: id });
  lines.titles?.push(
    `${key}\tSession project${project} ${ofSession}\t/home/dev/project${project}\t/home/dev/.claude/projects/${folder}/${id}.jsonl\t${titleFacts}\n`,
  );
  return bytes;
}

function hex(number: number, length: number): string {
  return number.toString(16).padStart(length, '0');
}

function escaped(text: string): string {
  return text.replace(/[\\\n\r\t]/g, (char) => `\\${escapes[char]}`);
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\', '\n': 'n', '\r': 'r', '\t': 't' };

export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const pooledTurns = 6000;

/** Turns of a prompt, an answer before four calls with their results, and an answer. */
function makePool(): readonly PooledTurn[] {
  const random = randomNumbers(3);
  const files = readableFiles('node_modules').map((file) => readFileSync(file, 'utf8').replaceAll('\0', ''));
  const prose = files.filter((text) => /^#|\n#+ /.test(text.slice(0, 2000))).flatMap((text) => text.split(/\n\n+/));
  const paragraphs = prose.filter((text) => text.length > 30 && text.length < 1500);
  const frequencies = wordFrequencies(files, random);
  const rare = (text: string): string =>
    text.replace(/[A-Za-z][A-Za-z0-9]{3,}/g, (word) => {
      const count = frequencies.get(word.toLowerCase()) ?? 0;
      if (count > 40) return word;
      return `${word}${count > 4 ? projectEnding : sessionEnding}`;
    });
  const saying = (): string => rare(paragraphs[random(paragraphs.length)] ?? '');
  const shown = (): string => {
    // Most results are short, some fill a page or many.
    const length = Math.min(60_000, Math.round(1300 * Math.exp((random(1000) / 1000) * (random(1000) / 1000) * 4.5)));
    const long = [1, 2, 3, 4].map(() => files[random(files.length)] ?? '').sort((a, b) => a.length - b.length);
    const text = long.find((each) => each.length > length) ?? long.at(-1) ?? '';
    const start = random(Math.max(1, text.length - length));
    return rare(text.slice(start, start + length)).toWellFormed();
  };
  return Array.from({ length: pooledTurns }, () => {
    const [prompt, ...answers] = [saying(), saying(), `${saying()}\n\n${saying()}`] as const;
    const calls = Array.from({ length: 4 }, (_, i) => {
      const name = rare(`part${random(4000)} ${saying().split(/\W+/)[2] ?? 'x'}`).replace(' ', '-');
      const input =
        i % 2 === 0 ? `{"file_path":"/home/dev/src/${name}.ts"}` : `{"command":"npm run ${name} -- --test"}`;
      return { tool: i % 2 === 0 ? 'Read' : 'Bash', name, input, output: shown() };
    });
    const documents = [
      pooled('prompt', null, prompt),
      pooled('answer', null, answers[0]),
      ...calls.flatMap(({ tool, input, output }) => [
        pooled('tool-input', tool, input),
        pooled('tool-output', tool, output),
      ]),
      pooled('answer', null, answers[1]),
    ];
    const fields = [prompt, answers.join('\n'), calls.map(({ name }) => name).join('\n'), calls[1]?.input ?? '', ''];
    return { documents, ...fieldWords(fields) };
  });
}

function pooled(kind: string, tool: string | null, text: string): PooledDocument {
  return { kind, tool, text, ...documentWords(text) };
}

function wordFrequencies(files: readonly string[], random: (below: number) => number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (let i = 0; i < 20_000; i++) {
    const text = files[random(files.length)] ?? '';
    const start = random(Math.max(1, text.length - 3000));
    const words = new Set(
      text
        .slice(start, start + 3000)
        .toLowerCase()
        .match(/[a-z][a-z0-9]{3,}/g) ?? [],
    );
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function readableFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.(ts|js|mjs|md|json)$/.test(entry.name) && !/\.min\./.test(entry.name))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => statSync(file).size > 500 && statSync(file).size < 200_000)
    .sort();
}
