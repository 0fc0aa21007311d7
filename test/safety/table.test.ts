// docs/safety.md is complete: every command and every flag that changes what is touched has its row, in words that the
// page explains. The other tests of this folder check whether the rows are true.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commands } from '../../src/cli/commands.ts';
import { readSafetyTable, readVocabulary, rowFor, type SafetyRow } from '../support/safety-table.ts';
import { everyCall } from './calls.ts';

const rows = readSafetyTable();
const nameOf = (row: SafetyRow): string => row.words.join(' ');

test('every command has a row, and every row is of a command with these flags', () => {
  const named = new Set(rows.map(({ words }) => words[0]));
  assert.deepEqual(
    commands.map(({ name }) => name).filter((name) => !named.has(name)),
    [],
  );
  const unknown = rows.filter(({ words: [name, ...rest] }) => {
    const row = commands.find((command) => command.name === name);
    const flags = row?.flags.map((flag) => flag.name) ?? [];
    return row === undefined || rest.some((word) => word.startsWith('--') && !flags.includes(word));
  });
  assert.deepEqual(unknown.map(nameOf), []);
});

/** The flags that change what a command touches; each has a separate row. */
const touching = [
  '--dry-run',
  '--in-place',
  '--fix',
  '--no-archive',
  '--no-backup',
  '--auto',
  '--api',
  '--allow-changes',
];
/** They change what is written, but not where; `bundle` requires it. */
const silent = new Set(['export --force', 'recover --force', 'restore --force', 'bundle --output']);

test('every flag that changes what a command touches has a row', () => {
  const missing = commands.flatMap(({ name, flags }) =>
    [...touching, '--output', '--force', '--check', '--list', '--verify']
      .filter((flag) => flags.some((each) => each.name === flag) && !silent.has(`${name} ${flag}`))
      .filter((flag) => !rows.some(({ words }) => words[0] === name && words.includes(flag)))
      .map((flag) => `${name} ${flag}`),
  );
  assert.deepEqual(missing, []);
});

test('the rows use the words that the page explains, each row once', () => {
  const vocabulary = readVocabulary();
  const used = rows.flatMap(({ reads, writes, deletes, sends }) => [...reads, ...writes, ...deletes, ...sends]);
  assert.deepEqual(
    used.filter((word) => !vocabulary.has(word)),
    [],
  );
  assert.deepEqual(
    [...vocabulary].filter((word) => !used.includes(word)),
    [],
  );
  assert.equal(new Set(rows.map(nameOf)).size, rows.length);
});

/** The guarantees of the page, written independently of the table. */
const own = new Set(['state', 'operations']);
const teamStoreCalls = [
  ...['ls --store', 'show --store', 'messages --store', 'cat --store', 'usage --store', 'find --store'],
  ...['restore --store', 'restore --store --dry-run', 'export --store', 'export --store --output', 'stats --store'],
  ...['export --store --to', 'export --store --to --purge', 'push', 'push --auto', 'team', 'team --dry-run'],
  ...['team gateway', 'team gateway key', 'team gateway status', 'team gateway retry', 'open --store', 'mcp --store'],
];
const network = new Map([
  ['model API', ['chat', 'print', 'print --no-session-persistence', 'print --debug-file', 'compress --api']],
  ['127.0.0.1', ['doctor --client', 'open', 'open --allow-changes', 'open --store', 'replay', 'team gateway']],
  ['tools', ['chat', 'print', 'print --no-session-persistence', 'print --debug-file']],
  ['team store', teamStoreCalls],
  ['named address', ['prices update']],
  ['S3', ['export --store --to', 'export --store --to --purge']],
]);

test('a dry run writes only in the folder of Clew, deletes nothing and sends nothing', () => {
  const dry = rows.filter(({ words }) => words.includes('--dry-run'));
  assert.ok(dry.length >= 15);
  const more = dry.filter(({ writes, deletes, sends }) => {
    // That of `clew team`, or of a restore from the store, asks the store.
    return writes.some((word) => !own.has(word)) || deletes.length > 0 || sends.some((word) => word !== 'team store');
  });
  assert.deepEqual(more.map(nameOf), []);
});

test('only the agent, a summary by a model, the servers, newer prices, traces and the store of a team reach a network', () => {
  for (const [word, names] of network) {
    const found = rows.filter(({ sends }) => sends.includes(word)).map(nameOf);
    assert.deepEqual(found.toSorted(), names.toSorted(), word);
  }
  const rest = rows.filter(({ sends }) => sends.some((word) => !network.has(word)));
  assert.deepEqual(
    [...new Set(rest.map(({ words, sends }) => `${words[0]}: ${sends}`))],
    ['trace: trace destinations', 'team: team store,trace destinations,127.0.0.1'],
  );
});

test('the last row that fits a command line counts', () => {
  assert.equal(nameOf(rowFor(['doctor', 'x', '--in-place', '--fix'])), 'doctor --fix --in-place');
  assert.equal(nameOf(rowFor(['doctor', 'x', '--in-place', '--fix', '--dry-run'])), 'doctor --fix --dry-run');
  assert.equal(nameOf(rowFor(['doctor', 'x', '--all'])), 'doctor');
});

test('a call of every row is watched', () => {
  const watched = new Set(everyCall.map(({ line }) => nameOf(rowFor(line.split(' && ').at(-1)?.split(' ') ?? []))));
  assert.deepEqual(
    rows.map(nameOf).filter((name) => !watched.has(name)),
    [],
  );
});
