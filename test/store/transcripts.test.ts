// The list of transcripts that every command starts from: which files are on it, what it says about each, and how many
// calls to the disk it takes.
import assert from 'node:assert/strict';
import fs, { mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { discoverSessions } from '../../src/store/discover.ts';
import { findNamedTranscripts, findTranscripts, findTranscriptsInSteps } from '../../src/store/transcripts.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';

const one = 'aaaa1111-0000-4000-8000-000000000001';
const two = 'bbbb2222-0000-4000-8000-000000000002';
const three = 'cccc3333-0000-4000-8000-000000000003';

/** Path below `projects`, session of its main transcript, agent. */
const expected: readonly (readonly [string, string | undefined, string | undefined])[] = [
  [`-p/${one}.jsonl`, `-p/${one}`, undefined],
  [`-p/${one}/subagents/agent-a.jsonl`, `-p/${one}`, 'a'],
  [`-p/${one}/subagents/workflows/wf/agent-b.c.jsonl`, `-p/${one}`, 'b.c'],
  ['-p/agent-.jsonl', '-p/agent-', undefined],
  ['-p/agent-flat.jsonl', undefined, 'flat'],
  ['-p/an-agent-x.jsonl', '-p/an-agent-x', undefined],
  [`-p/${two}.jsonl`, `-p/${two}`, undefined],
  [`-p/${two}/subagents/agent-linked.jsonl`, `-p/${two}`, 'linked'],
  ['-p/gone/subagents/agent-left.jsonl', '-p/gone', 'left'],
  ['-p/linked.jsonl', '-p/linked', undefined],
  [`-q/${three}.jsonl`, `-q/${three}`, undefined],
];

function makeLibrary(root: string): void {
  const at = (name: string): string => path.join(root, 'projects', name);
  writeTree(path.join(root, 'projects'), {
    'stray.jsonl': 'in no project\n',
    [`-p/${one}.jsonl`]: 'one\n',
    [`-p/${one}/subagents/agent-a.jsonl`]: 'agent a\n',
    [`-p/${one}/subagents/agent-a.meta.json`]: '{}',
    [`-p/${one}/subagents/workflows/wf/agent-b.c.jsonl`]: 'agent b.c\n',
    [`-p/${one}/subagents/workflows/wf/journal.jsonl`]: 'not an agent\n',
    [`-p/${one}/tool-results/agent-r.jsonl`]: 'a result\n',
    [`-p/${one}/other.jsonl`]: 'not an agent\n',
    [`-p/${two}.jsonl`]: '',
    '-p/agent-.jsonl': 'no agent id\n',
    '-p/agent-flat.jsonl': 'flat\n',
    '-p/an-agent-x.jsonl': 'main\n',
    '-p/gone/subagents/agent-left.jsonl': 'its main transcript was deleted\n',
    '-p/notes.json': '{}',
    '-p/folder.jsonl/x': '',
    [`-q/${three}.jsonl`]: 'three\n',
  });
  writeTree(root, { 'away/subagents/agent-linked.jsonl': 'linked\n', 'away.jsonl': 'linked main\n' });
  symlinkSync(path.join(root, 'away'), at(`-p/${two}`));
  symlinkSync(path.join(root, 'away'), at('-p/no-session-of-this-name'));
  symlinkSync(path.join(root, 'away.jsonl'), at('-p/linked.jsonl'));
  symlinkSync('nowhere.jsonl', at('-p/dangling.jsonl'));
  symlinkSync(path.join(root, 'away.jsonl'), at(`-p/${one}/subagents/agent-link.jsonl`));
  symlinkSync('..', at(`-p/${one}/subagents/up`));
  symlinkSync('-q', at('-r-former-name'));
  mkdirSync(at('-empty'));
}

test('every transcript is listed once, with its session, its agent and what the disk says about it', async (t) => {
  const root = temporaryFolder(t);
  makeLibrary(root);
  const at = (name: string): string => path.join(root, 'projects', name);
  const files = expected.map(([name, session, agentId]) => {
    const { dev, ino, size, mtimeMs, birthtimeMs } = statSync(at(name));
    const [slug] = name.split('/');
    const mainPath = session === undefined ? undefined : at(`${session}.jsonl`);
    return { path: at(name), mainPath, agentId, slug, root, dev, ino, size, mtimeMs, bornMs: birthtimeMs || null };
  });
  const sorted = (found: ReturnType<typeof findTranscripts>) => ({
    ...found,
    files: found.files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  });
  assert.deepEqual(sorted(findTranscripts([root])), { files, problems: [] });
  assert.deepEqual(sorted(await findTranscriptsInSteps([root])), { files, problems: [] });
  const named = [...files.map((file) => file.path), at('-p/dangling.jsonl'), at('-p/folder.jsonl'), at('stray.jsonl')];
  assert.deepEqual(sorted(findNamedTranscripts([root], named)), { files, problems: [] });
});

test('what a name that is not UTF-8 hides is reported by its bytes', async (t) => {
  const root = temporaryFolder(t);
  makeLibrary(root);
  const before = findTranscripts([root]);
  const at = (...names: readonly string[]): Buffer =>
    Buffer.concat([Buffer.from(`${root}/projects/`), Buffer.from(names.join('/'), 'latin1')]);
  for (const folder of ['caf\xe9', 'caf\xe8', '-p/s\xe9']) mkdirSync(at(folder));
  for (const file of [
    ['caf\xe9', 's.jsonl'],
    ['-p', 't\xe9.jsonl'],
    ['-p', 'note\xe9.txt'],
  ])
    writeFileSync(at(...file), '{}\n');
  // A name that is UTF-8, although it has the character which replaces bytes that are not.
  writeTree(root, { 'projects/caf\ufffd/u.jsonl': '{}\n' });
  const problem = (name: string) => ({ path: path.join(root, 'projects', name), code: 'EILSEQ' });
  const wanted = ['-p/s\\xe9', '-p/t\\xe9.jsonl', 'caf\\xe8', 'caf\\xe9'].map(problem);
  const byPath = (a: { readonly path: string }, b: { readonly path: string }): number => (a.path < b.path ? -1 : 1);
  const { files, problems } = findTranscripts([root]);
  assert.deepEqual(problems.toSorted(byPath), wanted);
  assert.equal(files.length, before.files.length + 1);
  const [, ...others] = wanted; // the folder of a session is not looked into
  const discovered = (await discoverSessions([root])).problems.filter(({ code }) => code === 'EILSEQ');
  assert.deepEqual(discovered.toSorted(byPath), others);
});

test('many files take one call each, and one for each folder', (t) => {
  const root = temporaryFolder(t);
  const sessions = Array.from({ length: 300 }, (_, i) => `s${i}`);
  writeTree(root, {
    ...Object.fromEntries(sessions.map((name) => [`projects/-p/${name}.jsonl`, ''])),
    ...Object.fromEntries(sessions.slice(0, 20).map((name) => [`projects/-p/${name}/subagents/agent-a.jsonl`, ''])),
  });
  const calls = countCalls(['statSync', 'accessSync', 'readdirSync'], () => {
    assert.equal(findTranscripts([root]).files.length, 320);
  });
  // Also two calls for the root and its projects folder; and two listings, of projects and -p.
  assert.deepEqual(calls, { statSync: 320 + 2, accessSync: 0, readdirSync: 20 + 2 });
});

type Counted = 'statSync' | 'accessSync' | 'readdirSync';

function countCalls(names: readonly Counted[], work: () => void): Record<string, number> {
  const own = Object.fromEntries(names.map((name) => [name, fs[name]]));
  const calls = Object.fromEntries(names.map((name) => [name, 0]));
  for (const name of names) {
    const call = fs[name] as (...args: unknown[]) => unknown;
    Object.assign(fs, {
      [name]: (...args: unknown[]) => {
        calls[name] = (calls[name] ?? 0) + 1;
        return call(...args);
      },
    });
  }
  syncBuiltinESMExports();
  try {
    work();
  } finally {
    Object.assign(fs, own);
    syncBuiltinESMExports();
  }
  return calls;
}
