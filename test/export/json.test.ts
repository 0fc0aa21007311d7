// The JSON of an export: exactly the fields that docs/export.md lists, and the numbers of the other reports.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { isArray, isObject, type JsonValue, parseJson } from '../../src/base/json/json.ts';
import { exportJson } from '../../src/export/json.ts';
import { sessionUsage } from '../../src/session/facts/session-usage.ts';
import { filesBelow, projectRoot } from '../support/paths.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../support/session-text.ts';
import { recordings } from '../support/transcripts.ts';
import { sourceFrom, sourceOf, textFrom } from './kit.ts';

test('every object has exactly the fields that docs/export.md lists for it', async (context) => {
  const secret = `AK${'IA'}Q7ZR3MTW5XK2VB4N`;
  const made = await sourceFrom(
    context,
    sessionText([user(`key ${secret}`), { type: 'queue-operation', operation: 'enqueue', content: 'and then' }]),
  );
  const files = [
    ...filesBelow(path.join(projectRoot, 'demo/projects'), '.jsonl').filter((file) => !file.includes('subagents')),
    path.join(recordings, 'real/2.1.150/compact/-home-dev-widgets/a07eca6d-a4f7-4a12-9bab-83c2627b91db.jsonl'),
  ];
  const printed = new Map<string, Set<string>>();
  const subjects = [made, ...(await Promise.all(files.map((file) => sourceOf(file))))];
  for (const source of subjects) collect('', parseJson(await textFrom(exportJson(source))) ?? null, printed);
  const found = [...printed].map(([place, keys]) => [place, ...keys]).sort();
  assert.deepEqual(found, [...documentedFields()].sort());
});

test('a session becomes this object', async (context) => {
  const source = await sourceFrom(
    context,
    sessionText([
      user('go'),
      assistant([{ type: 'thinking', thinking: 'hm', signature: '' }, toolUse('toolu_1', 'Bash', { command: 'ls' })], {
        message: { id: 'msg_a' },
      }),
      user([toolResult('toolu_1', 'a.ts')]),
      assistant('done', { message: { id: 'msg_b' } }),
    ]),
  );
  const value = parseJson(await textFrom(exportJson(source)));
  const uuid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
  const at = (second: number): string => `2026-03-01T10:00:0${second}.000Z`;
  const totals = (messages: number): object => ({
    inputTokens: 10 * messages,
    outputTokens: 20 * messages,
    cacheReadTokens: 0,
    cacheWrite5mTokens: 0,
    cacheWrite1hTokens: 0,
    messages,
    outputIsLowerBound: false,
  });
  const answer = { role: 'assistant', kind: 'answer', model: 'claude-sonnet-4-5', stopReason: 'end_turn' };
  assert.deepEqual(isObject(value) ? [value.turns, value.usage, value.redaction] : [], [
    [
      {
        index: 1,
        startedAt: at(0),
        prompt: { kind: 'plain', text: 'go', uuid: uuid(1), timestamp: at(0) },
        messages: [
          {
            role: 'user',
            kind: 'human',
            id: null,
            model: null,
            stopReason: null,
            timestamp: at(0),
            uuids: [uuid(1)],
            content: [{ type: 'text', text: 'go' }],
          },
          {
            ...answer,
            id: 'msg_a',
            timestamp: at(1),
            uuids: [uuid(2)],
            content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }],
          },
          { ...answer, id: 'msg_b', timestamp: at(3), uuids: [uuid(4)], content: [{ type: 'text', text: 'done' }] },
        ],
        toolCalls: [
          {
            id: 'toolu_1',
            name: 'Bash',
            input: { command: 'ls' },
            startedAt: at(1),
            durationMs: 1000,
            isAnswered: true,
            isError: false,
            content: [{ type: 'text', text: 'a.ts' }],
            agentId: null,
          },
        ],
        usage: totals(2),
      },
    ],
    totals(2),
    { isRedacted: true, secrets: [] },
  ]);
});

test('usage is that of every other report, sub-agents included', async () => {
  const file = path.join(projectRoot, 'demo/projects/-home-ada-lighthouse/463b11e7-f2cd-4a8c-b793-f776502024ef.jsonl');
  const source = await sourceOf(file);
  const value = parseJson(await textFrom(exportJson(source)));
  assert.deepEqual(isObject(value) ? value.usage : undefined, sessionUsage(source.session));
});

function documentedFields(): [string, string][] {
  const page = readFileSync(path.join(projectRoot, 'docs/export.md'), 'utf8');
  return page
    .split(/^### /m)
    .slice(1)
    .flatMap((section) => {
      const [heading = ''] = section.split('\n');
      const keys = [...section.matchAll(/^\| `(\w+)` \|/gm)].map(([, key]) => key).join(' ');
      return [...heading.matchAll(/`([^`]*)`/g)].map(([, place = '']): [string, string] => [place, keys]);
    });
}

/** `clew-session.turns[].prompt` → its keys. Blocks and inputs are not ours. */
function collect(place: string, value: JsonValue, into: Map<string, Set<string>>): void {
  if (isArray(value)) for (const item of value) collect(`${place}[]`, item, into);
  else if (isObject(value)) {
    const name = `clew-session${place}`.replace(/^clew-session\.agents\[\]\.turns/, 'clew-session.turns');
    into.set(name, (into.get(name) ?? new Set()).add(Object.keys(value).join(' ')));
    for (const [key, inner] of Object.entries(value)) {
      if (key !== 'content' && key !== 'input' && inner !== undefined) collect(`${place}.${key}`, inner, into);
    }
  }
}
