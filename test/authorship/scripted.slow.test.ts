// `clew why` on repositories that twelve scripted sessions and the user wrote: how many lines it answers right, and that
// no line of the user is given to a session.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { jsonOf } from '../support/clew.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { makeRepository, type ScriptedRepository } from './scripted-repository.ts';

const seeds = process.env.CLEW_LONG === '1' ? Array.from({ length: 20 }, (_, i) => i + 1) : [1, 2, 3];
const sampleSize = 300;

interface Answered {
  readonly file: string;
  readonly line: number;
  readonly text: string;
  readonly truth: string;
  readonly given: string;
}

for (const seed of seeds) {
  test(`300 lines of the repository of seed ${seed}`, (context) => {
    const base = temporaryFolder(context);
    const repository = makeRepository(base, seed);
    const all = answerAll(repository, path.join(base, 'state'));
    const sample = chosen(all, seed);
    const right = sample.filter(({ truth, given }) => truth === given);
    const wrong = all.filter(({ truth, given }) => truth === 'hand' && given.includes('#'));
    const share = right.length / sample.length;
    context.diagnostic(
      `seed ${seed}: ${right.length} of ${sample.length} right (${(100 * share).toFixed(1)} %), ` +
        `${wrong.length} of ${all.filter(({ truth }) => truth === 'hand').length} hand-written lines given to a session`,
    );
    assert.deepEqual(wrong, [], `lines of the user given to a session; ${repository.events.join('; ')}`);
    assert.ok(share >= 0.95, `${right.length} of ${sample.length}: ${JSON.stringify(mistakes(sample), null, 1)}`);
  });
}

function answerAll({ folder, root, files }: ScriptedRepository, state: string): readonly Answered[] {
  return [...files].flatMap(([name, lines]) => {
    if (lines.length === 0) return [];
    const options = { cwd: folder, env: { CLEW_HOME: state } };
    const answer = jsonOf(['why', name, '--root', root, '--json'], options) as unknown as {
      lines: { line: number; text: string; verdict: string; call: number | null }[];
      calls: { sessionId: string; turn: number }[];
    };
    assert.equal(answer.lines.length, lines.length, name);
    return lines.map(({ text, author }, i) => {
      const found = answer.lines[i];
      assert.ok(found !== undefined);
      assert.equal(found.text, text, `${name}:${i + 1}`);
      const call = found.call === null ? undefined : answer.calls[found.call];
      const given =
        found.verdict === 'agent'
          ? `${call?.sessionId}#${call?.turn}`
          : found.verdict === 'not-agent'
            ? 'hand'
            : 'unknown';
      return { file: name, line: i + 1, text, truth: author, given };
    });
  });
}

function chosen(all: readonly Answered[], seed: number): readonly Answered[] {
  const random = seededRandom(seed + 1000);
  return all
    .map((each) => ({ each, key: random() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, sampleSize)
    .map(({ each }) => each);
}

function mistakes(sample: readonly Answered[]): readonly Answered[] {
  return sample.filter(({ truth, given }) => truth !== given);
}
