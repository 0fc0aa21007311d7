// `clew open --store` as a process, on a real PostgreSQL and in a real browser: who sees what, what the audit says, and what is left
// on the disk. The numbers are computed by hand from the sessions that are written here.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { SearchAnswer } from '../../src/web/wire/index.ts';
import { openBrowser, phone, skipWithoutChromium } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { noPostgres } from '../support/postgres.ts';
import { startClew } from '../support/running-clew.ts';
import { temporaryFolder } from '../support/temp-folder.ts';
import { hasCount, isAccessibleInBoth, isListening, noComplaints } from './page-kit.ts';
import { openStorePage, type PageStore, type StorePage, startPageStore, tableTexts } from './store-page-kit.ts';

const skip = noPostgres || skipWithoutChromium;
/** The rules know this form. */
const secret = `ghp_${'x7Qm2Lp9Vb4Nc8Rt1Ky6Wd3Hs5Jf0Zg2Aq4E'.slice(0, 36)}`;

const id = (digit: number): string => `${String(digit).repeat(8)}-1111-4111-a111-111111111111`;
const adaSession = {
  id: id(1),
  cwd: '/home/ada/kiln',
  title: 'glaze recipes',
  prompts: ['mix the glaze', 'and fire it'],
  answer: `the token is ${secret}`,
  daysAgo: 2,
  tokens: { input: 100_000, output: 1_000 },
};
const bobSession = {
  id: id(2),
  cwd: '/home/bob/wheel',
  title: 'throwing a bowl',
  prompts: ['centre the clay'],
  answer: `quokka says the token is ${secret}`,
  daysAgo: 40,
  tokens: { input: 200_000, output: 2_000 },
};
const graceSession = {
  id: id(3),
  cwd: '/home/grace/secret-project',
  title: 'a title that stays at home',
  prompts: ['nobody may read this'],
  answer: 'nor this',
  daysAgo: 1,
  tokens: { input: 10_000, output: 0 },
};
/** $5 and $25 per million: two answers of $0.525, one of $1.05, one of $0.05. */
const cost = { ada: '$1.05', bob: '$1.05', grace: '$0.05', all: '$2.15' };

const people = { ada: 'developer', bob: 'developer', 'Grace Hopper': 'developer', lea: 'lead' } as const;
const groups = { potters: ['ada', 'bob'], kilns: ['bob', 'lea*'] };

async function startStore(context: TestContext): Promise<PageStore> {
  const store = await startPageStore(context, people, groups);
  await store.share({ person: 'ada', level: 4, machine: 'ada-laptop', sessions: [adaSession] });
  await store.share({ person: 'bob', level: 3, machine: 'bob-desktop', sessions: [bobSession] });
  await store.share({ person: 'Grace Hopper', level: 1, machine: 'mainframe', sessions: [graceSession] });
  return store;
}

test('a page over a store', { skip, timeout: 600_000 }, async (context) => {
  await openBrowser();
  const store = await startStore(context);
  const password = 'pass-canary-91';
  const address = store.addressOf('ada').replace('ada@', `ada:${password}@`);
  const page = await openStorePage(context, address);
  await context.test('the library names people and what they share', () => showsLibrary(page));
  await context.test('a session of someone else is announced, and has no secrets', () => showsOther(page, store));
  await context.test('an own session is as it was on its machine, and is not announced', () => showsOwn(page, store));
  await context.test('a session of which only metrics are shared says so', () => showsMetrics(page, store));
  await context.test('a search finds what others said, and is announced', () => searches(page, store));
  await context.test('usage has the sums of everyone', () => showsUsage(page));
  await context.test('people and groups have their sums', () => showsPeople(page));
  await context.test('people on a phone', () => fitsPhone(page));
  await context.test('nothing can be changed, examined or followed', () => refusesChanges(page));
  await context.test('a push appears without a reload', () => showsPush(page, store));
  await context.test('text that is no longer shared is removed from page and disk', () => removesText(page, store));
  await context.test('a store that restarts is found again', () => survivesRestart(page, store));
  await context.test('the files are private, and gone after SIGTERM', () => endsClean(page));
  await context.test('a lead sees the numbers of the group, and no text', (own) => showsLead(own));
  const said = page.clew.stdout() + page.clew.stderr();
  assert.ok(!said.includes(password), said);
});

