// Flags whose value may be left out never take the argument of the command: `strip --tools ID` means that session.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { commands } from '../../src/cli/commands.ts';
import { unsupportedFlags } from '../../src/cli/flags/agent-flags.ts';
import { runClew } from '../support/clew.ts';
import { type Bench, benchWith } from '../support/surgery-kit.ts';
import { sessionId, transcript } from '../support/transcript-builder.ts';

function library(context: TestContext): Bench {
  return benchWith(
    context,
    sessionId,
    transcript().user('go').call('t1').result('t1').assistant('done').user('on').assistant('so').text(),
  );
}

/** Two ways to write the same call; SESSION is a path, ID an id. */
const calls: readonly (readonly [string, string])[] = [
  ['strip --tools SESSION --dry-run', 'strip SESSION --tools --dry-run'],
  ['strip --tools ID --dry-run', 'strip ID --tools --dry-run'],
  ['strip --keep-last 1 --tools ID --dry-run', 'strip ID --keep-last 1 --tools --dry-run'],
  ['strip --tools Read ID --dry-run', 'strip ID --tools Read --dry-run'],
];

for (const [written, meant] of calls)
  test(`clew ${written} is clew ${meant}`, (context) => {
    const { main, root, env } = library(context);
    const run = (call: string) => {
      const words = call.split(' ').map((word) => ({ SESSION: main, ID: sessionId })[word] ?? word);
      const { status, stdout, stderr } = runClew([...words, '--root', root], { env: { CLEW_HOME: env.CLEW_HOME } });
      assert.equal(status, 0, stderr);
      return stdout.replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID');
    };
    assert.equal(run(written), run(meant));
    assert.match(run(written), /dropped|left out|lines/);
  });

test('clew usage --receipts monthly is the monthly report', () => {
  const run = (...words: readonly string[]) => runClew(['usage', ...words, '--demo']).stdout;
  assert.equal(run('--receipts', 'monthly'), run('monthly', '--receipts'));
  assert.notEqual(run('--receipts', 'monthly'), '');
});

test('names of tools stay names of tools, and then the session is missing', () => {
  for (const names of ['Bash', 'Bash,Read', 'mcp__*', 'mcp__a__b'])
    assert.match(runClew(['strip', '--tools', names]).stderr, /strip needs a SESSION/, names);
});

test('every flag of a command with an argument, whose value may be left out, says which words are not its value', () => {
  // Refused with any value.
  const refused = new Set(unsupportedFlags.map(({ flag }) => flag.name));
  const open = commands.flatMap((row) =>
    row.flags
      .filter(
        ({ name, value, notValue, onlyValue }) =>
          value?.startsWith('[') === true && (notValue ?? onlyValue) === undefined && !refused.has(name),
      )
      .map(({ name }) => `${row.name} ${name}`),
  );
  // Its value is the session, and its argument is what to say to it.
  assert.deepEqual(open, ['chat --resume']);
});
