// The keys of our entries and the types of their values are those that client 2.1.325 wrote for the same conversations
// (recordings/entry-keys.json), but for the known differences. test/interop/entries.test.ts compares with the client itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asObject } from '../../../src/base/json/json.ts';
import { explains, knownDifferences } from '../../interop/entry-differences.ts';
import { conversations, defaults } from '../../interop/entry-scenarios.ts';
import { readKinds, recordedConversations, recordedShapes, shapeDifferences } from '../../interop/entry-shape.ts';
import { chooseReply } from '../../interop/mock-reply.ts';
import { startAgent } from '../../support/agent-kit.ts';
import { writeTree } from '../../support/temp-folder.ts';

for (const name of recordedConversations)
  test(`entries have the keys of the client: ${name}`, async (t) => {
    const conversation = conversations[name]?.();
    assert.ok(conversation !== undefined);
    let folder = '';
    const scripts = () => (conversation.scripts ?? defaults.scripts)(folder);
    const kit = await startAgent(t, ({ body }) => {
      const { reply } = chooseReply(asObject(body) ?? {}, scripts());
      assert.ok('blocks' in reply);
      return { blocks: reply.blocks };
    });
    folder = kit.cwd;
    writeTree(kit.cwd, conversation.files ?? defaults.files ?? {});
    // The prompt as in the comparison with the client; none of these turns needs a program.
    const turn = conversation.turns[0]?.({} as never, 'clew');
    assert.equal((await kit.agent.prompt(turn?.prompt ?? '')).outcome, 'success');
    await kit.agent.close('exit');
    const ours = readKinds(kit.root, {});
    const recorded = recordedShapes(name);
    assert.ok(recorded.size >= 5);
    const kinds = [...recorded.keys()].filter((kind) => ours.has(kind));
    assert.ok(kinds.includes('user') && kinds.some((kind) => kind.startsWith('assistant/')));
    const differences = [
      ...[...recorded.keys()].filter((kind) => !ours.has(kind)).map((kind) => `${kind}: missing`),
      ...kinds.flatMap((kind) =>
        shapeDifferences(kind, recorded.get(kind) ?? new Map(), ours.get(kind)?.shape ?? new Map()),
      ),
    ];
    const known = knownDifferences.filter(({ isRare }) => isRare !== true);
    assert.deepEqual(
      differences.filter((each) => !known.some((one) => explains(one, each, name))),
      [],
    );
  });
