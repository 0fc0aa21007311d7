// `clew find` prints the same over the store as over the local index that was pushed to it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { runClew } from '../../support/clew.ts';
import { noPostgres } from '../../support/postgres.ts';
import { startTeamStore } from '../../support/team-store.ts';
import { machineOf } from '../push-kit.ts';
import { makeSearchLibrary } from './search-library.ts';

const words = [
  'error',
  'the',
  'TypeScript',
  'function',
  'widgets',
  'notes',
  'README',
  'commit',
  'sub-agent',
  'diff --git',
  'package.json',
  'test_user',
  'getUserById',
  'sessionId',
  'café',
  'naïve Straße',
  '日本',
  '日本語',
  'テスト',
  '한국어',
  'a',
  'x',
  '1',
  '2025',
];
const several = [
  'read file',
  'error test',
  'fix bug test',
  'create new file',
  'user message response',
  'hello world',
  'python script',
  'bash command output',
  'git status branch',
  'the file has been updated',
];
const phrases = [
  '"read file"',
  '"the file"',
  '"hello world"',
  '"file has been"',
  '"to the"',
  '"of the" test',
  '"npm run"',
  '"no such phrase anywhere"',
];
const prefixes = ['migrat*', 'tes*', 'err* fil*', '"read fil"*', 'sess*', 'zzzz*'];
const exclusions = ['error -test', 'file -read -write', '"the file" -error', 'test* -testing'];
const questions = [
  'How do I run the tests?',
  'what did we decide about the database schema',
  'why does the build fail with an error',
  'where is the configuration loaded',
  'explain the difference between these two functions please',
  'which files were changed to add the new command line flag',
];
const partial = [
  'error nosuchwordatall',
  'python quetzalcoatl file',
  'typescript zebra function unicorn',
  'README nonexistentword commit',
];
const filtered: readonly (readonly string[])[] = [
  ['error', '--role', 'user'],
  ['error', '--role', 'assistant'],
  ['file', '--tool', 'bash'],
  ['file', '--tool', 'Read'],
  ['test', '--since', '2025-06-01'],
  ['test', '--until', '2025-08-01'],
  ['test', '--since', '2025-01-01', '--until', '2026-01-01', '--role', 'assistant'],
  ['file', '--file', 'README.md'],
  ['file', '--file', '*.ts'],
  ['file', '--file', 'src/*'],
  ['test', '--project', '/home/dev/widgets'],
  ['error fix', '--limit', '3'],
  ['file', '--limit', '400'],
  ['nosuchwordatall error', '--role', 'assistant'],
  ['how does the parser handle errors', '--tool', 'Read'],
];
const scans: readonly (readonly string[])[] = [
  ['--exact', 'function'],
  ['--exact', 'unctio'],
  ['--exact', 'foo('],
  ['--exact', '-i', 'ERROR:'],
  ['--exact', '日本'],
  ['--exact', 'the file has been'],
  ['--exact', '"type"'],
  ['--exact', 'no such text anywhere at all'],
  ['--regex', 'err[a-z]+'],
  ['--regex', 'import .* from'],
  ['--regex', '-i', 'warn(ing)?'],
  ['--regex', '\\d{4}-\\d{2}-\\d{2}', '--limit', '50'],
  ['--regex', '^#', '--role', 'assistant'],
  ['--exact', 'file', '--tool', 'Bash', '--since', '2025-07-01'],
];

const queries: readonly (readonly string[])[] = [
  ...[...words, ...several, ...phrases, ...prefixes, ...exclusions, ...questions, ...partial].map((query) => [query]),
  ...filtered,
  ...scans,
];

interface Answer {
  readonly hits: readonly object[];
  readonly total: number;
}

test('find prints the same over the store as over the index', { skip: noPostgres }, async (context) => {
  const store = await startTeamStore(context, { ada: 'developer' });
  const machine = machineOf(context, store.addressOf('ada'));
  machine.share({ level: 'text' });
  const count = makeSearchLibrary(machine.root);
  assert.ok(count > 300, `${count} transcripts`);
  const pushed = runClew(['push', '--json'], { env: machine.env });
  assert.equal(pushed.status, 0, pushed.stderr || pushed.stdout.slice(0, 2000));
  const env = { ...machine.env, XDG_CONFIG_HOME: path.join(machine.home, 'config') };
  let hits = 0;
  let compared = 0;
  const different: string[] = [];
  for (const query of queries) {
    const local = runClew(['find', ...query, '--json'], { env });
    const stored = runClew(['find', ...query, '--json', '--store'], { env });
    assert.equal(stored.status, local.status, `${query.join(' ')}: ${stored.stderr}`);
    const [own, other] = [answerOf(local), answerOf(stored)];
    if (own.total <= ranked || isScan(query)) {
      compared++;
      if (local.stdout !== stored.stdout) different.push(`${query.join(' ')}: ${difference(own, other)}`);
    } else {
      assert.equal(other.total, own.total, query.join(' '));
      const all = answerOf(runClew(['find', ...query, '--json', '--limit', '100000'], { env }));
      const known = new Set(all.hits.map((hit) => JSON.stringify(hit)));
      const strange = other.hits.filter((hit) => !known.has(JSON.stringify(hit)));
      if (strange.length > 0) different.push(`${query.join(' ')}: ${JSON.stringify(strange[0])}`);
    }
    hits += own.hits.length;
  }
  assert.deepEqual(different, []);
  assert.ok(compared >= 60 && hits > 500, `${compared} of ${queries.length} queries, ${hits} hits`);
});

/** Of more documents than this the best are weighed. Which of equals are among them depends on the order of the index. */
const ranked = 200;

function isScan(query: readonly string[]): boolean {
  return query.includes('--exact') || query.includes('--regex');
}

function answerOf({ stdout }: { readonly stdout: string }): Answer {
  return JSON.parse(stdout) as Answer;
}

/** The first hit that differs, for the message. */
function difference(own: Answer, other: Answer): string {
  const at = own.hits.findIndex((hit, i) => JSON.stringify(hit) !== JSON.stringify(other.hits[i]));
  const [a, b] = [own, other].map(({ hits }) => JSON.stringify(hits[at]));
  return `${own.total} and ${other.total} hits; hit ${at}\n${a}\n${b}`;
}
