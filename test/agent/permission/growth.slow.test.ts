// A command can only become stricter by growing: whatever is added to it, before, after or around, no verdict gets freer.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { permissionModes } from '../../../src/agent/contract/confinement.ts';
import type { RuleText } from '../../../src/agent/contract/permission.ts';
import { makeJudge } from '../../../src/agent/permission/judge.ts';
import { parseShell } from '../../../src/agent/permission/shell-command.ts';
import { temporaryFolder } from '../../support/temp-folder.ts';
import { commands, freedom } from './growth-cases.ts';
import { makeProject } from './project.ts';

const runs = process.env.CLEW_LONG === '1' ? 20_000 : 1000;

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
  // Otherwise the property would hold for a judge that always says the same.
  for (const seen of ['allow allow', 'allow ask', 'allow deny', 'ask ask', 'ask deny', 'deny deny'])
    assert.ok(verdicts.has(seen), seen);
});

test('any text at all is parsed, and every command between separators is found', () => {
  const noise = fc.array(
    fc.constantFrom(...'ab $(){}[]<>|&;\'"`\\\n\t#=*?~!-'.split(''), '$(', '${', '<<', '<<E\n', '))', '((', "$'", '<('),
    { maxLength: 40 },
  );
  fc.assert(
    fc.property(noise, (pieces) => {
      assert.ok(Array.isArray(parseShell(pieces.join('')).commands));
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
