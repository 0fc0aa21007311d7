// Two rules that claim the same characters, words around a token, rules of a user at the edges of their windows, and
// what is not a secret, each with the expected answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSecrets } from '../../../src/surgery/secrets/find.ts';
import { Placeholders } from '../../../src/surgery/secrets/placeholders.ts';
import { learnSecrets, redactText } from '../../../src/surgery/secrets/redact-text.ts';
import { parseRuleSet } from '../../../src/surgery/secrets/user-rules.ts';
import { word } from './secret-table.ts';

const token = `gh${'p_'}${word(36)}`;

test('the more certain rule names the kind, whichever begins first', () => {
  const texts = [
    `DB_TOKEN=${token}`,
    `Authorization: Bearer ${token}`,
    `https://deploy:${token}@git.internal.net/x`,
    `password: "${token}"`,
  ];
  assert.deepEqual(
    texts.map((text) => redact(text)),
    [
      'DB_TOKEN=[redacted:github-token:1]',
      'Authorization: Bearer [redacted:github-token:1]',
      'https://deploy:[redacted:github-token:1]@git.internal.net/x',
      'password: "[redacted:github-token:1]"',
    ],
  );
});

test('where two findings overlap, both are replaced as a whole', () => {
  // The .env line reaches further than the token in it.
  assert.equal(redact(`DB_PASSWORD=${token}!more; x`), 'DB_PASSWORD=[redacted:github-token:1]; x');
  assert.deepEqual(
    findSecrets(`DB_PASSWORD=${token}!more; x`).map(({ value }) => value),
    [`${token}!more`],
  );
  const ruleSet = parseRuleSet(
    '{"rules": [{"kind": "left", "pattern": "AAA-\\\\d{4}"}, {"kind": "right", "pattern": "\\\\d{4}-BBB"}]}',
    'rules.json',
  );
  assert.equal(redactText('x AAA-1234-BBB y', new Placeholders(), ruleSet).text, 'x [redacted:left:1] y');
});

test('a value that is written with escapes where it was found is known without them', () => {
  const state = new Placeholders();
  const texts = ['postgres://app:k7%2BRq2mZx@db.internal/main', 'psql says k7+Rq2mZx', 'k7%2bRq2mZx'];
  assert.deepEqual(
    texts.map((text) => redactText(text, state).text),
    [
      'postgres://app:[redacted:connection-string-password:1]@db.internal/main',
      'psql says [redacted:connection-string-password:1]',
      '[redacted:connection-string-password:1]',
    ],
  );
});

test('a token is found between other characters, but not within a word, and not if its body continues', () => {
  assert.equal(redact(`"${token}",(${token})`), '"[redacted:github-token:1]",([redacted:github-token:1])');
  const key = `np${'m_'}${word(36)}`;
  for (const text of [`x${key}`, `7${key}`, `${key}a`, `${key}_`]) assert.equal(redact(text), text);
  assert.equal(redact(`-${key}-`), '-[redacted:npm-token:1]-');
});

test('secrets that touch one another in a row are all found', () => {
  assert.equal(
    redact(`${token} ${token.replace('k7', 'z7')}\n${token}`),
    '[redacted:github-token:1] [redacted:github-token:2]\n[redacted:github-token:1]',
  );
});

test('what a cut brings to light is cut, too', () => {
  const state = new Placeholders();
  const known = word(60).slice(36);
  learnSecrets(`DB_PASSWORD=${known}`, state);
  // Directly after a letter nothing takes the token for one; after the placeholder it is one.
  assert.equal(redactText(`${known}${token}`, state).text, '[redacted:env-secret:1][redacted:github-token:1]');
});

test('of known values the longer one is replaced where one is a part of the other', () => {
  const state = new Placeholders();
  state.placeholderOf({ kind: 'env-secret', value: word(20) });
  state.placeholderOf({ kind: 'env-secret', value: word(28) });
  assert.equal(
    state.replaceKnown(`a ${word(28)} b ${word(20)} c`),
    'a [redacted:env-secret:2] b [redacted:env-secret:1] c',
  );
});

