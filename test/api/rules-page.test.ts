// Keeps the table of docs/api-rules.md in step with the rules.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { apiRules } from '../../src/api/rules/check-request.ts';
import { modelFactsVersion } from '../../src/models/facts.ts';
import { projectRoot } from '../support/paths.ts';
import { ruleCases } from './rule-cases.ts';

const page = readFileSync(path.join(projectRoot, 'docs/api-rules.md'), 'utf8');

test('the page lists every rule with its error, and no other', () => {
  const rows = apiRules.map(
    ({ code, what, status, isFormer, errorText }) =>
      `| \`${code}\` | ${what}${isFormer ? ' (formerly)' : ''} | ${status} | \`\` ${errorText} \`\` |`,
  );
  const start = page.indexOf('| code |');
  assert.deepEqual(page.slice(start).split('\n\n')[0]?.split('\n').slice(2), rows);
});

test('the page names the day of the model facts', () => assert.ok(page.includes(modelFactsVersion)));

test('no two rules have one code', () => {
  const codes = apiRules.map(({ code }) => code);
  assert.deepEqual([...new Set(codes)], codes);
});

/** Error messages of the API, from issues of users. */
const quoted = [
  'messages: at least one message is required',
  'This model does not support assistant message prefill',
  'messages.N: tool_use ids were found without tool_result blocks immediately after: toolu_…. Each tool_use block must have a corresponding tool_result block in the next message.',
  'messages.N.content.K: unexpected tool_use_id found in tool_result blocks: toolu_…. Each tool_result block must have a corresponding tool_use block in the previous message.',
  'tool_use ids must be unique',
  'messages: text content blocks must be non-empty',
  'thinking or redacted_thinking blocks in the latest assistant message cannot be modified',
  'Invalid signature in thinking block',
  'The final block in an assistant message cannot be thinking',
  'expected thinking or redacted_thinking',
  'At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels',
  'image exceeds 5 MB maximum: N bytes > 5242880 bytes',
  'prompt is too long: N tokens > M maximum',
  'The request body is not valid JSON: no low surrogate in string',
  'A maximum of 4 blocks with cache_control may be provided',
];

test('the errors that users quote are those of the rules', () => {
  const ours = ruleCases.flatMap(({ violations }) => violations.map(({ message }) => bare(message)));
  assert.deepEqual(
    quoted.filter((words) => !ours.some((message) => fixedParts(words).every((part) => message.includes(part)))),
    [],
  );
});

function bare(words: string): string {
  return words.replaceAll('`', '').toLowerCase();
}

/** The text between the placeholders. */
function fixedParts(words: string): string[] {
  return bare(words).split(/messages\.n(?:\.content\.k)?|toolu_…|\b[nm]\b/);
}