function readings(store: PageStore): readonly string[] {
  const rows = store.server.run(`SELECT r.reader || ' ' || action || ' ' || p.name || ' ' || session_id
    FROM clew.readings r JOIN clew.people p USING (tenant, person) ORDER BY id`);
  return rows.split('\n').filter((row) => row !== '');
}

async function showsLibrary(server: StorePage): Promise<void> {
  const opened = await server.open('/');
  const { page } = opened;
  await hasCount(page, '.session-rows .title-link', 3);
  await eventually(async () => {
    const rows = await page
      .locator('.session-rows .session-row')
      .evaluateAll((all) =>
        all.map((row) =>
          ['title', 'person', 'project', 'turns', 'cost'].map((name) =>
            (row.querySelector(`.cell-${name}`) as HTMLElement).innerText.replace(/\s+/g, ' ').trim(),
          ),
        ),
      );
    assert.deepEqual(
      rows.map((row) => row.map((cell) => cell.replace(/^folder [0-9a-f]{6}$/, 'a folder'))),
      [
        ['Title not shared only metrics', 'Grace Hopper', 'a folder', '1', cost.grace],
        ['glaze recipes', 'ada', 'ada/kiln', '2', cost.ada],
        ['throwing a bowl', 'bob', 'bob/wheel', '1', cost.bob],
      ],
    );
  });
  const links = page.locator('nav[aria-label="Pages"] a');
  await eventually(async () => assert.deepEqual(await links.allInnerTexts(), ['Library', 'Usage', 'People']));
  await hasCount(page, '.select-box, .star, .session-rows .menu-dots', 0);
  await page.getByRole('searchbox', { name: 'Filter the list' }).fill('person:"bob"');
  await hasCount(page, '.session-rows .title-link', 1);
  await page.locator('.session-rows .cell-person', { hasText: /^bob$/ }).waitFor();
  // Read once: the rows that are there prove that the page has the answers.
  const html = await page.content();
  for (const hidden of [graceSession.title, 'secret-project', 'pass-canary-91'])
    assert.ok(!html.includes(hidden), hidden);
  await isAccessibleInBoth(page);
  await noComplaints(opened);
}

async function showsOther(server: StorePage, store: PageStore): Promise<void> {
  // The document alone, which any site can ask for, reads nothing.
  await fetch(new URL(`/s/${bobSession.id}`, server.url));
  assert.deepEqual(readings(store), []);
  const opened = await server.open(`/s/${bobSession.id}`);
  const { page } = opened;
  await page.getByText('quokka says the token is').waitFor();
  await eventually(async () => {
    const text = await page.locator('body').innerText();
    assert.match(text, /bob pushed this session to the store/);
    assert.ok(!text.includes(secret));
  });
  await hasCount(page, '.session-tools .menu-button, .turn .menu-dots', 0);
  assert.deepEqual(readings(store), [`ada open bob ${bobSession.id}`]);
  await isAccessibleInBoth(page);
  await noComplaints(opened);
  const again = await server.open(`/s/${bobSession.id}`);
  await again.page.getByText('quokka says the token is').waitFor();
  await noComplaints(again);
  assert.equal(readings(store).length, 1, 'one reading, as long as the store shows it');
}

async function showsOwn(server: StorePage, store: PageStore): Promise<void> {
  const opened = await server.open(`/s/${adaSession.id}`);
  await opened.page.getByText(`the token is ${secret}`).first().waitFor();
  await noComplaints(opened);
  assert.equal(readings(store).length, 1);
}

async function showsMetrics(server: StorePage, store: PageStore): Promise<void> {
  const opened = await server.open(`/s/${graceSession.id}`);
  const { page } = opened;
  await page.getByRole('heading', { name: 'This session cannot be shown' }).waitFor();
  await page.getByText('Grace Hopper shares only metrics of this session, not its text').waitFor();
  await isAccessibleInBoth(page);
  await noComplaints(opened, /409/);
  assert.equal(readings(store).length, 1, 'nothing was read');
}

