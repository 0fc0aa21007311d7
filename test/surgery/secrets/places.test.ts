// How many of the hand-written places of secrets are found, as a tool prints them and within a record of a transcript.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../../../src/surgery/redact/redactor.ts';
import { makeRuleSet } from '../../../src/surgery/secrets/find.ts';
import { Placeholders } from '../../../src/surgery/secrets/placeholders.ts';
import { redactText } from '../../../src/surgery/secrets/redact-text.ts';
import { blindPlaces } from './blind-places.ts';
import { heldOutPlaces } from './held-out-places.ts';
import { morePlaces } from './more-places.ts';
import { places } from './places.ts';
import { holdsPartOf, placeTexts, type SecretPlaceText } from './secret-places.ts';

const seeds = [1, 2];
const ruleSet = makeRuleSet();

const forms: Readonly<Record<string, (text: string) => string>> = {
  'in a text': (text) => redactText(text, new Placeholders(), ruleSet).text,
  'in a record': (text) =>
    createRedactor(ruleSet)
      .redactLine(Buffer.from(JSON.stringify({ message: { content: [{ type: 'tool_result', content: text }] } })))
      .toString(),
};

for (const [form, redact] of Object.entries(forms)) {
  test(`every secret of the table is replaced ${form}`, () => {
    assert.deepEqual(missed([...places, ...morePlaces], redact), []);
  });

  test(`at least 97 % of the secrets that no rule was written for are replaced ${form}`, () => {
    for (const [rows, least] of [
      [heldOutPlaces, 100],
      [blindPlaces, 120],
    ] as const) {
      const left = missed(rows, redact);
      const tried = rows.length * seeds.length;
      assert.ok(rows.length >= least);
      assert.ok(left.length <= tried * 0.03, `${left.length} of ${tried} are left:\n${left.join('\n')}`);
    }
  });
}

test('what is replaced was learned before: where nothing is learned, nothing needs to be looked for again', () => {
  const rows = [...places, ...morePlaces, ...heldOutPlaces, ...blindPlaces];
  const unlearned = placeTexts(rows, 3).filter(({ text }) => {
    const line = Buffer.from(JSON.stringify({ message: { content: [{ type: 'tool_result', content: text }] } }));
    const redactor = createRedactor(ruleSet);
    redactor.learn(line);
    return redactor.list().length === 0 && !createRedactor(ruleSet).redactLine(line).equals(line);
  });
  assert.deepEqual(unlearned, []);
});

function missed(rows: readonly string[], redact: (text: string) => string): string[] {
  const texts = seeds.flatMap((seed) => placeTexts(rows, seed));
  assert.equal(texts.length, rows.length * seeds.length);
  return texts.filter((place) => isLeft(place, redact(place.text))).map(({ name, text }) => `${name}\n${text}`);
}

function isLeft({ value }: SecretPlaceText, redacted: string): boolean {
  return holdsPartOf(redacted, value);
}