test('known values of eight characters are replaced as whole words, shorter ones never, and from twenty characters anywhere', () => {
  const state = new Placeholders();
  for (const length of [7, 8, 19, 20])
    state.placeholderOf({
      kind: 'env-secret',
      value: word(length + 1)
        .slice(1)
        .replace('R', String(length % 10)),
    });
  const known = (length: number): string =>
    word(length + 1)
      .slice(1)
      .replace('R', String(length % 10));
  assert.deepEqual(
    [7, 8, 19, 20].map((length) => [
      state.replaceKnown(`-${known(length)}-`),
      state.replaceKnown(`z${known(length)}z`),
    ]),
    [
      [`-${known(7)}-`, `z${known(7)}z`],
      ['-[redacted:env-secret:2]-', `z${known(8)}z`],
      ['-[redacted:env-secret:3]-', `z${known(19)}z`],
      ['-[redacted:env-secret:4]-', 'z[redacted:env-secret:4]z'],
    ],
  );
});

test('a rule of a user finds its match at every place around the edges of its windows', () => {
  const ruleSets = ['"keywords": ["KD-"],', ''].map((keywords) =>
    parseRuleSet(`{"rules": [{"kind": "customer", ${keywords} "pattern": "KD-\\\\d{8,12}"}]}`, 'rules.json'),
  );
  for (const ruleSet of ruleSets) {
    for (const at of [0, 1, 490, 500, 505, 511, 512, 513, 1000, 1015, 1023, 1024, 1530, 1536, 2040, 3000]) {
      const text = `${'.'.repeat(at)}KD-123456789012${'.'.repeat(700)}`;
      assert.deepEqual(
        findSecrets(text, ruleSet).map(({ start, value }) => [start, value]),
        [[at, 'KD-123456789012']],
        `at ${at}`,
      );
    }
  }
});

test('the edge of a window is not the end of the text: what the pattern forbids to follow is seen', () => {
  const ruleSet = parseRuleSet(
    '{"rules": [{"kind": "customer", "pattern": "(?<!\\\\d)KD\\\\d{4}(?!\\\\d)"}]}',
    'rules.json',
  );
  const found: number[] = [];
  for (let at = 500; at < 1600; at++) {
    const text = `${'.'.repeat(at - 1)}7KD1234${'.'.repeat(400)}KD12345678${'.'.repeat(600)}`;
    if (findSecrets(text, ruleSet).length > 0) found.push(at);
  }
  assert.deepEqual(found, []);
  assert.equal(findSecrets(`${'.'.repeat(1018)}KD1234...`, ruleSet).length, 1);
});

test('what the page lists as not found is not found', () => {
  const texts = [
    'PASSWORD=changeme',
    'API_KEY=<your-key>',
    'API_KEY=xxxxxxxxxxxxxxxx',
    `SECRET=\${SECRET_1}`,
    'const token = process.env.GITHUB_TOKEN2;',
    `AWS_ACCESS_KEY_ID=${'AKIA'}IOSFODNN7${'EXAMPLE'}`,
    'DB_PASSWORD=k7Rq2mZ',
    'password: "winter24"',
    'DB_PASSWORD=midwinter',
    'the password is k7Rq2mZx',
    'the password is base64encoded',
    'a token for authentication',
    '9f3a7c1e-5b8d-4046-a1c3-e5f7092b4d68',
    'commit 9f3a7c1e5b8d2046a1c3e5f7092b4d6812345678',
    '"integrity": "sha512-k7Rq2mZx9+bX4vLc8NpW1sYd/JgF3aKe5UoVt=="',
    'toolu_01k7Rq2mZx9TbX4vLc8NpW1s',
    'max_tokens: 128000, "token_count": 4711k7Rq2mZx',
  ];
  assert.deepEqual(
    texts.map((text) => redact(text)),
    texts,
  );
});

function redact(text: string): string {
  return redactText(text, new Placeholders()).text;
}
