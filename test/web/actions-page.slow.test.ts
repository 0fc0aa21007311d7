// The actions of the page, by clicks in a real browser on copies of recorded sessions: what each writes is read from the
// disk as raw JSON, and its undo restores every byte. A server that only reads gets no change at all.
import assert from 'node:assert/strict';
import { readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { readJson } from '../../src/web/client/client.ts';
import type { ServerSetup } from '../../src/web/server/http/server.ts';
import type { SessionRow } from '../../src/web/wire/wire.ts';
import { desktop, openBrowser, openPage, phone, skipWithoutChromium } from '../support/browser.ts';
import { corpusFolder } from '../support/corpus.ts';
import { eventually } from '../support/eventually.ts';
import { shareOf } from '../support/fuzz-runs.ts';
import { contentsOf } from '../support/surgery-kit.ts';
import { openWebServer, type WebServer } from '../support/web-server.ts';
import { at, hasCount, isAccessible, noComplaints, pressKey } from './page-kit.ts';

const talkId = '5d374d1f-75bc-4fb7-9c48-83ed7b0e4eb9';
const toolsId = '2a3f7d86-f67d-496a-ab03-a3a540951105';
const oldId = 'd319713f-d30a-4db7-9b36-69077b604b60';
const secret = `ghp_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'}`;
const folder = '-home-dev-widgets';

function recorded(client: string, kind: string, id: string): string {
  return readFileSync(path.join(corpusFolder, 'corpus/real', client, kind, folder, `${id}.jsonl`), 'utf8');
}

/** Two turns; one turn with many calls and a secret in its prompt; two turns of an older client. */
function library(): Readonly<Record<string, string>> {
  const tools = recorded('2.1.325', 'tools', toolsId).replaceAll('Work on the widget', `Work with ${secret} on it`);
  return {
    [`${folder}/${talkId}.jsonl`]: recorded('2.1.325', 'resume', talkId),
    [`${folder}/${toolsId}.jsonl`]: tools,
    [`${folder}/${oldId}.jsonl`]: recorded('2.1.45', 'resume', oldId),
  };
}

async function openLibrary(context: TestContext, options: Partial<ServerSetup>): Promise<WebServer> {
  const server = await openWebServer(context, library(), options);
  settle(server);
  await server.isCurrent();
  return server;
}

/** A session that was just written to, also by an undo, is live, and not deleted. */
function settle({ root }: WebServer): void {
  for (const file of Object.keys(library()))
    utimesSync(path.join(root, 'projects', file), 1_790_000_000, 1_790_000_000);
}

interface Line {
  readonly type: string;
  readonly [key: string]: unknown;
}

interface Block {
  readonly type: string;
  readonly text?: string;
}

function linesOf(text: string): readonly Line[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function blocksOf({ message }: Line): readonly Block[] {
  const content = (message as { readonly content?: string | readonly Block[] } | undefined)?.content ?? [];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

/** Only what was typed: these recordings mark every prompt with two brackets. */
function promptsOf(lines: readonly Line[]): readonly string[] {
  return lines
    .filter(({ type }) => type === 'user')
    .flatMap((line) => blocksOf(line).flatMap(({ text = '' }) => (text.includes('[[') ? [text] : [])));
}

interface Disk {
  readonly before: ReadonlyMap<string, string>;
  readonly after: ReadonlyMap<string, string>;
}

/** The one transcript that is new. */
function newSession({ before, after }: Disk): readonly Line[] {
  const added = [...after.keys()].filter((file) => !before.has(file) && /^projects\/[^/]+\/[^/]+\.jsonl$/.test(file));
  assert.equal(added.length, 1, `new transcripts: ${added.join(', ')}`);
  for (const [file, bytes] of before) assert.equal(after.get(file), bytes, `${file} stays as it is`);
  return linesOf(Buffer.from(after.get(added[0] ?? '') ?? '', 'latin1').toString('utf8'));
}

function ownLines(disk: Disk, id: string): { readonly before: readonly Line[]; readonly after: readonly Line[] } {
  const read = (files: ReadonlyMap<string, string>): readonly Line[] =>
    linesOf(Buffer.from(files.get(`projects/${folder}/${id}.jsonl`) ?? '{}', 'latin1').toString('utf8'));
  return { before: read(disk.before), after: read(disk.after) };
}

interface Case {
  readonly name: string;
  readonly id: string;
  /** In the menu of this turn; otherwise in that of the session. */
  readonly turn?: number;
  readonly item: string;
  fill?(dialog: Locator): Promise<void>;
  check(disk: Disk, server: WebServer): void | Promise<void>;
}

const cases: readonly Case[] = [
  {
    name: 'star',
    id: talkId,
    item: 'Star',
    check: async ({ before, after }, server) => {
      assert.deepEqual(after, before);
      await rowBecomes(server, talkId, { isStarred: true, archived: null, isOnDisk: true });
    },
  },
  {
    name: 'rename',
    id: talkId,
    item: 'Rename…',
    fill: (dialog) => dialog.getByLabel('Title').fill('The “second” try'),
    check: (disk) => {
      const { before, after } = ownLines(disk, talkId);
      const [added] = after.slice(before.length).filter(({ type }) => type === 'custom-title');
      assert.equal(added?.customTitle, 'The “second” try');
    },
  },
  {
    name: 'tag',
    id: talkId,
    item: 'Tag…',
    fill: (dialog) => dialog.getByLabel('Tag').fill('review'),
    check: (disk) => {
      const { before, after } = ownLines(disk, talkId);
      assert.deepEqual(
        after.slice(before.length).map(({ type, tag }) => ({ type, tag })),
        [{ type: 'tag', tag: 'review' }],
      );
    },
  },
  {
    name: 'fork',
    id: talkId,
    item: 'Fork…',
    fill: (dialog) => dialog.getByLabel('Title of the new session').fill('Another way'),
    check: (disk) => {
      const lines = newSession(disk);
      assert.deepEqual(promptsOf(lines), promptsOf(ownLines(disk, talkId).before));
      assert.ok(lines.some(({ type, customTitle }) => type === 'custom-title' && customTitle === 'Another way'));
    },
  },
  {
    name: 'fork here',
    id: talkId,
    turn: 1,
    item: 'Fork here…',
    check: (disk) => assert.deepEqual(promptsOf(newSession(disk)), ['Say hello [[thinking]]']),
  },
  {
    name: 'rewind to here',
    id: talkId,
    turn: 1,
    item: 'Rewind to here…',
    check: (disk) => {
      const last = newSession(disk).at(-1);
      assert.deepEqual([last?.type, last?.explicit], ['last-prompt', true]);
    },
  },
  {
    name: 'rewind in place',
    id: talkId,
    turn: 1,
    item: 'Rewind to here…',
    fill: (dialog) => dialog.getByLabel('Change this session').check(),
    check: (disk) => {
      const { before, after } = ownLines(disk, talkId);
      const added = after.slice(before.length);
      assert.deepEqual(
        added.map(({ type, explicit }) => [type, explicit]),
        [['last-prompt', true]],
      );
      // The pin is a line of the first turn: it comes before the second prompt.
      const pinned = before.findIndex(({ uuid }) => uuid === added[0]?.leafUuid);
      const second = before.findIndex((line) => promptsOf([line]).includes('And again [[second]]'));
      assert.ok(pinned >= 0 && pinned < second, `line ${pinned} is before line ${second}`);
    },
  },
  {
    name: 'strip',
    id: toolsId,
    item: 'Strip…',
    fill: async (dialog) => {
      await dialog.getByLabel('Characters to keep of each result').first().uncheck();
      await dialog.getByLabel('Calls of tools').first().check();
    },
    check: (disk) => {
      const calls = (lines: readonly Line[]): number =>
        lines
          .filter(({ type }) => type === 'assistant')
          .flatMap(blocksOf)
          .filter(({ type }) => type === 'tool_use').length;
      assert.equal(calls(ownLines(disk, toolsId).before), 15);
      assert.equal(calls(newSession(disk)), 0);
    },
  },
  {
    name: 'compress',
    id: talkId,
    item: 'Compress…',
    fill: (dialog) => dialog.getByLabel('Last turns to leave unchanged').fill('1'),
    check: (disk) => {
      const lines = newSession(disk);
      const boundary = lines.findIndex(({ subtype }) => subtype === 'compact_boundary');
      assert.ok(boundary > 0);
      const rest = lines.slice(boundary + 1);
      assert.equal(rest.filter(({ isCompactSummary }) => isCompactSummary === true).length, 1);
      // The older prompt is in the summary, word for word.
      assert.match(JSON.stringify(rest.filter(({ isCompactSummary }) => isCompactSummary === true)), /Say hello/);
    },
  },
  {
    name: 'redact',
    id: toolsId,
    item: 'Redact…',
    check: (disk) => {
      const text = JSON.stringify(newSession(disk));
      assert.ok(!text.includes(secret));
      assert.match(text, /Work with \[redacted:github-token:1\] on it/);
    },
  },
  {
    name: 'archive',
    id: talkId,
    item: 'Archive…',
    check: async ({ before, after }, server) => {
      assert.deepEqual(after, before);
      await rowBecomes(server, talkId, { isStarred: false, archived: 'current', isOnDisk: true });
    },
  },
  {
    name: 'delete',
    id: talkId,
    item: 'Delete…',
    check: ({ before, after }) => {
      const file = `projects/${folder}/${talkId}.jsonl`;
      assert.deepEqual([before.has(file), after.has(file)], [true, false]);
    },
  },
];

type RowFacts = Pick<SessionRow, 'isStarred' | 'archived' | 'isOnDisk'>;

/** The list follows the disk after a moment. */
async function rowBecomes({ client }: WebServer, id: string, facts: RowFacts): Promise<void> {
  for (let left = 100; ; left--) {
    const { rows } = await readJson(client.sessions.$get({ query: { text: id } }));
    const row = rows.find((each) => each.id === id);
    assert.ok(row !== undefined);
    const { isStarred, archived, isOnDisk } = row;
    const found = { isStarred, archived, isOnDisk };
    if (left === 0 || isDeepStrictEqual(found, facts)) return assert.deepEqual(found, facts);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

const clipboard: BrowserContextOptions = { ...desktop, permissions: ['clipboard-read', 'clipboard-write'] };

test('the actions of the page', { skip: skipWithoutChromium, timeout: 1_200_000 }, async (context) => {
  // Opened here: a browser opened in a subtest would close at its end.
  await openBrowser();
  await context.test('each action, and its undo', doesAll);
  await context.test('without --allow-changes the command is copied, and nothing is posted', onlyCopies);
  await context.test('several sessions at once, with one undo', actsOnMany);
  await context.test('the palette', usesPalette);
  await context.test('axe finds no violation in a menu, a dialog, a notice and the palette', isFaultless);
});

async function doesAll(context: TestContext): Promise<void> {
  const server = await openLibrary(context, { allowsChanges: true });
  const opened = await openPage(at(server, `/s/${talkId}`), clipboard);
  await context.test('the page asks once, and does nothing before', () => asksOnce(server, opened.page));
  // All over HTTP in actions.test.ts; by clicking, a half in CI.
  for (const each of shareOf(cases, 0, 2))
    await context.test(`${each.name}, and its undo`, () => doesAndUndoes(server, opened.page, each));
  await context.test('a deleted session is restored from its own page', () => restores(server, opened.page));
  await context.test('export downloads the session without its secret', () => exports(server, opened.page));
  assert.deepEqual(server.faults, []);
  await noComplaints(opened, suggestedTurns);
}

/** The session has fewer turns than the dialog of Compress suggests: the dry run of these is refused, until 1 is typed. */
const suggestedTurns = /400.*\/actions\/compress\?keepTurns=5$/;

async function asksOnce(server: WebServer, page: Page): Promise<void> {
  const before = contentsOf(server.root);
  await choose(page, undefined, 'Rename…');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Asked first');
  const confirm = dialog.getByRole('button', { name: 'Allow changes and rename' });
  await enabled(confirm);
  assert.deepEqual(contentsOf(server.root), before);
  const asking = await readJson(server.client.status.$get());
  assert.equal(asking.changes, 'ask');
  await confirm.click();
  await undoByKey(page);
  assert.deepEqual(contentsOf(server.root), before);
  const allowing = await readJson(server.client.status.$get());
  assert.equal(allowing.changes, 'allowed');
  await choose(page, undefined, 'Rename…');
  await dialog.getByLabel('Title').fill('Asked no more');
  await enabled(dialog.getByRole('button', { name: 'Rename', exact: true }));
  await pressKey(page, 'Escape');
}

async function doesAndUndoes(server: WebServer, page: Page, { id, turn, item, fill, check }: Case): Promise<void> {
  settle(server);
  const before = contentsOf(server.root);
  await page.goto(new URL(`/s/${id}`, server.base).href);
  await choose(page, turn, item);
  if (item !== 'Star') {
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    await fill?.(dialog);
    const button = dialog.locator('button[type="submit"]');
    await enabled(button);
    const command = dialog.getByRole('region', { name: 'Command' });
    await eventually(async () => assert.match(await command.innerText(), /^clew [a-z]+ /));
    assert.deepEqual(contentsOf(server.root), before, 'the dry run changes nothing');
    await button.click();
    await dialog.waitFor({ state: 'detached' });
  }
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await check({ before, after: contentsOf(server.root) }, server);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone: everything is as before').waitFor();
  assert.deepEqual(contentsOf(server.root), before, 'undo restores every byte');
}

async function choose(page: Page, turn: number | undefined, item: string): Promise<void> {
  await page
    .getByRole('button', { name: `Actions of ${turn === undefined ? 'this session' : `turn ${turn}`}`, exact: true })
    .click();
  await page.getByRole('menuitem', { name: item, exact: true }).click();
}

/** Playwright's own wait for an enabled button is part of a click. */
async function enabled(button: Locator): Promise<void> {
  await button.click({ trial: true });
}

async function undoByKey(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  await pressKey(page, 'z');
  await page.getByText('Undone: everything is as before').waitFor();
}

async function restores(server: WebServer, page: Page): Promise<void> {
  settle(server);
  const before = contentsOf(server.root);
  await page.goto(new URL(`/s/${talkId}`, server.base).href);
  await choose(page, undefined, 'Delete…');
  await enabled(page.locator('dialog button[type="submit"]'));
  await page.locator('dialog button[type="submit"]').click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  const without = contentsOf(server.root);
  assert.notDeepEqual(without, before);
  await page.goto(new URL(`/s/${talkId}`, server.base).href);
  await page.locator('.turn .answer').first().waitFor();
  await page.getByRole('button', { name: 'Actions of this session' }).click();
  await page.getByRole('menuitem', { name: 'Restore…' }).waitFor();
  await eventually(async () => {
    const items = await page.getByRole('menuitem').allInnerTexts();
    assert.ok(!items.includes('Fork…') && !items.includes('Delete…'), items.join(', '));
  });
  await page.getByRole('menuitem', { name: 'Restore…' }).click();
  await enabled(page.locator('dialog button[type="submit"]'));
  await page.locator('dialog button[type="submit"]').click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  assert.deepEqual(contentsOf(server.root), before);
  await undoByKey(page);
  assert.deepEqual(contentsOf(server.root), without);
  const { operations } = server.client;
  const last = (await readJson(operations.$get())).find(({ canUndo }) => canUndo);
  await readJson(operations[':id'].undo.$post({ param: { id: last?.id ?? '' }, json: {} }));
  assert.deepEqual(contentsOf(server.root), before);
}

async function exports(server: WebServer, page: Page): Promise<void> {
  const before = contentsOf(server.root);
  await page.goto(new URL(`/s/${toolsId}`, server.base).href);
  for (const [format, sign] of [
    ['Markdown', '## '],
    ['HTML, one file', '<!doctype html>'],
    ['JSON', '{'],
  ] as const) {
    await choose(page, undefined, 'Export…');
    await page.getByLabel(format).check();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    assert.ok(text.toLowerCase().includes(sign), format);
    assert.ok(!text.includes(secret), format);
    assert.ok(text.includes('[redacted:github-token:1]'), format);
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  assert.deepEqual(contentsOf(server.root), before);
}

async function onlyCopies(context: TestContext): Promise<void> {
  const server = await openLibrary(context, {});
  const before = contentsOf(server.root);
  const opened = await openPage(at(server, `/s/${talkId}`), clipboard);
  const { page } = opened;
  const posted: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') posted.push(`${request.method()} ${request.url()}`);
  });
  const expected = {
    Star: `clew star --root ${server.root} ${talkId}`,
    'Rename…': `clew rename --root ${server.root} ${talkId} 'a b'`,
    'Fork…': `clew fork --root ${server.root} ${talkId}`,
    'Compress…': `clew compress --keep-turns 1 --root ${server.root} ${talkId}`,
    'Archive…': `clew archive --root ${server.root} ${talkId}`,
    'Delete…': `clew rm --root ${server.root} ${talkId}`,
  } as const;
  for (const [item, command] of Object.entries(expected)) {
    await choose(page, undefined, item);
    const dialog = page.getByRole('dialog');
    if (item === 'Rename…') await dialog.getByLabel('Title').fill('a b');
    if (item === 'Compress…') await dialog.getByLabel('Last turns to leave unchanged').fill('1');
    await dialog.getByRole('region', { name: 'Command' }).getByText(command, { exact: true }).waitFor();
    await dialog.getByText('clew open --allow-changes').waitFor();
    await hasCount(page, 'dialog button[type="submit"]', 0);
    await dialog.getByRole('button', { name: 'Copy command' }).click();
    await dialog.getByText('Command copied').waitFor();
    await eventually(async () => assert.equal(await page.evaluate<string>('navigator.clipboard.readText()'), command));
    await pressKey(page, 'Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  assert.deepEqual(posted, []);
  assert.deepEqual(contentsOf(server.root), before);
  await noComplaints(opened, suggestedTurns);
}

async function usesPalette(context: TestContext): Promise<void> {
  const server = await openLibrary(context, { allowsChanges: true });
  const opened = await openPage(at(server, '/'));
  const { page } = opened;
  const input = page.getByRole('combobox', { name: 'Page, session, action or key' });
  const active = (): Promise<string> =>
    page.evaluate<string>(
      `document.getElementById(document.activeElement.getAttribute('aria-activedescendant')).textContent`,
    );
  await page.getByRole('link', { name: 'Library' }).waitFor();
  await pressKey(page, 'Control+k');
  await input.waitFor();
  await page.keyboard.type('usa');
  await page.getByRole('option', { name: /^Usage/, selected: true }).waitFor();
  await pressKey(page, 'Enter');
  await page.waitForURL(/\/usage$/);

  await pressKey(page, 'Meta+k');
  await input.waitFor();
  await page.keyboard.type(talkId.slice(0, 8));
  await page.getByRole('option', { name: /^And again/, selected: true }).waitFor();
  await pressKey(page, 'ArrowDown');
  await pressKey(page, 'ArrowUp');
  await eventually(async () => assert.match(await active(), /^And again/));
  await pressKey(page, 'Enter');
  await page.waitForURL((url) => url.pathname === `/s/${talkId}`);
  await page.locator('.turn .answer').first().waitFor();

  await pressKey(page, 'Control+k');
  await input.waitFor();
  await page.keyboard.type('renm');
  await page.getByRole('option', { name: 'Rename…', selected: true }).waitFor();
  await pressKey(page, 'Enter');
  await page.getByRole('dialog', { name: /^Rename/ }).waitFor();
  await pressKey(page, 'Escape');

  await pressKey(page, 'Control+k');
  await input.waitFor();
  await page.keyboard.type('next turn');
  await page.getByRole('option', { name: /^next turn/, selected: true }).waitFor();
  await pressKey(page, 'Enter');
  await page.waitForURL(/turn=2/);
  await pressKey(page, 'Control+k');
  await input.waitFor();
  await page.keyboard.type('zzz yyy');
  await page.getByRole('option', { name: /^Search all sessions for “zzz yyy”/, selected: true }).waitFor();
  await pressKey(page, 'Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await noComplaints(opened);
}

async function isFaultless(context: TestContext): Promise<void> {
  const server = await openLibrary(context, { allowsChanges: true });
  for (const view of [desktop, { ...phone, colorScheme: 'dark' } as const]) {
    const { page } = await openPage(at(server, `/s/${toolsId}`), view);
    // A phone folds the header.
    if (view !== desktop) await page.getByRole('button', { name: 'View and actions' }).click();
    await page.getByRole('button', { name: 'Actions of this session' }).click();
    await page.getByRole('menuitem', { name: 'Strip…' }).waitFor();
    await isAccessible(page, 'menu', { except: ['heading-order'] });
    await page.getByRole('menuitem', { name: 'Strip…' }).click();
    await page.getByLabel('Calls of tools').first().check();
    await page.locator('.preview-facts').waitFor();
    await isAccessible(page, 'dialog', { except: ['heading-order'] });
    await page.locator('dialog button[type="submit"]').click();
    await page.getByRole('button', { name: 'Undo' }).waitFor();
    await isAccessible(page, 'notice', { except: ['heading-order'] });
    await undoByKey(page);
    await pressKey(page, 'Control+k');
    await page.getByRole('option', { name: 'Strip…' }).waitFor();
    await isAccessible(page, 'palette', { except: ['heading-order'] });
    await pressKey(page, 'Escape');
    await page.goto(new URL('/', server.base).href);
    await page.locator('.select-box').first().click();
    await page.getByRole('region', { name: 'Selected sessions' }).waitFor();
    await isAccessible(page, 'selection', { except: ['heading-order'] });
    await page.context().close();
  }
}

async function actsOnMany(context: TestContext): Promise<void> {
  const server = await openLibrary(context, { allowsChanges: true });
  const before = contentsOf(server.root);
  const opened = await openPage(at(server, '/?sort=title'), clipboard);
  const { page } = opened;
  const boxes = page.locator('.select-box');
  const bar = page.getByRole('region', { name: 'Selected sessions' });
  await boxes.nth(2).waitFor();
  await boxes.first().click();
  await boxes.nth(2).click({ modifiers: ['Shift'] });
  await bar.getByText('3 sessions selected').waitFor();
  // By key: the second row is removed, and selected again.
  await page.locator('.session-rows [data-stop]').nth(1).focus();
  await pressKey(page, 'x');
  await bar.getByText('2 sessions selected').waitFor();
  await bar.getByRole('button', { name: 'Select all 3' }).click();
  await bar.getByText('3 sessions selected').waitFor();

  await bar.getByRole('button', { name: 'Tag…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Tag 3 sessions' });
  await dialog.getByLabel('Tag').fill('review');
  await dialog.locator('.many-previews li').nth(2).waitFor();
  assert.deepEqual(contentsOf(server.root), before, 'the dry run changes nothing');
  const button = dialog.locator('button[type="submit"]');
  await enabled(button);
  await button.click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByText('Tag: 3 sessions').waitFor();
  const disk = { before, after: contentsOf(server.root) };
  for (const id of [talkId, toolsId, oldId]) {
    const lines = ownLines(disk, id);
    assert.deepEqual(
      lines.after.slice(lines.before.length).map(({ type, tag }) => [type, tag]),
      [['tag', 'review']],
    );
  }
  await undoByKey(page);
  assert.deepEqual(contentsOf(server.root), before, 'one undo restores all of them');

  // One of them is open in a client, and cannot be deleted; the others can.
  settle(server);
  const file = path.join(server.root, 'projects', folder, `${oldId}.jsonl`);
  utimesSync(file, new Date(), new Date());
  await bar.getByRole('button', { name: 'Delete…' }).click();
  const deletes = page.getByRole('dialog', { name: 'Delete 3 sessions' });
  await hasCount(page, '.many-previews li', 3);
  await hasCount(page, '.many-previews li.problem', 1);
  await enabled(deletes.locator('button[type="submit"]'));
  await deletes.locator('button[type="submit"]').click();
  await page.getByText('Delete: 2 sessions').waitFor();
  assert.deepEqual(
    [talkId, toolsId, oldId].map((id) => contentsOf(server.root).has(`projects/${folder}/${id}.jsonl`)),
    [false, false, true],
  );
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('Undone: everything is as before').waitFor();
  assert.deepEqual(contentsOf(server.root), before, 'one undo restores both');
  assert.deepEqual(server.faults, []);
  await noComplaints(opened);
}
