// The built command in a repository of traps: with `-p` and in a terminal, before and after the user accepted it.
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startScriptedServer } from '../../src/api/server/messages-server.ts';
import { calls, says, startHeadless } from '../support/headless-kit.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { command, openTerminal, skipWithout } from '../support/terminal.ts';
import { sprungTraps, trapFiles, trapList, trapWords } from '../support/trap-folder.ts';
import { waitFor } from '../support/wait.ts';

const script = [
  calls(
    ['Bash', { command: 'mkdir ../trap-rule' }],
    ['Read', { file_path: '../secrets/note.md' }],
    ['Skill', { skill: 'snare' }],
    ['Write', { file_path: 'written.txt', content: 'x' }],
  ),
  says('All done.'),
];

/** On the disk after acceptance. */
const sprung = [
  'key',
  'prompt',
  'rule',
  'server',
  'server-inside',
  'session-end',
  'session-start',
  'skill',
  'stop',
  'tool',
];

test('-p takes nothing from a folder that nobody accepted, and says what is left out', async (t) => {
  const kit = await startHeadless(t, script, { files: trapFiles });
  const { status, stderr } = await kit.print(['-p', 'go']);
  assert.equal(status, 0);
  assert.deepEqual(sprungTraps(kit.folder), []);
  assert.doesNotMatch(JSON.stringify(kit.bodies()), trapWords);
  assert.equal(existsSync(path.join(kit.cwd, 'written.txt')), false);
  assert.match(
    stderr,
    /^clew: this folder is not trusted, so its allow rules \(3\), hooks \(6\),.* or add --trust-project$/m,
  );
});

test('-p takes it with --trust-project for this run, and after Claude Code recorded an acceptance', async (t) => {
  const flagged = await startHeadless(t, [...script, ...script], { files: trapFiles });
  assert.equal((await flagged.print(['-p', 'go', '--trust-project'])).status, 0);
  assert.deepEqual(sprungTraps(flagged.folder), sprung);
  assert.equal(existsSync(path.join(flagged.cwd, 'written.txt')), true);
  assert.match((await flagged.print(['-p', 'go'])).stderr, /this folder is not trusted/);
  const recorded = await startHeadless(t, script, { files: trapFiles });
  const projects = { [recorded.cwd]: { hasTrustDialogAccepted: true } };
  writeTree(recorded.folder, { 'home/.claude.json': JSON.stringify({ projects }) });
  assert.doesNotMatch((await recorded.print(['-p', 'go'])).stderr, /not trusted/);
  assert.deepEqual(sprungTraps(recorded.folder), sprung);
});

test(
  'chat lists everything before it takes effect; no continues without, yes is remembered',
  {
    skip: skipWithout('tmux'),
  },
  async (t) => {
    const folder = temporaryFolder(t);
    writeTree(folder, trapFiles);
    const server = await startScriptedServer({
      script: [says('Answer one.'), says('Answer two.'), says('Answer three.')],
    });
    t.after(() => server.close());
    const env = {
      CLEW_HOME: path.join(folder, 'state'),
      CLEW_ROOTS: path.join(folder, 'claude'),
      HOME: folder,
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'test',
    };
    const terminal = openTerminal(t, 100, 60, env);
    const start = (): void => terminal.type(`clear; ${command('chat')}; echo "exit $?"`, 'Enter');
    terminal.type(`cd '${folder}/project'`, 'Enter');

    start();
    const asked = await terminal.screen(/Trust this folder\?[\s\S]*Yes, I trust this folder/);
    const joined = asked.replace(/\s+/g, ' ');
    for (const [kind, text] of trapList) assert.ok(joined.includes(`${kind}: ${text} (`), `${kind}: ${text}\n${asked}`);
    assert.ok(joined.includes('secrets/note.md (CLAUDE.md, asked later)'), asked);
    assert.deepEqual(sprungTraps(folder), []);
    // The answer that a key pressed too early gives is no.
    terminal.type('Enter');
    await terminal.screen(/this folder is not trusted/);
    terminal.type('hello', 'Enter');
    await terminal.screen(/Send \S*secrets\/note\.md with the instructions\?/);
    terminal.type('Escape');
    await terminal.screen(/● Answer one\./);
    terminal.type('C-d');
    await terminal.screen(/exit 0/);
    assert.deepEqual(sprungTraps(folder), []);
    assert.doesNotMatch(JSON.stringify(server.requests), trapWords);
    assert.equal(existsSync(path.join(folder, 'state/trusted-folders')), false);

    start();
    await terminal.screen(/Trust this folder\?/);
    terminal.type('2');
    await terminal.screen(/asks first|accepts edits/);
    terminal.type('hello', 'Enter');
    await terminal.screen(/● Answer two\./);
    // The hook of the end of the turn runs after the answer is on the screen, and leaving earlier stops it.
    for (const name of ['session-start', 'prompt', 'stop', 'server'])
      await waitFor(
        () => sprungTraps(folder).includes(name),
        () => `${name} of ${sprungTraps(folder)}`,
      );
    terminal.type('C-d');
    await terminal.screen(/exit 0/);
    assert.equal(readdirSync(path.join(folder, 'state/trusted-folders')).length, 1);

    start();
    await terminal.screen(/accepts edits/);
    terminal.type('hello', 'Enter');
    const shown = await terminal.screen(/● Answer three\./);
    assert.doesNotMatch(shown, /Trust this folder|not trusted/);
  },
);