async function searches(server: StorePage, store: PageStore): Promise<void> {
  const opened = await server.open('/');
  const { page } = opened;
  const box = page.getByRole('searchbox', { name: 'Search all sessions' });
  await box.pressSequentially('quokka');
  await hasCount(page, '.session-rows .title-link', 3);
  assert.deepEqual(searchReadings(store), [], 'not before Enter');
  await box.press('Enter');
  await page.locator('.hit mark').first().waitFor();
  const found = page.getByRole('region', { name: 'Matches in sessions' });
  await eventually(async () => {
    assert.deepEqual(await found.locator('h3 a').allInnerTexts(), ['throwing a bowl']);
    assert.match(await found.locator('h3').innerText(), /bob · bob\/wheel/);
  });
  assert.deepEqual(searchReadings(store), ['ada find --everyone: quokka']);
  // Read once: the hit is there, and it would be in it.
  const html = await page.content();
  assert.ok(!html.includes(secret));
  await isAccessibleInBoth(page);
  await page.locator('.hit').first().click();
  await page.locator('.turn mark', { hasText: 'quokka' }).or(page.getByText('quokka says')).first().waitFor();
  await noComplaints(opened);
  // One session of one person, and a project of nobody.
  const within = JSON.parse((await server.ask(`/api/search?text=token&session=${bobSession.id}`)).text) as SearchAnswer;
  assert.deepEqual(
    within.sessions.map(({ key, person }) => [key, person]),
    [[bobSession.id, 'bob']],
  );
  const elsewhere = JSON.parse((await server.ask('/api/search?text=token&project=/nowhere')).text) as SearchAnswer;
  assert.deepEqual(elsewhere.sessions, []);
  const metrics = JSON.parse((await server.ask('/api/search?text=nobody')).text) as SearchAnswer;
  assert.deepEqual(metrics.sessions, []);
}

/** Of everyone's text. */
function searchReadings(store: PageStore): readonly string[] {
  const rows = store.server.run(`SELECT reader || ' ' || action || ' ' || detail FROM clew.readings
    WHERE person IS NULL ORDER BY id`);
  return rows.split('\n').filter((row) => row !== '');
}

async function showsUsage(server: StorePage): Promise<void> {
  const opened = await server.open('/usage');
  const { page } = opened;
  const totals = page.getByRole('region', { name: 'In total' });
  // Inputs of 2 × 100,000, 200,000 and 10,000; outputs of 2 × 1,000 and 2,000.
  for (const text of [cost.all, '410k', '4.0k']) await totals.getByText(text, { exact: true }).waitFor();
  await page.getByRole('region', { name: 'By project' }).getByText('ada/kiln').waitFor();
  await page.getByRole('region', { name: 'Most expensive sessions' }).getByText('Title not shared').waitFor();
  await hasCount(page, 'button:has-text("Receipts")', 0);
  await isAccessibleInBoth(page);
  await noComplaints(opened);
  const receipts = await server.ask('/api/usage/receipts');
  assert.equal(receipts.status, 403);
}

async function showsPeople(server: StorePage): Promise<void> {
  const opened = await server.open('/people?range=all');
  const { page } = opened;
  await page.getByRole('table', { name: 'People' }).waitFor();
  const named = async (name: string) =>
    (await tableTexts(page, name)).map((row) => row.map((cell) => cell.replace(/^now|^\d+ (s|min)/, 'just')));
  const areNamed = (names: readonly string[]) =>
    eventually(async () =>
      assert.deepEqual(
        (await named('People')).map(([name]) => name),
        names,
      ),
    );
  // Everyone whom a developer sees; lea has pushed nothing.
  const [ada, bob] = [
    ['ada', 'potters', 'just · ada-laptop', '1', '2', '202k', cost.ada],
    ['bob', 'kilns, potters', 'just · bob-desktop', '1', '1', '202k', cost.bob],
  ];
  const grace = ['Grace Hopper', '', 'just · mainframe', '1', '1', '10.0k', cost.grace];
  const lea = ['lea', 'kilns', 'never', '0', '0', '0', '–'];
  await eventually(async () => {
    assert.deepEqual(await named('People'), [ada, bob, grace, lea]);
    assert.deepEqual(await named('Groups'), [
      ['potters', '', '2', '2', '3', '404k', '$2.10'],
      ['kilns', 'lea', '2', '1', '1', '202k', cost.bob],
    ]);
  });
  await page.getByRole('link', { name: 'Prompts' }).click();
  await hasCount(page, 'th[aria-sort="descending"]', 1);
  await areNamed(['ada', 'bob', 'Grace Hopper', 'lea']);
  await page.getByRole('link', { name: 'Person' }).click();
  await hasCount(page, 'th.name[aria-sort="ascending"]', 1);
  await page.getByRole('link', { name: 'Person' }).click();
  await hasCount(page, 'th.name[aria-sort="descending"]', 1);
  await areNamed(['lea', 'Grace Hopper', 'bob', 'ada']);
  await page.getByRole('button', { name: '30 days' }).click();
  // What bob did was forty days ago; when he pushed is not a matter of the range.
  await page.getByRole('row', { name: /^bob/ }).getByText('–').waitFor();
  await eventually(async () => {
    const rows = await named('People');
    assert.deepEqual(
      ['bob', 'ada'].map((person) => rows.find(([name]) => name === person)),
      [['bob', 'kilns, potters', 'just · bob-desktop', '0', '0', '0', '–'], ada],
    );
  });
  await isAccessibleInBoth(page);
  await page.getByRole('link', { name: 'ada', exact: true }).click();
  await hasCount(page, '.session-rows .title-link', 1);
  await page.locator('.session-rows .cell-person', { hasText: /^ada$/ }).waitFor();
  await noComplaints(opened);
}

