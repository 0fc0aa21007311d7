// Sessions for the tests of the session page: one with every kind of block, and a long one.
import type { JsonObject } from '../../src/base/json/json.ts';
import { text, thinking, toolResult, toolUse, transcript } from '../support/transcript-builder.ts';

export const everythingId = 'aaaaaaaa-0000-4000-a000-000000000001';
export const longId = 'aaaaaaaa-0000-4000-a000-000000000002';
export const liveId = 'aaaaaaaa-0000-4000-a000-000000000004';

const esc = '\u001b';

/** A valid image of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

function called(name: string, id: string, input: JsonObject): readonly JsonObject[] {
  return [toolUse(id, name, input)];
}

function answered(id: string, content: string, toolUseResult?: JsonObject): JsonObject {
  return { message: { content: [toolResult(id, content)] }, ...(toolUseResult === undefined ? {} : { toolUseResult }) };
}

/** Every kind of block, and a second branch. */
export function everything(): string {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: dot } };
  const at = { sessionId: everythingId };
  return transcript(at)
    .user([text('Please look **at** this'), image])
    .assistant([thinking('First I think about it.')])
    .assistant([text('## Plan\n\nA `code` span and\n\n```ts\nconst answer: number = 42;\n```')])
    .assistant(called('Bash', 'c1', { command: 'npm test', description: 'Run the tests' }))
    .result(
      'c1',
      answered('c1', 'ok', { stdout: `${esc}[32mgreen${esc}[0m words`, stderr: 'a warning', interrupted: false }),
    )
    .assistant(
      called('TodoWrite', 'c2', { todos: [{ content: 'Fix it', status: 'in_progress', activeForm: 'Fixing' }] }),
    )
    .result('c2')
    .assistant(called('WebSearch', 'c3', { query: 'weather' }))
    .result(
      'c3',
      answered('c3', 'sunny', {
        query: 'weather',
        results: [
          { tool_use_id: 'x', content: [{ title: 'Sunny days', url: 'https://weather.example/today' }] },
          'It is sunny.',
        ],
        durationSeconds: 1,
      }),
    )
    .assistant(
      called('AskUserQuestion', 'c4', {
        questions: [
          {
            question: 'Which way?',
            header: 'Way',
            options: [
              { label: 'Left', description: 'West' },
              { label: 'Right', description: 'East' },
            ],
          },
        ],
      }),
    )
    .result('c4', answered('c4', 'Left', { questions: [], answers: { 'Which way?': 'Left' } }))
    .assistant(called('ExitPlanMode', 'c5', { plan: '1. Go *left*' }))
    .result('c5')
    .assistant(called('Read', 'c6', { file_path: '/home/dev/widgets/a.ts' }))
    .result('c6', answered('c6', '    7→let hidden = 1;\n    8→let word = 2;'))
    .assistant(called('mcp__shop__buy', 'c7', { item: 'tea' }))
    .result('c7', { message: { content: [toolResult('c7', 'out of tea', { is_error: true })] } })
    .system('api_error', { error: { status: 529, message: 'Overloaded' } })
    .queue('enqueue', 'And hurry')
    .assistant('Working')
    .queue('remove', 'And hurry')
    .assistant('Done with the first turn')
    .user('second prompt')
    .assistant('second answer')
    .boundary({
      trigger: 'manual',
      preTokens: 155_000,
      postTokens: 12_000,
      preservedMessages: { uuids: ['a1'], anchorUuid: 'a1' },
    })
    .summary('What was said before, in short')
    .user('third prompt')
    .assistant('third answer')
    .from('u2')
    .assistant('an answer on another branch', { timestamp: '2026-01-03T09:00:00.000Z' })
    .lastPrompt('a13')
    .text();
}

/** Many prompts in sequence, with a call and its output in every other line. */
export function longSession(lines: number, outputBytes: number): string {
  const builder = transcript({ sessionId: longId });
  const output = `${'output of a command, neither short nor long '.repeat(4)}\n`.repeat(Math.ceil(outputBytes / 176));
  for (let turn = 1; builder.entries.length < lines; turn++) {
    builder.user(`prompt number ${turn}`);
    for (let i = 0; i < 24; i++) {
      const id = `t${turn}-${i}`;
      builder.assistant(called('Bash', id, { command: `step ${i} of turn ${turn}` }));
      builder.result(id, {
        message: { content: [toolResult(id, output)] },
        toolUseResult: { stdout: output, stderr: '', interrupted: false },
      });
    }
    builder.assistant(`answer number ${turn}`);
  }
  builder.user('the last prompt').assistant('the very last words');
  return builder.text();
}
