// The rules of docs/memory.md against a hostile library: nothing crosses what they forbid. Each case says what must not be in
// any of its answers; most also say what must be there, so that an empty answer proves nothing.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type HostileCase, hostileCases } from './hostile-cases.ts';
import { type HostileLibrary, makeHostileLibrary } from './hostile-library.ts';
import { type Asker, startMemory } from './memory-kit.ts';

let library: HostileLibrary;
const askers = new Map<string, Promise<Asker>>();
const ends: (() => unknown)[] = [];
const context = { after: (end: () => unknown): unknown => ends.push(end) };

before(async () => {
  library = await makeHostileLibrary(context);
});
// The servers end before their folder is removed.
after(async () => {
  for (const end of ends.reverse()) await end();
});

function askerFor({ server = {} }: HostileCase): Promise<Asker> {
  const options = typeof server === 'function' ? server(library) : server;
  const key = JSON.stringify(options);
  const known = askers.get(key) ?? startMemory(context, library.place, options);
  askers.set(key, known);
  return known;
}

test('there are at least 50 cases', () => {
  assert.ok(hostileCases.length >= 50, String(hostileCases.length));
});

for (const each of hostileCases) {
  test(each.name, async () => {
    const asker = await askerFor(each);
    const answers: string[] = [];
    for (const ask of each.ask(library)) answers.push(await ask(asker));
    const all = answers.join('\n');
    for (const text of each.has?.(library) ?? [])
      assert.ok(all.includes(text), `${JSON.stringify(text)} is missing in:\n${all}`);
    for (const text of each.hasNot(library))
      assert.ok(!all.includes(text), `${JSON.stringify(text)} crossed in:\n${all}`);
    for (const marker of each.quoted ?? []) {
      const lines = answers.flatMap((answer) => answer.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/));
      const found = lines.filter((line) => line.includes(marker));
      assert.ok(found.length > 0, `${marker} is missing in:\n${all}`);
      assert.deepEqual(
        found.filter((line) => !line.startsWith('| ')),
        [],
      );
    }
    // Whatever was asked, no answer has a character that moves or hides text.
    for (const answer of answers) {
      assert.doesNotMatch(answer, /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b\u2028\u2029\ufeff]/);
      assert.doesNotMatch(answer, /[\u{e0000}-\u{e007f}]/u);
    }
  });
}
