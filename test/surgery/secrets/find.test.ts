// Every kind of secret in every position a transcript has it in; what only looks like a secret; what a text costs.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { bundledRules, findSecrets, makeRuleSet } from '../../../src/surgery/secrets/find.ts';
import { Placeholders } from '../../../src/surgery/secrets/placeholders.ts';
import { redactText } from '../../../src/surgery/secrets/redact-text.ts';
import { type FakeSecret, fakeSecrets } from './fake-secrets.ts';

const seeds = [1, 2, 3];
const isShell = ({ text }: FakeSecret) => /^[A-Z_]+=/.test(text);

const positions: Readonly<Record<string, (fake: FakeSecret) => string>> = {
  alone: ({ text }) => text,
  'an .env line': (fake) => (isShell(fake) ? `A=1\nexport ${fake.text}\nB=2\n` : `A=1\nSETTING=${fake.text}\nB=2\n`),
  JSON: ({ text }) => JSON.stringify({ type: 'text', text: `before\n${text}\nafter` }),
  'JSON within JSON': ({ text }) => JSON.stringify({ input: JSON.stringify({ command: `echo hi\n${text}\n` }) }),
  'JSON three deep': ({ text }) => JSON.stringify([JSON.stringify([JSON.stringify([`a\n${text}\n`])])]),
  'a curl command': (fake) =>
    isShell(fake)
      ? `${fake.text} curl https://a.internal`
      : `curl -s https://a.internal -H 'X-Key: 1' -d '${fake.text}' -o x`,
  Markdown: ({ text }) => `# Set-up\n\n- use \`${text}\`, then\n\n\`\`\`sh\n${text}\n\`\`\`\n`,
  colours: ({ text }) => `\x1b[1m\x1b[32m${text}\x1b[0m done`,
};

for (const [position, place] of Object.entries(positions)) {
  test(`every kind of secret is found in ${position}, and nothing of it is left`, () => {
    const wrong: string[] = [];
    for (const fake of seeds.flatMap(fakeSecrets)) {
      const text = place(fake);
      const found = findSecrets(text);
      if (!found.some(({ kind }) => kind === fake.kind))
        wrong.push(`${fake.kind} not found in ${text.slice(0, 90)}: ${found.map((f) => f.kind)}`);
      const redacted = redactText(text, new Placeholders()).text;
      if (holdsPartOf(redacted, fake.value)) wrong.push(`${fake.kind} left in ${redacted.slice(0, 200)}`);
    }
    assert.deepEqual(wrong, []);
  });
}

test('there are more than forty kinds, each with a way to rotate it', () => {
  const kinds = new Set(fakeSecrets(1).map(({ kind }) => kind));
  assert.ok(kinds.size >= 60, `${kinds.size} kinds are tried`);
  assert.deepEqual(
    [...kinds].filter((kind) => !bundledRules.some((rule) => rule.kind === kind)),
    [],
  );
  assert.deepEqual(
    bundledRules.filter(({ rotate, title }) => rotate === '' || title === ''),
    [],
  );
});

test('only the value is found, not the name it is assigned to', () => {
  const wrong: string[] = [];
  for (const fake of fakeSecrets(4)) {
    const found = findSecrets(fake.text);
    const values = found.map(({ start, end }) => fake.text.slice(start, end));
    if (values.length !== 1 || values[0] !== fake.value)
      wrong.push(`${fake.kind}: ${values.join(' AND ').slice(0, 200)}`);
  }
  assert.deepEqual(wrong, []);
});

test('passwords are found as people write them down', () => {
  const password = ['S3cr', '3tPw', '99'].join('');
  const lines = [
    `DB_PASSWORD=${password}`,
    `"DB_PASSWORD": "${password}"`,
    `     3→SMTP_PASS=${password}`,
    `PGPASSWORD=${password} psql -h db`,
    `  password: "${password}"`,
    `spring.datasource.password=${password}`,
    `kubectl create secret generic x --from-literal=password=${password}`,
    `<password>${password}</password>`,
    `machine api.internal login bob password ${password}`,
    `docker login -u bob -p ${password} registry.internal`,
    `sshpass -p "${password}" ssh host`,
    `mysql -u root -p${password} main`,
    `jdbc:postgresql://db/main?user=app&password=${password}`,
    `jdbc:oracle:thin:app/${password}@db:1521`,
    `redis://:${password}@cache:6379`,
    `deploy --password ${password} --force`,
  ];
  assert.deepEqual(
    lines.map((line) => findSecrets(line).map(({ value }) => value)),
    lines.map(() => [password]),
  );
});

