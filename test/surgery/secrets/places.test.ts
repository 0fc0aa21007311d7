// How many of the hand-written places of secrets are found, as a tool prints them and within a record of a transcript.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRedactor } from '../../../src/surgery/redactor.ts';
import { makeRuleSet } from '../../../src/surgery/secrets/find.ts';
import { Placeholders } from '../../../src/surgery/secrets/placeholders.ts';
import { redactText } from '../../../src/surgery/secrets/redact-text.ts';
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
    const left = missed(heldOutPlaces, redact);
    const tried = heldOutPlaces.length * seeds.length;
    assert.ok(left.length <= tried * 0.03, `${left.length} of ${tried} are left`);
  });
}

function missed(rows: readonly string[], redact: (text: string) => string): string[] {
  const texts = seeds.flatMap((seed) => placeTexts(rows, seed));
  assert.equal(texts.length, rows.length * seeds.length);
  return texts.filter((place) => isLeft(place, redact(place.text))).map(({ name, text }) => `${name}\n${text}`);
}

function isLeft({ value }: SecretPlaceText, redacted: string): boolean {
  return holdsPartOf(redacted, value);
}
