// Archives with damage of every kind, from a seed. What the raw bytes say is left must be what `--verify` says, restore
// gives exactly those bytes or refuses in one line, and after the repair everything that is left can be restored.
// `CLEW_SEED=N` runs other seeds, `CLEW_LONG=1` many.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { archiveSessions } from '../../../src/library/archive/archive.ts';
import { repairArchive } from '../../../src/library/archive/repair.ts';
import { restoreSession } from '../../../src/library/archive/restore.ts';
import { isDamaged, type Verification, verifyArchive } from '../../../src/library/archive/verify.ts';
import { snapshot } from '../../support/archive-kit.ts';
import { refusalOf } from '../../support/refusal.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';
import { type Damage, damageArchive, isLeft } from './damage-generator.ts';
import { packsOf } from './damage-kit.ts';
import { type NeededBytes, neededBytes } from './pack-by-hand.ts';

const cases = process.env.CLEW_LONG === '1' ? 1500 : 60;
const firstSeed = Number(process.env.CLEW_SEED ?? '1');

test(`${cases} damaged archives: the verdict on every session is what the bytes say, and no byte is wrong`, async (t) => {
  const temp = temporaryFolder(t);
  const sound = await soundArchive(temp);
  const outside = snapshot(path.join(temp, 'projects'));
  let damaged = 0;
  let lost = 0;
  for (let seed = firstSeed; seed < firstSeed + cases; seed++) {
    const folder = path.join(temp, 'case/archive');
    cpSync(sound.folder, folder, { recursive: true });
    const damage = damageArchive(folder, seed);
    const when = `CLEW_SEED=${seed}: ${damage.words.join(', ')}`;
    try {
      const found = await verifyArchive({ folder });
      checkVerdicts(found, { sound, folder, damage, when });
      await checkRestores(found, { sound, folder, damage, when });
      damaged += isDamaged(found) ? 1 : 0;
      lost += found.verdicts.filter(({ isRestorable }) => !isRestorable).length;
      await checkRepair({ sound, folder, damage, when });
    } catch (error) {
      throw error instanceof assert.AssertionError ? error : new Error(when, { cause: error });
    }
    assert.deepEqual(readdirSync(path.join(temp, 'case')), ['archive'], when);
    assert.deepEqual(snapshot(path.join(temp, 'projects')), outside, when);
    rmSync(path.join(temp, 'case'), { recursive: true });
  }
  t.diagnostic(`${damaged} of ${cases} were damaged, ${lost} sessions could not be restored`);
  assert.ok(damaged > cases / 2 && lost > cases / 4);
});

interface SoundArchive {
  readonly folder: string;
  /** Of each session, by the path of its main transcript: the bytes of its files, for each copy. */
  readonly copies: ReadonlyMap<string, readonly ReadonlyMap<string, string>[]>;
  readonly needed: readonly NeededBytes[];
  readonly titles: ReadonlyMap<string, string>;
}

interface Case {
  readonly sound: SoundArchive;
  readonly folder: string;
  readonly damage: Damage;
  readonly when: string;
}

/** Five sessions with side files that share lines, archived three times while they grow, in small packs. */
async function soundArchive(temp: string): Promise<SoundArchive> {
  const folder = path.join(temp, 'sound');
  const copies = new Map<string, ReadonlyMap<string, string>[]>();
  const titles = new Map<string, string>();
  const mains = [1, 2, 3, 4, 5].map((digit) => {
    const id = `${String(digit).repeat(8)}-1111-4111-8111-111111111111`;
    return { digit, id, path: path.join(temp, 'projects/-p', `${id}.jsonl`) };
  });
  for (let round = 1; round <= 3; round++) {
    for (const { digit, id, path: main } of mains) {
      if (round > 1 && digit % round === 0) continue;
      const noise = (i: number): string =>
        Math.sin(i * digit * round)
          .toString(36)
          .repeat(9);
      const own = Array.from({ length: 6 * round }, (_, i) => `{"type":"user","text":"${digit} says ${noise(i)}"}\n`);
      const shared = Array.from(
        { length: 12 },
        (_, i) => `{"type":"user","text":"all say ${noise(i).slice(0, 3)} ${i}"}\n`,
      );
      const title = `Session ${digit}`;
      titles.set(main, title);
      writeTree(path.dirname(main), {
        [`${id}.jsonl`]: `{"type":"summary","summary":"${title}"}\n${own.join('')}${shared.join('')}`,
        [`${id}/tool-results/a.txt`]: `result ${noise(3)} of ${round}`,
      });
      await archiveSessions([{ path: main }], { folder, blockBytes: 600, packBytes: 2500 });
      const files = [...snapshot(path.dirname(main))].filter(([name]) => name.startsWith(id));
      copies.set(main, [...(copies.get(main) ?? []), new Map(files.map(([name, [bytes]]) => [name, bytes]))]);
    }
  }
  const needed = neededBytes(packsOf(folder).map((pack) => readFileSync(pack)));
  assert.deepEqual((await verifyArchive({ folder })).broken, []);
  assert.ok(packsOf(folder).length > 4);
  return { folder, copies, needed, titles };
}