test('an OpenSSH key is found although it begins with many equal letters, and one shown in part or with numbered lines', () => {
  const label = ['OPENSSH', 'PRIVATE', 'KEY'].join(' ');
  const head = `b3BlbnNzaC1rZXktdjE${'A'.repeat(5)}BG5vbmUAAAAEbm9uZQ${'A'.repeat(9)}BAAAAMwAAAAtzc2gtZW`;
  const body = [head, randomBytes(48).toString('base64'), randomBytes(48).toString('base64')];
  const lines = [`-----BEGIN ${label}-----`, ...body, `-----END ${label}-----`];
  const numbered = lines.map((line, index) => `     ${index + 1}→${line}`);
  for (const text of [lines, lines.slice(0, 3), numbered, numbered.slice(0, 3)].map((shown) => shown.join('\n'))) {
    assert.deepEqual(
      findSecrets(text).map(({ kind }) => kind),
      ['private-key'],
    );
    const { text: redacted } = redactText(text, new Placeholders());
    assert.deepEqual(
      body.filter((line) => redacted.includes(line)),
      [],
    );
  }
});

test('near misses are not found', () => {
  const wrong: string[] = [];
  for (const { kind, nearMisses } of seeds.flatMap(fakeSecrets)) {
    for (const text of nearMisses) {
      const found = findSecrets(`a line\n${text}\nanother`);
      if (found.length > 0) wrong.push(`${kind}: ${text.slice(0, 90)} → ${found[0]?.kind}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('ids, hashes, pictures and placeholders of documentation are not secrets', () => {
  const hex = (bytes: number) => randomBytes(bytes).toString('hex');
  const base64 = (bytes: number) => randomBytes(bytes).toString('base64');
  for (let round = 0; round < 200; round++) {
    const harmless = [
      crypto.randomUUID(),
      `toolu_01${base64(16).replace(/\W/g, 'a')}`,
      `msg_01${base64(16).replace(/\W/g, 'a')}`,
      `req_011${base64(16).replace(/\W/g, 'a')}`,
      `commit ${hex(20)}`,
      `"integrity": "sha512-${base64(64)}"`,
      `sha256:${hex(32)}`,
      `"data": "${base64(3000)}"`,
      `"signature": "${base64(400)}"`,
      `"token_count": ${round}, "max_tokens": 32000, "tokenizer": "cl100k_base"`,
      `PASSWORD=changeme\nTOKEN=xxx\nAPI_KEY=<your-key>\nSECRET=\${SECRET}\nEMAIL_TOKEN=user@example.com`,
      'const token = process.env.GITHUB_TOKEN2;',
      'the default password policy, the login form password field, a machine learning password strength meter',
      'see the netrc page: machine NAME login USER password PASSWORD, or default password anonymous',
      `AWS_ACCESS_KEY_ID=${'AKIA'}IOSFODNN7${'EXAMPLE'}`,
      `cookie: session`,
    ];
    for (const text of harmless) assert.deepEqual(findSecrets(text), [], text.slice(0, 100));
  }
});

test('findings are in order, apart, and any text gives an answer', () => {
  const parts = fakeSecrets(5).map(({ text }) => text);
  const bit = fc.oneof(
    fc.string(),
    fc.constantFrom(...parts, '\\', '\\n', '%3D', '\x1b[0m', '"', 'password=', '://', '-----BEGIN '),
  );
  fc.assert(
    fc.property(fc.array(bit, { maxLength: 12 }), (bits) => {
      const text = bits.join('');
      let last = 0;
      for (const { start, end } of findSecrets(text)) {
        assert.ok(start >= last && end > start && end <= text.length);
        last = end;
      }
    }),
    { numRuns: 500 },
  );
});

test('the work grows with the length of the text, not faster', () => {
  const units = [
    'password=',
    'token: ',
    '://a:',
    '-----BEGIN RSA ',
    'eyJ',
    'sk-',
    '\\\\',
    'cookie: a=',
    'host=a;',
    'jdbc:',
    '%25',
    'authorization: ',
  ];
  for (const unit of units) {
    const cost = (times: number) => {
      const ruleSet = makeRuleSet();
      findSecrets(unit.repeat(times), ruleSet);
      return ruleSet.work;
    };
    const [small, large] = [cost(500), cost(5000)];
    assert.ok(large.trials <= small.trials * 10 + 100, `${unit}: ${small.trials} → ${large.trials} trials`);
    assert.ok(large.characters <= small.characters * 10 + 100, `${unit}: characters`);
  }
});

test('no bundled pattern repeats without an end', () => {
  const open = bundledRules.filter(({ pattern }) =>
    /(?<!\\)[*+](?![^[]*\])|\{\d+,\}/.test(pattern.source.replace(/\[(?:\\.|[^\]])*\]/g, '[]')),
  );
  assert.deepEqual(
    open.map(({ kind, pattern }) => `${kind} ${pattern.source}`),
    [],
  );
});

function holdsPartOf(text: string, value: string): boolean {
  const lines = value.split(/\n|\\n/).filter((line) => line.length >= 8 && !line.startsWith('-----'));
  return lines.some(
    (line) => text.includes(line) || text.includes(line.slice(0, 12)) || text.includes(line.slice(-12)),
  );
}
