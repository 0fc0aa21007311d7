// The same scripted conversations with our agent and with client 2.1.325: their entries agree in kinds, keys, types and
// determined values, but for the differences that entry-differences.ts lists with their reasons.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { type TestContext, test } from 'node:test';
import { explains, knownDifferences } from './entry-differences.ts';
import { type Conversation, conversations, defaults } from './entry-scenarios.ts';
import { differencesOf, type EntryKinds, placesOf, readKinds } from './entry-shape.ts';
import { openSharedHome, type Program } from './shared-home.ts';

test(
  'our entries are those of the client, but for known differences',
  { concurrency: availableParallelism() },
  async (t) => {
    const found: { readonly difference: string; readonly name: string }[] = [];
    assert.ok(Object.keys(conversations).length >= 12);
    await Promise.all(
      Object.entries(conversations).map(([name, make]) =>
        t.test(name, async (context) => {
          const client = await entriesOf(context, '2.1.325', make());
          const ours = await entriesOf(context, 'clew', make());
          const differences = differencesOf(client, ours);
          const unknown = differences.filter((each) => !knownDifferences.some((known) => explains(known, each, name)));
          for (const difference of differences) found.push({ difference, name });
          assert.deepEqual(unknown, []);
        }),
      ),
    );
    await t.test('every known difference exists', () => {
      const gone = knownDifferences
        .filter(({ isRare }) => isRare !== true)
        .flatMap((known) =>
          known.of.filter(
            (one) => !found.some(({ difference, name }) => explains({ ...known, of: [one] }, difference, name)),
          ),
        );
      assert.deepEqual(gone, []);
    });
  },
);

async function entriesOf(t: TestContext, program: Program, conversation: Conversation): Promise<EntryKinds> {
  const home = await openSharedHome(t, { ...defaults, ...conversation });
  for (const turn of conversation.turns) {
    const run = await home.run(program, turn(home, program));
    assert.ok(home.transcripts().length > 0, `${program} wrote no session: ${run.stdout}${run.stderr}`);
  }
  return readKinds(home.folder, placesOf(home.cwd));
}
