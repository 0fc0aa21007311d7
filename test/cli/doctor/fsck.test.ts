// clew fsck: each kind of damage to Clew's own folder is named once with what was done, and a second run finds only what
// needs the user.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { runClew } from '../../support/clew.ts';
import { type Bench, benchWith, contentsOf } from '../../support/surgery-kit.ts';
import { writeTree } from '../../support/temp-folder.ts';
import { sessionId, transcript } from '../../support/transcript-builder.ts';

interface Finding {
  readonly where: string;
  readonly problem: string;
  readonly repair: string | null;
  readonly next: string;
}

function makeBench(context: TestContext): Bench & { run(...words: string[]): ReturnType<typeof runClew> } {
  const bench = benchWith(context, sessionId, transcript().user('one').assistant('two').text());
  const run = (...words: string[]): ReturnType<typeof runClew> =>
    runClew([...words, '--root', bench.root], { env: { CLEW_HOME: bench.env.CLEW_HOME }, isAlone: true });
  for (const words of [['ls'], ['tag', sessionId, 'x'], ['fork', sessionId]]) assert.equal(run(...words).status, 0);
  return { ...bench, run };
}

function findingsOf(run: ReturnType<typeof runClew>): ReadonlyMap<string, readonly Finding[]> {
  const { areas } = JSON.parse(run.stdout) as { areas: readonly { area: string; findings: readonly Finding[] }[] };
  return new Map(areas.filter(({ findings }) => findings.length > 0).map(({ area, findings }) => [area, findings]));
}

test('a sound folder is sound', (context) => {
  const { run } = makeBench(context);
  const { status, stdout } = run('fsck');
  assert.equal(status, 0, stdout);
  assert.match(stdout, /^operations: 2 records, sound\narchive: 0 sessions, sound\nindex: read, sound\n/);
});

const oldTime = 1_700_000_000;

/** Each with the words of its finding, and whether something is left for the user. */
const damages: readonly {
  readonly name: string;
  readonly area: string;
  readonly problem: RegExp;
  readonly remains: boolean;
  damage(state: string, bench: Bench): void;
}[] = [
  {
    name: 'a cut record',
    area: 'operations',
    problem: /is cut off or damaged; it is now in .*quarantine-/,
    remains: true,
    damage: (state) => {
      const file = path.join(state, 'operations', firstOf(state), 'operation.json');
      writeFileSync(file, readFileSync(file).subarray(0, 100));
    },
  },
  {
    name: 'a backup that is gone',
    area: 'operations',
    problem: /the backup of tag is gone/,
    remains: false,
    damage: (state) => {
      for (const id of readdirSync(path.join(state, 'operations')))
        rmSync(path.join(state, 'operations', id, 'backup'), { recursive: true, force: true });
    },
  },
  {
    name: 'an operation without a record',
    area: 'operations',
    problem: /was killed before it was done/,
    remains: false,
    damage: (state) => writeTree(state, { 'operations/20260101T100000-abcdef/staged/0/x.jsonl': 'x' }),
  },
  {
    name: 'an index that is not a database',
    area: 'index',
    problem: /is damaged/,
    remains: false,
    damage: (state) => writeFileSync(path.join(state, 'index.db'), Buffer.alloc(8192, 'x')),
  },
  {
    name: 'an unreadable file in the outbox of a push',
    area: 'push',
    problem: /cannot be sent/,
    remains: false,
    damage: (state) => writeTree(state, { 'push/0123456789abcdef/outbox/0123.session': 'x' }),
  },
  {
    name: 'an old temporary file next to a transcript',
    area: 'leftovers',
    problem: /was left by a process that was killed/,
    remains: false,
    damage: (_, { folder }) => {
      const file = path.join(folder, '.clew-0123456789abcdef.tmp');
      writeFileSync(file, 'half');
      utimesSync(file, oldTime, oldTime);
    },
  },
];

function firstOf(state: string): string {
  return readdirSync(path.join(state, 'operations')).sort()[0] ?? '';
}

for (const { name, area, problem, remains, damage } of damages) {
  test(`${name} is named, and repaired or kept`, (context) => {
    const bench = makeBench(context);
    const state = bench.env.CLEW_HOME;
    damage(state, bench);
    const before = contentsOf(bench.root);
    const dry = bench.run('fsck', '--dry-run', '--json');
    assert.equal(dry.status, 1, dry.stdout);
    assert.deepEqual([...findingsOf(dry).keys()], [area]);
    assert.deepEqual(contentsOf(bench.root), before, 'a dry run changes nothing');
    const found = findingsOf(bench.run('fsck', '--json'));
    assert.deepEqual([...found.keys()], [area]);
    const [finding] = found.get(area) ?? [];
    assert.match(finding?.problem ?? '', problem);
    assert.notEqual(finding?.repair, null);
    const again = bench.run('fsck', '--json');
    // The next push drops what it cannot send.
    if (area !== 'push') assert.equal(findingsOf(again).size, remains ? 1 : 0, again.stdout);
    assert.equal(again.status, remains ? 1 : 0);
    for (const [file, bytes] of contentsOf(bench.root)) assert.equal(bytes, before.get(file), file);
    assert.ok(existsSync(bench.main));
  });
}
