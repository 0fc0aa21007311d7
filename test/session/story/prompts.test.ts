// Prompts as a reader sees them: the words of the user, and next to them what the editor attached, never mixed up and
// never lost. The expected values are written by hand from the raw lines.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { exportMarkdown } from '../../../src/export/markdown/index.ts';
import { findInSession } from '../../../src/export/page/index.ts';
import { exportSource } from '../../../src/export/source/index.ts';
import { titleOf } from '../../../src/session/facts/titles.ts';
import { loadSession } from '../../../src/session/load/session.ts';
import { attachedLine } from '../../../src/session/story/attached.ts';
import { Story } from '../../../src/session/story/story.ts';
import { runClew } from '../../support/clew.ts';
import { corpusFolder } from '../../support/corpus.ts';
import { text, toolResult, transcript } from '../../support/transcript-builder.ts';

const split = path.join(
  corpusFolder,
  'corpus/public/moredip__session-share/session-viewer/test/INTEGRATION/fixtures/images-in-user-messages.jsonl',
);
const selected = path.join(
  corpusFolder,
  'corpus/public/handgemacht-ai__claude-code-log/test/test_data/real_projects/-Users-dain-workspace-JSSoundRecorder',
  '7acd37a8-2745-4b58-a8a9-46164b22ad9e.jsonl',
);

test('a prompt that the client wrote as three lines is one turn with its image and the open file', async () => {
  const story = new Story(await loadSession(split));
  const prompts = story.turns.map((turn) => {
    const prompt = story.prompt(turn);
    assert.ok(prompt !== undefined);
    const attached = prompt.attached.map((each) => attachedLine(each, '/Users/pete/git/moredip/session-share'));
    return [
      prompt.node.line,
      prompt.moreNodes.map(({ line }) => line),
      prompt.text.text,
      attached,
      prompt.images.length,
    ];
  });
  assert.deepEqual(prompts, [
    [13, [11, 12], "what's this an image of?", ['BRANCH_PLAN.md, open in the editor'], 1],
    [20, [19], "what's the session iD?", ['BRANCH_PLAN.md, open in the editor'], 0],
    [24, [], '/publish-session', [], 0],
  ]);
  const shown = runClew(['show', split, '--turn', '1']);
  assert.match(
    shown.stdout,
    /\n❯ what's this an image of\?\n {2}\[BRANCH_PLAN\.md, open in the editor\]\n {2}\[image\]\n/,
  );
});

test('selected lines are attached to the prompt: in the story, in Markdown, in the terminal, in a search', async () => {
  const session = await loadSession(selected);
  const story = new Story(session);
  const turn = story.turns.find((each) => each.promptLines.some(({ line }) => line === 169));
  assert.ok(turn !== undefined);
  const prompt = story.prompt(turn);
  assert.equal(prompt?.text.text, "Let's also Migrate to AudioWorklet");
  assert.deepEqual(
    prompt?.attached.map(({ source, file, lines, text: { text: words } }) => ({ source, file, lines, words })),
    [
      {
        source: 'ide-selection',
        file: '/Users/dain/workspace/JSSoundRecorder/CLAUDE.md',
        lines: { from: 98, to: 98 },
        words: 'AudioWor',
      },
    ],
  );
  let markdown = '';
  for await (const piece of exportMarkdown(exportSource(session), { turn: turn.index })) markdown += piece;
  assert.ok(
    markdown.includes(
      '<details>\n<summary>Attached: line 98 of CLAUDE.md, selected in the editor</summary>\n\n```\nAudioWor\n```\n\n</details>',
    ),
    markdown.slice(0, 600),
  );
  const { stdout } = runClew(['show', selected, '--turn', String(turn.index), '--full']);
  assert.match(stdout, /\[line 98 of CLAUDE\.md, selected in the editor\]\n {2}\+ AudioWor\n/);
  const opened = { session, openAgent: async () => undefined };
  const { hits } = await findInSession(opened, { text: 'The user selected the lines 98', mode: 'text' });
  assert.deepEqual(
    hits.map(({ line, shown }) => [line, shown?.line]),
    [[169, 169]],
  );
});

test('context of the editor alone is not a title, and a prompt without words says what is attached', () => {
  const opened = '<ide_opened_file>The user opened the file /w/a.ts in the IDE. It may matter.</ide_opened_file>';
  const session = transcript().user(opened).assistant('Hello.').user(`${opened}\nRename it`).session();
  assert.equal(titleOf(session), 'Rename it');
  const story = new Story(session);
  assert.deepEqual(
    story.turns.map((turn) => [
      story.prompt(turn)?.text.text,
      story.prompt(turn)?.attached.map((each) => attachedLine(each, '/w')),
    ]),
    [
      ['', ['a.ts, open in the editor']],
      ['Rename it', ['a.ts, open in the editor']],
    ],
  );
});

test('diagnostics next to a result are context, not a prompt', () => {
  const diagnostics = JSON.stringify([
    { filePath: '/w/a.ts', message: 'x is unused', severity: 'Warning' },
    { filePath: '/w/a.ts', message: 'y is missing', severity: 'Error' },
    { filePath: '/w/a.ts', message: 'z is missing', severity: 'Error' },
  ]);
  const session = transcript()
    .user('edit it')
    .call('t1')
    .user([
      toolResult('t1'),
      text(`<post-tool-use-hook><ide_diagnostics>${diagnostics}</ide_diagnostics></post-tool-use-hook>`),
    ])
    .assistant('done')
    .session();
  const story = new Story(session);
  assert.equal(story.turns.length, 1);
  const items = story.turns.flatMap((turn) => [...story.items(turn)]);
  assert.deepEqual(
    items.map((item) => (item.kind === 'context' ? [item.label, item.text.text] : item.kind)),
    ['prompt', 'call', ['diagnostics of the editor: 1 warning, 2 errors', diagnostics], 'text'],
  );
});