async function fitsPhone(server: StorePage): Promise<void> {
  const opened = await server.open('/people?range=all', phone);
  const { page } = opened;
  await page.getByRole('table', { name: 'People' }).waitFor();
  await eventually(async () => {
    const sizes = await page.evaluate<readonly number[]>(`(() => {
      const main = document.querySelector('main');
      return [main.scrollWidth, main.clientWidth];
    })()`);
    assert.ok((sizes[0] ?? 0) <= (sizes[1] ?? 0), sizes.join());
  });
  await page.getByRole('combobox', { name: 'Sort' }).selectOption('name');
  await hasCount(page, '.people-table tbody a', 4);
  const first = page.getByRole('table', { name: 'People' }).locator('tbody tr').first();
  await eventually(async () => assert.match(await first.innerText(), /ada[\s\S]*2 prompts/));
  await isAccessibleInBoth(page);
  await noComplaints(opened);
}

async function refusesChanges(server: StorePage): Promise<void> {
  const post = (body: object): RequestInit => ({ method: 'POST', body: JSON.stringify(body) });
  const asked: readonly (readonly [string, RequestInit?])[] = [
    ['/api/changes', post({})],
    [`/api/sessions/${adaSession.id}/actions/star`, post({ options: {}, fingerprint: '0'.repeat(32) })],
    [`/api/sessions/${adaSession.id}/actions/star`],
    [`/api/sessions/${adaSession.id}/doctor`],
    [`/api/sessions/${adaSession.id}/fix`],
    ['/api/doctor'],
    ['/api/doctor', post({})],
    ['/api/operations'],
  ];
  for (const [address, init] of asked) {
    const { status } = await server.ask(address, init);
    assert.equal(status, 403, address);
  }
  const live = await server.ask('/api/live');
  assert.deepEqual(JSON.parse(live.text), { sessions: [] });
  const opened = await server.open('/health');
  await opened.page.getByText('Health is about the files of a machine').waitFor();
  await noComplaints(opened);
}

async function showsPush(server: StorePage, store: PageStore): Promise<void> {
  const opened = await server.open('/');
  await hasCount(opened.page, '.session-rows .title-link', 3);
  await isListening(opened);
  const added = { ...adaSession, id: id(4), title: 'a second kiln', prompts: ['build it'], daysAgo: 0 };
  await store.share({ person: 'ada', level: 4, machine: 'ada-laptop', sessions: [adaSession, added] });
  await opened.page.getByText('a second kiln').waitFor();
  await noComplaints(opened);
}

async function removesText(server: StorePage, store: PageStore): Promise<void> {
  const shared = await server.ask(`/api/sessions/${bobSession.id}`);
  assert.equal(shared.status, 200);
  assert.match(textOnDisk(server.home), /quokka/);
  await store.share({ person: 'bob', level: 1, machine: 'bob-desktop', sessions: [bobSession] });
  let answer = await server.ask(`/api/sessions/${bobSession.id}`);
  for (let tries = 0; answer.status === 200 && tries < 600; tries++) {
    await setTimeout(100);
    answer = await server.ask(`/api/sessions/${bobSession.id}`);
  }
  assert.equal(answer.status, 409);
  assert.match(answer.text, /bob shares only metrics of this session/);
  assert.doesNotMatch(textOnDisk(server.home), /quokka/);
}

