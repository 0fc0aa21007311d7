// Redacting texts: stable placeholders through all copies, known values without their context, nothing changed twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findSecrets } from '../../../src/surgery/secrets/find.ts';
import { Placeholders } from '../../../src/surgery/secrets/placeholders.ts';
import { learnSecrets, redactText } from '../../../src/surgery/secrets/redact-text.ts';
import { parseRuleSet } from '../../../src/surgery/secrets/user-rules.ts';
import { fakeSecrets } from './fake-secrets.ts';

const password = ['k9', '!Zq', '/r"7', 'Lm2'].join('');
const token = `gh${'p_'}${'a1B2c3D4e5F6'.repeat(3)}`;

test('a secret has the same placeholder in every copy, and another secret another number', () => {
  const state = new Placeholders();
  const other = token.replace('a1', 'z9');
  const copies = [
    `use ${token}`,
    JSON.stringify({ a: `x\n${token}` }),
    JSON.stringify([JSON.stringify([token, other])]),
  ];
  assert.deepEqual(
    copies.map((copy) => redactText(copy, state).text),
    [
      'use [redacted:github-token:1]',
      '{"a":"x\\n[redacted:github-token:1]"}',
      '["[\\"[redacted:github-token:1]\\",\\"[redacted:github-token:2]\\"]"]',
    ],
  );
  assert.deepEqual(state.list(), [
    { kind: 'github-token', placeholder: '[redacted:github-token:1]', value: token, count: 3 },
    { kind: 'github-token', placeholder: '[redacted:github-token:2]', value: other, count: 1 },
  ]);
});

test('a secret known from one place is replaced where nothing gives it away, in any escaping', () => {
  const state = new Placeholders();
  learnSecrets(`DB_PASSWORD='${password}'`, state);
  const copies = [
    `login ok with ${password} now`,
    JSON.stringify(`login ok with ${password} now`),
    JSON.stringify(JSON.stringify([password])),
    `?p=${encodeURIComponent(password)}&x=1`,
    JSON.stringify(password).replaceAll('/', '\\/'),
    `\x1b[31m${password.slice(0, 4)}\x1b[0m${password.slice(4)}\x1b[0m`,
  ];
  const placeholder = '[redacted:env-secret:1]';
  assert.deepEqual(
    copies.map((copy) => state.replaceKnown(copy)),
    [
      `login ok with ${placeholder} now`,
      `"login ok with ${placeholder} now"`,
      `"[\\"${placeholder}\\"]"`,
      `?p=${placeholder}&x=1`,
      `"${placeholder}"`,
      `\x1b[31m${placeholder}\x1b[0m`,
    ],
  );
});

test('a secret written in \\u escapes or with escaped slashes is found at once, and its escapes are cut whole', () => {
  const unicode = [...token].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
  assert.equal(
    redactText(`{"a":"\\u003d${unicode}\\u0026"}`, new Placeholders()).text,
    '{"a":"\\u003d[redacted:github-token:1]\\u0026"}',
  );
  const key = `${'wJ4lrXUtnF7/'.repeat(3)}MD3k`;
  assert.equal(
    redactText(`{"secretAccessKey":"${key.replaceAll('/', '\\/')}"}`, new Placeholders()).text,
    '{"secretAccessKey":"[redacted:aws-secret-access-key:1]"}',
  );
});

test('the password inside a Basic header is known afterwards, too', () => {
  const state = new Placeholders();
  const pair = Buffer.from(`deploy:${password}`).toString('base64');
  redactText(`Authorization: Basic ${pair}`, state);
  assert.equal(state.replaceKnown(`echo ${password}`), 'echo [redacted:authorization-header:2]');
});

test('a short known value is replaced only as a whole word', () => {
  const state = new Placeholders();
  state.placeholderOf({ kind: 'env-secret', value: 'winter24' });
  assert.equal(
    state.replaceKnown('winter24, midwinter2400 and winter24s'),
    '[redacted:env-secret:1], midwinter2400 and winter24s',
  );
});

test('JSON stays JSON with the same members, whatever is cut out of it', () => {
  for (const { text } of fakeSecrets(6)) {
    const value = {
      type: 'tool_use',
      id: 'toolu_01',
      input: { command: `run ${text} now`, nested: JSON.stringify({ text }) },
    };
    const redacted = JSON.parse(redactText(JSON.stringify(value), new Placeholders()).text) as typeof value;
    assert.deepEqual(Object.keys(redacted.input), ['command', 'nested']);
    assert.deepEqual(Object.keys(JSON.parse(redacted.input.nested) as object), ['text']);
    assert.equal(redacted.id, value.id);
    assert.ok(redacted.input.command.startsWith('run ') && redacted.input.command.endsWith(' now'));
  }
});

