// A command can only become stricter by growing: whatever is added to it, before, after or around, no verdict gets freer.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { makeJudge, type RuleText } from '../../../src/agent/permission/judge.ts';
import { parseShell } from '../../../src/agent/permission/shell/parse.ts';
import { permissionModes } from '../../../src/agent/permission-mode.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { makeProject } from './project.ts';

const runs = process.env.CLEW_LONG === '1' ? 20_000 : 300;

const commands = [
  ...[
    'ls',
    'cat src/a.ts',
    'cat /etc/passwd',
    'cat .env',
    'cat ../outside/secret.txt',
    'cat out-link/secret.txt',
    'cat *',
    'pwd',
  ],
  ...[
    'npm test',
    'npm test -- -w',
    'npm run build',
    'rm -rf x',
    '/bin/rm x',
    'git status',
    'git push',
    'git $X',
    'curl x',
    'X=1',
  ],
  ...[
    'cd src',
    'cd ..',
    'cd sub',
    'cd /',
    'cd $X',
    'cat ../README.md',
    'echo $(rm x)',
    'echo `id`',
    'echo "$(cat .env)"',
    'CI=1 npm test',
  ],
  ...[
    'echo a > out',
    'echo a > ../out',
    'echo a > .git/config',
    'mkdir new',
    'cp src/a.ts b',
    'timeout 5 npm test',
    'sudo rm x',
  ],
  ...[
    'bash -c "npm test"',
    'find . -exec rm {} +',
    'xargs npm test',
    'PATH=. npm test',
    'cat <<EOF\nx\nEOF\n',
    'true',
    '',
    'secrets/run',
  ],
];
const simple = fc.constantFrom(...commands);
const joint = fc.constantFrom(' && ', ' || ', '; ', ' | ', ' & ', '\n', ' |& ', ';');
const wrap = fc.constantFrom(
  (text: string) => `(${text}\n)`,
  (text: string) => `{ ${text}\n}`,
  (text: string) => text,
  (text: string) => `! ${text}`,
);
const ruleTexts = fc.subarray<RuleText>([
  { kind: 'allow', text: 'Bash(npm test:*)', source: 'test' },
  { kind: 'allow', text: 'Bash(git *)', source: 'test' },
  { kind: 'allow', text: 'Bash(bash:*)', source: 'test' },
  { kind: 'allow', text: 'Bash', source: 'test' },
  { kind: 'allow', text: 'Edit(/out)', source: 'test' },
  { kind: 'ask', text: 'Bash(git push:*)', source: 'test' },
  { kind: 'deny', text: 'Bash(rm:*)', source: 'test' },
  { kind: 'deny', text: 'Read(.env)', source: 'test' },
]);

const freedom = { deny: 0, ask: 1, allow: 2 } as const;

test('adding a part to a command never makes its verdict more permissive', (context) => {
  const places = makeProject(temporaryFolder(context));
  const verdicts = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(simple, { minLength: 1, maxLength: 4 }),
      simple,
      joint,
      wrap,
      ruleTexts,
      fc.constantFrom(...permissionModes),
      fc.nat(4),
      (parts, more, by, around, rules, mode, at) => {
        const judge = makeJudge({ projectDir: places.project, home: places.home, extraDirs: [places.extra], rules });
        const verdictOf = (command: string) =>
          judge.judge(
            { id: 'toolu_1', name: 'Bash', input: { command } },
            { mode, cwd: places.project, isReadOnly: false },
          );
        const short = verdictOf(parts.join(by)).kind;
        const grown = [...parts.slice(0, at), more, ...parts.slice(at)].join(by);
        const long = verdictOf(around(grown));
        verdicts.add(`${short} ${long.kind}`);
        assert.ok(
          freedom[long.kind] <= freedom[short],
          `${short} for ${JSON.stringify(parts.join(by))}, but ${long.kind} for ${JSON.stringify(around(grown))}`,
        );
      },
    ),
    { numRuns: runs, seed: 7 },
  );
  // Else the property would hold for a judge that always says the same.
  for (const seen of ['allow allow', 'allow ask', 'allow deny', 'ask ask', 'ask deny', 'deny deny'])
    assert.ok(verdicts.has(seen), seen);
});

test('after a command that moves the shell or sets a variable, none is freer than alone', (context) => {
  const places = makeProject(temporaryFolder(context));
  const rules: readonly RuleText[] = [{ kind: 'allow', text: 'Bash(npm test:*)', source: 'test' }];
  const judge = makeJudge({ projectDir: places.project, home: places.home, rules });
  const where = { mode: 'acceptEdits', cwd: places.project, isReadOnly: false } as const;
  const verdictOf = (command: string) => judge.judge({ id: 'toolu_1', name: 'Bash', input: { command } }, where).kind;
  const alone = new Map(commands.map((command) => [command, freedom[verdictOf(command)]]));
  // Those that change what the next one means.
  const before = commands.filter((command) => /^(?:cd|X=|PATH=|cat <<)/.test(command));
  const freer = before.flatMap((a) =>
    commands.flatMap((b) => {
      const bound = Math.min(alone.get(a) ?? 0, alone.get(b) ?? 0);
      return freedom[verdictOf(`${a}; ${b}`)] > bound ? [`${a}; ${b}`] : [];
    }),
  );
  assert.deepEqual(freer, []);
});

test('any text at all is parsed, and every command between separators is found', () => {
  const noise = fc.array(
    fc.constantFrom(...'ab $(){}[]<>|&;\'"`\\\n\t#=*?~!-'.split(''), '$(', '${', '<<', '<<E\n', '))', '((', "$'", '<('),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(noise, (pieces) => {
      const script = parseShell(pieces.join(''));
      assert.equal(script.isCut, false);
    }),
    { numRuns: runs * 5, seed: 11 },
  );
  fc.assert(
    fc.property(
      fc.array(
        fc
          .stringMatching(/^[a-z]{1,8}$/)
          .filter(
            (name) => !/^(if|then|elif|else|fi|while|until|do|done|esac|coproc|for|select|case|function)$/.test(name),
          ),
        { minLength: 1, maxLength: 8 },
      ),
      joint,
      (names, by) => {
        assert.deepEqual(
          parseShell(names.join(by)).commands.map(({ words }) => words.map(({ value }) => value)),
          names.map((name) => [name]),
        );
      },
    ),
    { numRuns: runs, seed: 13 },
  );
});

test('nesting without end is cut, not overflown', () => {
  for (const opener of ['$(', '${a', '"${a"', '`\\`', '(', '<(', '$((', '{ ', '"$(', '${a:-$(']) {
    const script = parseShell(opener.repeat(10_000));
    assert.ok(script.doubts.length > 0 || opener === '{ ', path.basename(opener));
  }
});
