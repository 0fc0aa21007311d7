// Published and recorded transcripts and the demo hold no secrets, so whatever is found in them is a false finding. The
// limit is one in 1,000 lines; the list of those that were looked at by hand and are let pass is empty.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isArray, isObject, type JsonValue } from '../../../src/base/json/json.ts';
import { findSecrets, makeRuleSet } from '../../../src/surgery/secrets/find.ts';
import { corpusValues } from '../../support/corpus-values.ts';
import { demoProjects } from '../../support/demo-library.ts';

for (const corpus of ['public', 'real'] as const) {
  test(`nothing in the ${corpus} corpus is taken for a secret`, () => {
    const ruleSet = makeRuleSet();
    const found: string[] = [];
    const look = (text: string) => {
      for (const { kind, start, end } of findSecrets(text, ruleSet))
        found.push(`${kind}: ${text.slice(Math.max(0, start - 30), Math.min(end, start + 40))}`);
    };
    let lines = 0;
    for (const value of corpusValues(corpus)) {
      lines++;
      for (const text of stringsOf(value)) look(text);
      // The line as it is written shows names next to their values, which the strings alone do not.
      look(JSON.stringify(value));
    }
    assert.ok(lines > 3000, `only ${lines} lines were looked at`);
    assert.deepEqual(found, []);
    // Decoding and looking again is what a text costs; the patterns are tried at a small part of the places.
    assert.ok(ruleSet.work.trials < ruleSet.work.characters / 100);
  });
}

test('nothing in the files of the demo is taken for a secret', () => {
  const files = Object.entries(demoProjects());
  assert.ok(files.length > 5, `only ${files.length} files were looked at`);
  const ruleSet = makeRuleSet();
  const found = files.flatMap(([name, bytes]) =>
    [name, ...bytes.toString('utf8').split('\n')].flatMap((text) => findSecrets(text, ruleSet)),
  );
  assert.deepEqual(found, []);
});

function* stringsOf(value: JsonValue): Generator<string> {
  const left: (JsonValue | undefined)[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') yield next;
    else if (isArray(next)) left.push(...next);
    else if (isObject(next)) left.push(...Object.values(next));
  }
}
