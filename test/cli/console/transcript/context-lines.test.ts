// /context as lines: at every width, with and without colour, and for names that come from files and servers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import type { ContextUsage } from '../../../../src/agent/contract/context-usage.ts';
import { displayWidth } from '../../../../src/base/text/terminal-text.ts';
import { contextLines } from '../../../../src/cli/console/transcript/context-lines.ts';
import { createStyle } from '../../../../src/cli/terminal/style.ts';

const usage: ContextUsage = {
  model: 'claude-test-1',
  windowTokens: 200_000,
  usedTokens: 170_000,
  basis: 'anchored',
  categories: [
    { id: 'system_prompt', name: 'System prompt', tokens: 3000, kind: 'used' },
    { id: 'memory_files', name: 'Memory files', tokens: 10, kind: 'used' },
    { id: 'messages', name: 'Messages', tokens: 166_990, kind: 'used' },
    { id: 'free_space', name: 'Free space', tokens: 20_000, kind: 'free' },
    { id: 'autocompact_buffer', name: 'Autocompact buffer', tokens: 10_000, kind: 'buffer' },
  ],
  systemTools: [],
  mcpTools: Array.from({ length: 10 }, (_, i) => ({
    name: `mcp__lamps__light${i}`,
    source: 'lamps',
    tokens: i,
    server: 'lamps',
  })),
  memoryFiles: [{ name: '/work/日本/CLAUDE.md\x1b[31m\n', source: 'project', tokens: 10 }],
  agents: [],
  skills: [],
};

function drawn(columns: number, color = false): readonly string[] {
  return contextLines(usage, { style: createStyle(color), columns, rows: 24, nowMs: 0, cwd: '/work' });
}

test('the bar shows every category in proportion, the table its tokens, the lists the largest parts', () => {
  assert.deepEqual(drawn(60), [
    'Context',
    `  ██▦${'■'.repeat(43)}${'·'.repeat(6)}${'╳'.repeat(4)}`,
    '  170k of 200k tokens (85.0%), claude-test-1, as the API c…',
    '',
    '  █ System prompt             3.0k   1.5%',
    '  ▦ Memory files                10  <0.1%',
    '  ■ Messages                  167k  83.5%',
    '  · Free space               20.0k  10.0%',
    '  ╳ Autocompact buffer       10.0k   5.0%',
    '',
    '  MCP tools',
    ...[9, 8, 7, 6, 5, 4, 3, 2].map((i) => `    mcp__lamps__light${i} (lamps)${' '.repeat(27)}${i}`),
    '    … 2 more',
    '',
    '  Memory files',
    `    /work/日本/CLAUDE.md (project)${' '.repeat(22)}10`,
    '',
    '  Nearly full: /compact frees space, /clear starts a new s…',
  ]);
});

test('it fits every width, and says the same without colour', () => {
  for (const columns of [24, 40, 80, 200]) {
    const lines = drawn(columns);
    assert.deepEqual(
      lines.filter((line) => displayWidth(line) > columns),
      [],
    );
    assert.deepEqual(drawn(columns, true).map(stripVTControlCharacters), lines);
  }
});
