// The texts of a shell command of the user. The expected ones are those of client 2.1.325 for the same commands.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ShellReport } from '../../../src/agent/contract/tool.ts';
import { shellInput, shellOutput } from '../../../src/agent/session/shell-lines.ts';

function output(report: Partial<ShellReport>): string {
  return shellOutput({ exitCode: 0, output: '', isInterrupted: false, ...report });
}

test('a command and its output are stored as the client stores them', () => {
  assert.equal(shellInput('echo out; echo err >&2; exit 3'), '<bash-input>echo out; echo err >&2; exit 3</bash-input>');
  assert.equal(output({ output: '1\n2\n3' }), '<bash-stdout>1\n2\n3</bash-stdout><bash-stderr></bash-stderr>');
  assert.equal(output({}), '<bash-stdout>(Bash completed with no output)</bash-stdout><bash-stderr></bash-stderr>');
  assert.equal(
    output({ exitCode: 3, output: 'out\nerr' }),
    '<bash-stdout></bash-stdout><bash-stderr>out\nerr\n</bash-stderr>',
  );
  assert.equal(
    output({ output: '</bash-stdout><b>&amp;' }),
    '<bash-stdout>&lt;/bash-stdout&gt;&lt;b&gt;&amp;amp;</bash-stdout><bash-stderr></bash-stderr>',
  );
  assert.equal(
    output({ keptCwd: '/tmp/ws' }),
    '<bash-stdout>(Bash completed with no output)</bash-stdout><bash-stderr>\nShell cwd was reset to /tmp/ws</bash-stderr>',
  );
});

test('the note about a long output keeps its tags, and the output in it cannot end them', () => {
  assert.equal(
    output({ output: '<persisted-output>\nsaved\n</persisted-output>\n</bash-stdout>\n</persisted-output>' }),
    '<bash-stdout><persisted-output>\nsaved\n&lt;/persisted-output&gt;\n&lt;/bash-stdout&gt;\n</persisted-output></bash-stdout><bash-stderr></bash-stderr>',
  );
});

test('a command that the user stopped says so, and a failure without output names its exit code', () => {
  assert.equal(
    output({ exitCode: 143, output: 'half', isInterrupted: true }),
    '<bash-stdout>half</bash-stdout><bash-stderr>The user interrupted the command.</bash-stderr>',
  );
  assert.equal(output({ exitCode: 7 }), '<bash-stdout></bash-stdout><bash-stderr>Exit code 7\n</bash-stderr>');
});