test('rules of a user are added, also without keywords, and values can be allowed', () => {
  const rules = {
    rules: [
      { kind: 'badge', pattern: 'BADGE-(\\d{6})', keywords: ['BADGE-'] },
      { kind: 'plate', pattern: '\\b[A-Z]{2}-\\d{4}\\b' },
    ],
    allow: ['123456', '/^gh.*zz$/'],
  };
  const ruleSet = parseRuleSet(JSON.stringify(rules), 'rules.json');
  const allowed = `gh${'p_'}${'Q7w8E9r0T1y2'.repeat(3)}zz`;
  const far = ' lorem ipsum'.repeat(400);
  const text = `BADGE-654321 BADGE-123456${far} XY-1234 ${allowed} ${token}`;
  assert.equal(
    redactText(text, new Placeholders(), ruleSet).text,
    `BADGE-[redacted:badge:1] BADGE-123456${far} [redacted:plate:1] ${allowed} [redacted:github-token:1]`,
  );
});

test('a rule of a user cannot spoil placeholders', () => {
  const ruleSet = parseRuleSet('{"rules": [{"kind": "any", "pattern": "\\\\w+"}]}', 'rules.json');
  const state = new Placeholders();
  const once = redactText('some words [redacted:jwt:1] here', state, ruleSet).text;
  assert.equal(once, '[redacted:any:1] [redacted:any:2] [redacted:jwt:1] [redacted:any:3]');
  assert.equal(redactText(once, state, ruleSet).text, once);
});

test('a pattern that a text makes slow ends with a line that names the rule', () => {
  const ruleSet = parseRuleSet('{"rules": [{"kind": "slow", "pattern": "\\\\w+\\\\w+\\\\w+\\\\w+!"}]}', 'rules.json');
  assert.throws(() => findSecrets('a'.repeat(5000), ruleSet), {
    name: 'UserError',
    message: 'rule "slow" takes too long on a text; write its pattern with fewer or shorter repetitions',
  });
});

test('mistakes in a rules file are one line that says what to do', () => {
  const next = (text: string) => {
    try {
      parseRuleSet(text, 'r.json');
      return 'accepted';
    } catch (error) {
      return error instanceof Error ? `${error.name}: ${error.message}` : 'not an error';
    }
  };
  const rule = (members: object) => next(JSON.stringify({ rules: [{ kind: 'a', pattern: 'abc', ...members }] }));
  assert.deepEqual(
    [
      next('{'),
      next('{"rule": []}'),
      next('{"rules": {}}'),
      rule({ kind: 'Not a kind' }),
      rule({ pattern: '' }),
      rule({ pattern: '(' }),
      rule({ pattern: '(a+)+$' }),
      rule({ pattern: '(?:a|ab)*c' }),
      rule({ pattern: 'x*' }),
      rule({ pattern: `${'a?'.repeat(9)}z` }),
      rule({ pattern: '(?:a?){30}z' }),
      rule({ flags: 'g' }),
      rule({ keywords: ['ab'] }),
      rule({ group: 1 }),
      next('{"allow": [1]}'),
      rule({ pattern: '[(+*]x{3}|(?:ab)?\\(+', flags: 'i', keywords: ['abc'] }),
    ],
    [
      'UserError: r.json: not a JSON object; write {"rules": [{"kind": …, "pattern": …}], "allow": […]}',
      'UserError: r.json: unknown member "rule"; it takes "rules" and "allow"',
      'UserError: r.json: "rules" is not a list; write "rules": […]',
      'UserError: r.json: rule 1: "kind" is missing or not a name; use up to 40 small letters, digits and dashes',
      'UserError: r.json: rule 1: "pattern" is missing; write a JavaScript regular expression',
      'UserError: r.json: rule 1: Invalid regular expression: /(/: Unterminated group; correct the pattern',
      'UserError: r.json: rule 1: a repeated group with a repetition or a choice inside can take for ever; write the pattern without it',
      'UserError: r.json: rule 1: a repeated group with a repetition or a choice inside can take for ever; write the pattern without it',
      'UserError: r.json: rule 1: the pattern matches an empty text; let it match at least one character',
      'UserError: r.json: rule 1: more than 8 repetitions of varying length; write the pattern without it',
      'UserError: r.json: rule 1: a repeated group with a repetition or a choice inside can take for ever; write the pattern without it',
      'UserError: r.json: rule 1: "flags" is not understood; use any of i, m, s and u',
      'UserError: r.json: rule 1: a keyword is not a text of 3 characters or more; write longer keywords',
      'UserError: r.json: rule 1: unknown member "group"; a rule has kind, pattern, flags, keywords',
      'UserError: r.json: allow 1 is not a text; write the harmless value, or /expression/',
      'accepted',
    ],
  );
});