/** All files of the server. */
function textOnDisk(home: string): string {
  return readdirSync(home, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

async function survivesRestart(server: StorePage, store: PageStore): Promise<void> {
  store.server.stop('immediate');
  const lost = await server.ask('/api/usage');
  assert.notEqual(lost.status, 200);
  assert.match(lost.text, /the store|connection/);
  // Neither may the text be read while nobody can say whether it is still shared.
  await setTimeout(5_100);
  const unsure = await server.ask(`/api/sessions/${adaSession.id}`);
  assert.notEqual(unsure.status, 200);
  store.server.start();
  let again = await server.ask('/api/usage');
  for (let tries = 0; again.status !== 200 && tries < 300; tries++) {
    await setTimeout(100);
    again = await server.ask('/api/usage');
  }
  assert.equal(again.status, 200, again.text);
  assert.ok(!(lost.text + again.text).includes('pass-canary'));
}

async function endsClean(server: StorePage): Promise<void> {
  const own = await server.ask(`/api/sessions/${adaSession.id}`);
  assert.equal(own.status, 200);
  const restored = path.join(server.home, 'restored');
  const [folder = ''] = readdirSync(restored);
  assert.equal(statSync(path.join(restored, folder)).mode & 0o777, 0o700);
  assert.match(textOnDisk(restored), new RegExp(secret));
  await server.clew.end('SIGTERM');
  assert.deepEqual(readdirSync(restored), []);
}

test('what `clew open --store` refuses', { skip, timeout: 300_000 }, async (context) => {
  const store = await startStore(context);
  const address = store.addressOf('ada');
  const env = { CLEW_HOME: path.join(temporaryFolder(context), 'state') };
  const refusedBy = async (...args: readonly string[]): Promise<string> => {
    const clew = startClew(context, ['open', '--no-browser', ...args], env);
    await clew.says(/\n/);
    const [code] = await clew.ended;
    assert.notEqual(code, 0);
    return clew.stderr();
  };
  const changing = await refusedBy('--store', address, '--allow-changes');
  assert.match(changing, /--allow-changes does not work with --store/);
  const missing = await refusedBy('--store', address, '99999999');
  assert.match(missing, /the store shows no session 99999999/);
  const unknown = await refusedBy('--store', address.replace('ada@', 'nobody:pass-canary-92@'));
  assert.match(unknown, /does not accept this user/);
  assert.ok(!unknown.includes('pass-canary-92'), unknown);
  const server = await openStorePage(context, address, ['--everyone', '22222222']);
  assert.equal(new URL(server.url).pathname, `/s/${bobSession.id}`);
  // Whoever is given the address has asked for nothing yet.
  assert.deepEqual(readings(store), []);
  assert.equal(existsSync(path.join(server.home, 'restored')), false);
});

async function showsLead(context: TestContext): Promise<void> {
  const store = await startStore(context);
  const server = await openStorePage(context, store.addressOf('lea'));
  const opened = await server.open('/people?range=all');
  const { page } = opened;
  await page.getByRole('table', { name: 'People' }).waitFor();
  const names = async (name: string) => (await tableTexts(page, name)).map(([first]) => first);
  await eventually(async () => {
    assert.deepEqual(await names('People'), ['bob', 'lea']);
    // Of potters she sees bob alone, who leads nobody.
    assert.deepEqual(
      (await tableTexts(page, 'Groups')).map(([name, , count]) => [name, count]),
      [
        ['kilns', '2'],
        ['potters', '1'],
      ],
    );
  });
  await noComplaints(opened);
  const { status, text } = await server.ask(`/api/sessions/${bobSession.id}`);
  assert.deepEqual([status, JSON.parse(text).error], [409, 'your role sees what others used, not what they said']);
  const listed = await server.ask('/api/sessions');
  assert.ok(!listed.text.includes('throwing a bowl'));
  assert.deepEqual(readings(store), []);
}
