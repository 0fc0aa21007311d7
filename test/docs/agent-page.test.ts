// docs/agent.md names a test for each box of the checklist; a renamed test would make it wrong.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { printFlags } from '../../src/cli/flags/print-flags.ts';
import { signalCodes } from '../../src/cli/headless/messages/result.ts';
import { projectRoot } from '../support/paths.ts';

const page = readFileSync(path.join(projectRoot, 'docs/agent.md'), 'utf8');
const rows = [...page.matchAll(/^\| (12\.\d) .*\| `(test\/\S+)`: (.+) \|$/gm)].map(([, box, file, name]) => ({
  box,
  file: file ?? '',
  name: name ?? '',
}));

test('every test that docs/agent.md names for a box exists', () => {
  const missing = rows.filter(({ file, name }) => {
    const full = path.join(projectRoot, file);
    return !existsSync(full) || !readFileSync(full, 'utf8').includes(`'${name}'`);
  });
  assert.deepEqual(missing, []);
});

/** How many boxes each section of the checklist has that the agent was specified with. */
const boxes = { 12.1: 5, 12.2: 5, 12.3: 5, 12.4: 5, 12.5: 5, 12.6: 4, 12.7: 4, 12.8: 5 };

test('docs/agent.md has a row for every box of the checklist', () => {
  const counted = Object.keys(boxes).map((section) => [section, rows.filter(({ box }) => box === section).length]);
  assert.deepEqual(Object.fromEntries(counted), boxes);
});

test('docs/agent.md names every flag and every exit code', () => {
  for (const { name } of printFlags.filter((flag) => flag.name !== '--print')) assert.ok(page.includes(name), name);
  for (const code of Object.values(signalCodes)) assert.ok(page.includes(String(code)), String(code));
});
