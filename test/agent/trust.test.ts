// The content of a folder has no effect before the user trusts it, and the user sees a complete list.
import assert from 'node:assert/strict';
import fs, { mkdirSync, readdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { readSettingsFiles } from '../../src/agent/settings/settings.ts';
import {
  acceptFolder,
  isFolderAccepted,
  type OfferItem,
  readProjectOffer,
  summariseOffer,
  type TrustPlace,
} from '../../src/agent/trust/trust.ts';
import { startAgent } from '../support/agent-kit.ts';
import { calls, says } from '../support/headless-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { sprungTraps, trapFiles, trapList, trapWords } from '../support/trap-folder.ts';

function trapPlace(t: TestContext): TrustPlace & { readonly folder: string } {
  const folder = realpathSync(temporaryFolder(t));
  writeTree(folder, trapFiles);
  const [cwd, home] = [path.join(folder, 'project'), path.join(folder, 'home')];
  return { folder, cwd, home, root: path.join(home, '.claude'), env: { CLEW_HOME: path.join(folder, 'state') } };
}

async function offerOf(place: TrustPlace): Promise<readonly OfferItem[]> {
  const { cwd, root, env } = place;
  return readProjectOffer(place, await readSettingsFiles({ root, projectDir: cwd, env }));
}

test('the list for a folder names every trap and what it runs', async (t) => {
  const place = trapPlace(t);
  const offer = await offerOf(place);
  const byHand = [...trapList, ['import', path.join(place.folder, 'secrets/note.md')]];
  assert.deepEqual(
    offer.map(({ kind, text }) => [kind, text]),
    byHand,
  );
  assert.equal(
    summariseOffer(offer.slice(0, 6)),
    'allow rules (3), hooks (1), settings (1), additional directories (1)',
  );
  assert.deepEqual(sprungTraps(place.folder), []);
});

test('an empty folder and the home folder have an empty list', async (t) => {
  const folder = temporaryFolder(t);
  writeTree(folder, {
    'plain/.claude/settings.json': JSON.stringify({ permissions: { deny: ['Bash'], ask: ['Edit'] } }),
    'plain/CLAUDE.md': 'Words.',
    'home/.claude/settings.json': JSON.stringify({ hooks: { Stop: [{ hooks: [{ command: 'x' }] }] } }),
    'home/.claude/settings.local.json': JSON.stringify({ env: { A: 'b' } }),
    'home/.claude/commands/mine.md': 'Mine.',
  });
  const home = path.join(folder, 'home');
  for (const cwd of [path.join(folder, 'plain'), home])
    assert.deepEqual(await offerOf({ cwd, home, root: path.join(home, '.claude'), env: process.env }), [], cwd);
});

test('a folder is trusted if it was accepted here or in Claude Code, without the folders in it', async (t) => {
  const place = trapPlace(t);
  const below = { ...place, cwd: path.join(place.cwd, 'below') };
  mkdirSync(below.cwd);
  const accepted = async (): Promise<readonly boolean[]> => [
    await isFolderAccepted(place),
    await isFolderAccepted(below),
  ];
  assert.deepEqual(await accepted(), [false, false]);
  const claude = (value: unknown): void =>
    writeTree(place.home, { '.claude.json': JSON.stringify({ projects: { [place.cwd]: value } }) });
  claude({ hasTrustDialogAccepted: false });
  assert.deepEqual(await accepted(), [false, false]);
  claude({ hasTrustDialogAccepted: 'true' });
  assert.deepEqual(await accepted(), [false, false]);
  claude({ hasTrustDialogAccepted: true });
  assert.deepEqual(await accepted(), [true, false]);
  claude({});
  await acceptFolder(place, new Date('2026-01-02T03:04:05Z'));
  await acceptFolder(place, new Date('2026-01-02T03:04:06Z'));
  assert.deepEqual(await accepted(), [true, false]);
  // The same folder through a link.
  const link = path.join(place.folder, 'link');
  symlinkSync(place.cwd, link);
  assert.equal(await isFolderAccepted({ ...place, cwd: link }), true);
  // A file of the same name for another folder does not count.
  const state = path.join(place.folder, 'state/trusted-folders');
  const [name = ''] = readdirSync(state);
  writeFileSync(path.join(state, name), JSON.stringify({ folder: '/other', acceptedAt: '2026-01-02T03:04:05Z' }));
  assert.deepEqual(await accepted(), [false, false]);
});

const script = [
  calls(
    ['Bash', { command: 'touch ../trap-rule-$TRAP_NAME' }],
    ['Bash', { command: 'mkdir ../trap-local-rule' }],
    ['Read', { file_path: '../secrets/note.md' }],
    ['Skill', { skill: 'snare' }],
  ),
  says('done'),
  says('done'),
];

async function springTraps(t: TestContext, isProjectTrusted: boolean) {
  const folder = realpathSync(temporaryFolder(t));
  // Even if the user lets every project server start: that means trusted projects.
  const files = { ...trapFiles, 'claude/settings.json': JSON.stringify({ enableAllProjectMcpServers: true }) };
  const kit = await startAgent(t, script, { folder, files, isProjectTrusted, mode: 'default' });
  await kit.agent.prompt('go');
  await kit.agent.prompt('/lure now');
  await kit.agent.close('exit');
  const notices = kit.events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  return { sprung: sprungTraps(folder), sent: JSON.stringify(kit.bodies()), notices };
}

test('without trust nothing in a folder takes effect', async (t) => {
  const { sprung, sent, notices } = await springTraps(t, false);
  assert.deepEqual(sprung, []);
  assert.doesNotMatch(sent, trapWords);
  assert.match(sent, /Project words/);
  assert.deepEqual(notices.slice(0, 1), [
    'this folder is not trusted, so its allow rules (3), hooks (6), settings (1), additional directories (1), permission modes (1), variables (1), status lines (1), API key helpers (1), MCP servers (2), skills (1), commands (1), agents (1) are left out; accept it in clew chat, or add --trust-project',
  ]);
});

test('with trust the same folder takes effect, so the traps are real', async (t) => {
  const { sprung, sent } = await springTraps(t, true);
  const expected = [
    'key',
    'local-rule',
    'prompt',
    'server',
    'server-inside',
    'session-end',
    'session-start',
    'stop',
    'tool',
  ];
  assert.deepEqual(
    expected.filter((name) => !sprung.includes(name)),
    [],
  );
  assert.ok(sprung.includes('command'), 'a command that the person typed');
  assert.match(sent, /a snare/);
  assert.match(sent, /Command words/);
});

test('the settings files of a folder that is not trusted are opened once', async (t) => {
  const opened: string[] = [];
  const { openSync } = fs;
  fs.openSync = (file, ...more) => {
    if (String(file).includes('settings')) opened.push(path.basename(String(file)));
    return openSync(file, ...more);
  };
  syncBuiltinESMExports();
  t.after(() => {
    fs.openSync = openSync;
    syncBuiltinESMExports();
  });
  await startAgent(t, [], { folder: realpathSync(temporaryFolder(t)), files: trapFiles, isProjectTrusted: false });
  assert.deepEqual(opened, ['settings.local.json', 'settings.json', 'settings.json']);
});
