// One session with an item of every kind → every sink shows the same items, each in its own form.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import type { JsonObject } from '../../../src/base/json/json.ts';
import { tailObjects } from '../../../src/cli/tail/json.ts';
import { TailText } from '../../../src/cli/tail/render.ts';
import { createStyle } from '../../../src/cli/terminal/style.ts';
import { exportMarkdown } from '../../../src/export/markdown/markdown.ts';
import { turnViews } from '../../../src/export/page/turn-view.ts';
import { exportSource } from '../../../src/export/source/source.ts';
import type { Item as PageItem } from '../../../src/export/wire/view.ts';
import { scanRecord } from '../../../src/format/scan/scan.ts';
import type { NewRecord } from '../../../src/library/watch/follow.ts';
import type { Item } from '../../../src/session/items/item.ts';
import { loadSession, type Session } from '../../../src/session/load/session.ts';
import { Story } from '../../../src/session/story/story.ts';
import { liveLines } from '../../../src/web/server/answers/tail-answers.ts';
import { textFrom } from '../../export/kit.ts';
import { runClew } from '../../support/clew.ts';
import { assistant, sessionText, toolResult, toolUse, user } from '../../support/session-text.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const id = '3f2b8c1e-0000-4000-8000-000000000001';
const uuid = (line: number) => `00000000-0000-4000-8000-${String(line).padStart(12, '0')}`;
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };

/** Line 9 continues line 7: line 8 is another branch. Line 16 is a summary without a boundary, as 1.0 wrote it. */
const lines: readonly JsonObject[] = [
  user([
    { type: 'text', text: '<ide_selection>the selection</ide_selection>' },
    { type: 'text', text: 'the prompt' },
  ]),
  user('the injected text', { isMeta: true }),
  assistant([{ type: 'thinking', thinking: 'the thought', signature: 's' }]),
  assistant([{ type: 'text', text: 'the answer' }, image, { type: 'odd_block' }]),
  assistant([toolUse('t1', 'Bash', { command: 'the command' })]),
  user([toolResult('t1', '<tool_use_error>the output</tool_use_error>', true)]),
  { type: 'attachment', attachment: { type: 'queued_command', prompt: 'the queued prompt' } },
  user('the other branch'),
  assistant([toolUse('t2', 'Agent', { description: 'the task' })], { parentUuid: uuid(7) }),
  user([toolResult('t2', 'the report')]),
  { type: 'system', subtype: 'api_error', error: { status: 529, message: 'the failure' } },
  user('[Request interrupted by user]'),
  { type: 'system', subtype: 'compact_boundary', content: 'x', compactMetadata: { trigger: 'auto' } },
  user('the summary', { isCompactSummary: true }),
  assistant('the second answer'),
  user('the old summary', { isCompactSummary: true }),
];

async function sessionOfEveryKind(context: { after(end: () => void): void }): Promise<Session> {
  const folder = temporaryFolder(context);
  writeTree(folder, {
    [`${id}.jsonl`]: sessionText(lines, { sessionId: id }),
    [`${id}/subagents/agent-a1.jsonl`]: sessionText([user('the task'), assistant('the answer of the agent')], {
      sessionId: id,
      isSidechain: true,
      agentId: 'a1',
    }),
    [`${id}/subagents/agent-a1.meta.json`]: JSON.stringify({ agentType: 'Explore', toolUseId: 't2' }),
  });
  return loadSession(path.join(folder, `${id}.jsonl`));
}