/** By their numbers: the copies of a session of which every byte is left. */
function copiesLeft({ sound, folder }: Case, session: string): readonly number[] {
  const own = sound.needed.filter((each) => each.session === session);
  return own.flatMap((each, i) => (isLeft(folder, each) ? [i + 1] : []));
}

function checkVerdicts(found: Verification, facts: Case): void {
  const { sound, damage, when } = facts;
  if (damage.hitsPacks || damage.hitsSums) assert.ok(isDamaged(found) || !damage.hitsPacks || damage.hitsSums, when);
  if (damage.hitsPacks && !damage.hitsSums) assert.ok(isDamaged(found), `${when}: certified`);
  if (damage.hitsSums) assert.ok(found.sums !== 'read' && found.damage.length > 0, `${when}: sums`);
  for (const session of sound.copies.keys()) {
    const verdict = found.verdicts.find((each) => each.session === session);
    const left = copiesLeft(facts, session);
    const total = sound.needed.filter((each) => each.session === session).length;
    // Without sums nobody knows of a copy whose record is gone, nor of its number.
    if (damage.hitsSums) assert.ok((verdict?.restorable.length ?? 0) <= left.length, `${when}: ${session}`);
    else
      assert.deepEqual(
        verdict,
        {
          sessionId: path.basename(session, '.jsonl'),
          session,
          title: sound.titles.get(session),
          isRestorable: left.at(-1) === total,
          copies: total,
          restorable: left,
        },
        when,
      );
  }
}

/** Latest copies: the exact bytes, or one line and nothing. */
async function checkRestores(found: Verification, { sound, folder, damage, when }: Case): Promise<void> {
  for (const [session, copies] of sound.copies) {
    const to = path.join(path.dirname(folder), 'to');
    const refusal = await refusalOf(restoreSession(session, { folder, to }));
    const verdict = found.verdicts.find((each) => each.session === session);
    assert.equal(refusal === undefined, verdict?.isRestorable === true, `${when}: ${session} ${refusal?.message}`);
    if (refusal !== undefined) {
      assert.match(refusal.message, /^[^\n]+$/, when);
      assert.ok(!existsSync(to), `${when}: something of a refused session was written`);
      continue;
    }
    const restored = filesIn(path.join(to, 'projects/-p'));
    const wanted = damage.hitsSums ? copies : copies.slice(-1);
    assert.ok(
      wanted.some((each) => isEqual(each, restored)),
      `${when}: ${session} has other bytes`,
    );
    rmSync(to, { recursive: true });
  }
}

/** What was restorable before still is, and the archive takes every session again. */
async function checkRepair(facts: Case): Promise<void> {
  const { sound, folder, damage, when } = facts;
  const before = new Map([...sound.copies.keys()].map((session) => [session, copiesLeft(facts, session)]));
  const isNewer = (await verifyArchive({ folder })).damage.some(({ message }) => message.includes('newer Clew'));
  const refusal = await refusalOf(repairArchive({ folder }));
  if (isNewer) return assert.match(refusal?.message ?? '', /was written by a newer Clew/, when);
  assert.equal(refusal, undefined, when);
  const found = await verifyArchive({ folder });
  assert.deepEqual([found.damage, found.broken, found.sums], [[], [], 'read'], `${when}: after the repair`);
  for (const [session, copies] of sound.copies) {
    const left = before.get(session) ?? [];
    const verdict = found.verdicts.find((each) => each.session === session);
    if (!damage.hitsSums)
      assert.ok((verdict?.restorable.length ?? 0) >= left.length, `${when}: ${session} lost a copy`);
    if (damage.hitsSums || left.at(-1) !== copies.length) continue;
    const to = path.join(path.dirname(folder), 'to');
    await restoreSession(session, { folder, to });
    assert.ok(isEqual(copies.at(-1) ?? new Map(), filesIn(path.join(to, 'projects/-p'))), `${when}: ${session}`);
    rmSync(to, { recursive: true });
  }
  const again = await repairArchive({ folder });
  assert.deepEqual(again.steps, [], `${when}: a second repair finds more`);
  await archiveSessions(
    [...sound.copies.keys()].map((main) => ({ path: main })),
    { folder },
  );
  const filled = await verifyArchive({ folder });
  assert.deepEqual([filled.damage, filled.broken, filled.sessions], [[], [], sound.copies.size], when);
}

function filesIn(folder: string): ReadonlyMap<string, string> {
  return new Map([...snapshot(folder)].map(([name, [bytes]]) => [name, bytes]));
}

function isEqual(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([name, bytes]) => b.get(name) === bytes);
}
