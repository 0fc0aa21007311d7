// Records which keys client 2.1.325 writes, with the types of their values, for the conversations that
// test/agent/session/entry-keys.test.ts repeats without the client. No values are recorded.
//   npx tsc -p . && node build/test/interop/record-entry-keys.js
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { conversations, defaults } from './entry-scenarios.ts';
import { keysFile, readKinds, recordedConversations } from './entry-shape.ts';
import { openSharedHome } from './shared-home.ts';

test('records', async (t) => {
  const table: Record<string, Record<string, Record<string, string>>> = {};
  for (const name of recordedConversations) {
    const conversation = conversations[name]?.() ?? { turns: [] };
    const home = await openSharedHome(t, { ...defaults, ...conversation });
    for (const turn of conversation.turns) await home.run('2.1.325', turn(home, '2.1.325'));
    const kinds = [...readKinds(home.folder, {})].filter(([kind]) => !/attachment|api-request|cost-state/.test(kind));
    table[name] = Object.fromEntries(
      kinds
        .sort()
        .map(([kind, { shape }]) => [
          kind,
          Object.fromEntries([...shape].sort().map(([at, types]) => [at, [...types].sort().join(' ')])),
        ]),
    );
  }
  writeFileSync(keysFile, `${JSON.stringify(table, null, 1)}\n`);
});