test('a session becomes a stream of typed items in the order of its active branch', async (context) => {
  const story = new Story(await sessionOfEveryKind(context));
  const [turn, ...others] = story.turns;
  assert.ok(turn !== undefined && others.length === 0);
  const items = [...story.items(turn)];
  assert.deepEqual(
    items.map((item) => `${item.node.line} ${item.kind}`),
    [
      '1 prompt',
      '2 context',
      '3 thinking',
      '4 text',
      '4 image',
      '4 block',
      '5 call',
      '7 context',
      '7 fork',
      '7 queued',
      '9 call',
      '11 error',
      '12 note',
      '13 compaction',
      '14 summary',
      '15 text',
      '16 compaction',
      '16 summary',
    ],
  );
  assert.deepEqual(
    story.prompt(turn)?.attached.map(({ source, label, text }) => [source, label, text.text]),
    [['ide-selection', 'selected in the editor', 'the selection']],
  );
  const [call, started] = items.filter((item) => item.kind === 'call');
  assert.ok(call !== undefined && started?.agent !== undefined);
  assert.deepEqual(
    [call.tool, call.summary, call.state, call.output, call.detail.as],
    ['Bash', 'the command', 'failed', 'the output', 'shell'],
  );
  const opened = await story.openAgent(started.agent);
  assert.ok(opened.state === 'open');
  const [inner] = opened.story.turns;
  assert.ok(inner !== undefined);
  assert.deepEqual(
    [...opened.story.items(inner)].map(({ kind }) => kind),
    ['prompt', 'text'],
  );
  assert.deepEqual(await story.openAgent(started.agent), { state: 'shown' });
});

/** What each sink writes for an item of each kind; `null`: it leaves the kind out. */
const forms: Readonly<Record<Item['kind'], Readonly<Record<Sink, string | null>>>> = {
  prompt: {
    show: '❯ the prompt',
    markdown: '> the prompt',
    page: 'prompt: the prompt',
    tail: '❯ the prompt',
    live: 'prompt: the prompt',
  },
  queued: {
    show: '❯ the queued prompt\n  (typed while it worked)',
    markdown: '> the queued prompt\n\n*(typed while it worked)*',
    page: 'queued: the queued prompt',
    tail: '❯ the queued prompt\n  (typed while it worked)',
    live: null,
  },
  context: {
    show: '+ the injected text',
    markdown: null,
    page: 'note: the injected text',
    tail: null,
    live: null,
  },
  text: {
    show: '\nthe answer\n',
    markdown: '\nthe answer\n',
    page: 'text: the answer',
    tail: '\nthe answer\n',
    live: 'text: the answer',
  },
  thinking: {
    show: '┊ the thought',
    markdown: '<i>Thinking</i></summary>\n\nthe thought',
    page: 'thinking: the thought',
    tail: '┊ thought, 11 characters',
    live: 'thinking: the thought',
  },
  call: {
    show: '✗ Bash the command\n  ┊ command: the command\n  │ the output\n',
    markdown: '- ✗ **Bash** `the command` · the output\n',
    page: 'call: the command',
    tail: '✗ Bash the command  the output',
    live: 'call: the command',
  },
  image: { show: '[image]', markdown: '*[image]*', page: 'image: image/png', tail: '[image]', live: null },
  compaction: {
    show: `\n══ compacted ${'═'.repeat(67)}\n┊ the old summary\n`,
    markdown: '---\n\n**The history was compacted**\n',
    page: 'compaction: the old summary',
    tail: `\n══ compacted ${'═'.repeat(67)}\n┊ summary, 15 characters\n`,
    live: null,
  },
  summary: {
    show: `══ compacted (auto) ${'═'.repeat(60)}\n┊ the summary\n`,
    markdown:
      '**The history was compacted (auto)**\n\n<details>\n<summary>Summary of what was said before</summary>\n\nthe summary',
    page: 'compaction: the summary',
    tail: `══ compacted (auto) ${'═'.repeat(60)}\n┊ summary, 11 characters\n`,
    live: null,
  },
  fork: {
    show: '⑂ another branch leaves here, 1 turn: --branch 2',
    markdown: null,
    page: 'fork: branch 2',
    tail: null,
    live: null,
  },
  error: {
    show: '✗ API error 529: the failure',
    markdown: '**✗ API error 529: the failure**',
    page: 'note: API error 529: the failure',
    tail: '✗ API error 529: the failure',
    live: null,
  },
  note: {
    show: '■ Request interrupted by user',
    markdown: '*■ Request interrupted by user*',
    page: 'note: Request interrupted by user',
    tail: '■ Request interrupted by user',
    live: null,
  },
  block: { show: '[odd_block]', markdown: '*[odd_block]*', page: 'block: odd_block', tail: '[odd_block]', live: null },
};

