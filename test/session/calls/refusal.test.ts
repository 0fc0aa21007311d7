import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRefusal, refusalText } from '../../../src/session/calls/refusal.ts';

const rejected =
  "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file).";

test('what the user ended is told from what failed, by the words of the client', () => {
  const table: readonly (readonly [result: string, tool: string, outcome: string | undefined])[] = [
    [`${rejected} STOP what you are doing.`, 'Edit', 'You declined this edit'],
    [
      `${rejected} How to proceed, the user said:\nuse pnpm\nplease`,
      'Bash',
      'You declined this command: use pnpm\nplease',
    ],
    [
      `${rejected} The user provided the following reason for the rejection:  use pnpm`,
      'Write',
      'You declined this file: use pnpm',
    ],
    [
      "The user doesn't want to take this action right now. STOP what you are doing.",
      'mcp__x__y',
      'You declined this call',
    ],
    ["Error: The user doesn't want to proceed with this tool use.", 'ExitPlanMode', 'You declined this plan'],
    ['[Request interrupted by user for tool use]\n# My Project', 'Bash', 'Interrupted'],
    ['Exit code 137\n[Request interrupted by user for tool use]', 'Bash', 'Interrupted'],
    ["[Tool call interrupted: the session ended before this call's result was recorded]", 'Bash', 'Interrupted'],
    ['Exit code 1\nnpm ERR!', 'Bash', undefined],
    ["grep: The user doesn't want to proceed with this tool use", 'Bash', undefined],
    ['Permission to use Bash has been denied.', 'Bash', undefined],
    ['', 'Bash', undefined],
  ];
  for (const [result, tool, outcome] of table) {
    const refusal = readRefusal(result);
    assert.equal(refusal === undefined ? undefined : refusalText(tool, refusal), outcome, result);
  }
});