type Sink = 'show' | 'markdown' | 'page' | 'tail' | 'live';

test('every sink shows an item of every kind in its own form, or leaves the kind out', async (context) => {
  const session = await sessionOfEveryKind(context);
  const tail = new TailText({ style: createStyle(false), width: () => 80 });
  const outputs: Readonly<Record<Sink, string>> = {
    show: runClew(['show', session.files.main, '--full', '--no-color'], { env: { COLUMNS: '80' } }).stdout,
    markdown: await textFrom(exportMarkdown(exportSource(session), { thinking: true })),
    page: pageLines(session).join('\n'),
    tail: await textFrom(tail.render(records(session))),
    live: liveLines(session, session.transcript.nodes, null)
      .map(({ kind, text }) => `${kind}: ${text}`)
      .join('\n'),
  };
  for (const [kind, expected] of Object.entries(forms)) {
    for (const sink of ['show', 'markdown', 'page', 'tail', 'live'] as const) {
      const form = expected[sink];
      const isShown = form === null || outputs[sink].includes(form);
      assert.ok(isShown, `${sink} does not show the ${kind} as ${form}:\n${outputs[sink]}`);
    }
  }
  assert.equal(outputs.markdown.includes('the injected text'), false);
  assert.equal(outputs.tail.includes('the injected text'), false);
  // A mark for each compaction, and none for the summary after a boundary.
  assert.deepEqual(
    (['show', 'markdown', 'page', 'tail'] as const).map((sink) => outputs[sink].match(/compact(ed|ion)/g)?.length),
    [2, 2, 2, 2],
  );
  for (const output of Object.values(outputs)) assert.doesNotMatch(output, /tool_use_error/);
});

test('tail --json has an object for everything that was said, called and answered', async (context) => {
  const objects = records(await sessionOfEveryKind(context)).flatMap((record) => [...tailObjects(record)]);
  assert.deepEqual(
    objects.map((object) => {
      const { kind, tool, text } = object as JsonObject;
      return [kind, tool ?? text];
    }),
    [
      ['prompt', 'the prompt'],
      ['thinking', 'the thought'],
      ['text', 'the answer'],
      ['call', 'Bash'],
      ['result', '<tool_use_error>the output</tool_use_error>'],
      ['prompt', 'the other branch'],
      ['call', 'Agent'],
      ['result', 'the report'],
      ['text', 'the second answer'],
    ],
  );
});

function pageLines(session: Session): readonly string[] {
  return turnViews(session, { from: 0, to: 9 }).flatMap(({ prompt, items }) => [
    `prompt: ${prompt?.text.text}`,
    ...items.map((item) => `${item.kind}: ${pageText(item)}`),
  ]);
}

function pageText(item: PageItem): string | undefined {
  switch (item.kind) {
    case 'call':
      return item.summary;
    case 'image':
      return item.image.mediaType;
    case 'compaction':
      return item.summary?.text;
    case 'fork':
      return `branch ${item.branch}`;
    case 'block':
      return item.type;
    default:
      return item.text?.text;
  }
}

function records({ files, transcript }: Session): readonly NewRecord[] {
  const place = { path: files.main, mainPath: files.main, agentId: undefined, slug: '-p', root: '/' };
  return transcript.nodes.map((node) => {
    const entry = transcript.read(node);
    const head = scanRecord(Buffer.from(JSON.stringify(entry)));
    assert.ok(head !== undefined);
    return { place, head, entry, offset: node.offset, length: node.length };
  });
}
