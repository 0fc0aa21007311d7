// The environment of the agent is sent once, and again only if it changed.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { changedSections, describeSituation, type SituationOptions } from '../../../src/agent/prompt/situation.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const git = (cwd: string, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=K', '-c', 'user.email=k@x.org', ...args], { cwd, stdio: 'pipe' });

function plant(context: TestContext, files: Readonly<Record<string, string>>, more: Partial<SituationOptions> = {}) {
  const top = temporaryFolder(context);
  writeTree(top, { 'app/.keep': '', ...files });
  const options: SituationOptions = {
    cwd: path.join(top, 'app'),
    root: path.join(top, 'user'),
    home: top,
    model: 'claude-test-1',
    mode: 'plan',
    isInteractive: false,
    env: { PATH: process.env.PATH, HOME: top },
    now: new Date(2026, 10, 5, 23, 30),
    gitBranch: '',
    missingTools: [],
    ...more,
  };
  return { top, options };
}

async function sections(options: SituationOptions, sent: readonly string[] = []): Promise<string[]> {
  return (await changedSections(await describeSituation(options), sent)).map(({ text }) => String(text));
}

test('the first time everything is sent, one text per section', async (t) => {
  const { options } = plant(t, { 'app/CLAUDE.md': 'Use tabs.' });
  const texts = await sections(options);
  assert.match(
    texts[0] ?? '',
    /^<system-reminder>\n# Environment\nWorking folder: .*\/app\nPlatform: .*\nQuestions: nobody can answer\n<\/system-reminder>$/,
  );
  assert.deepEqual(texts.slice(1), [
    '<system-reminder>\n# Model\nclaude-test-1\n</system-reminder>',
    '<system-reminder>\n# Permission mode\nplan\nPlan mode is on: only look. Calls that change anything are refused, whatever the rules allow. Read what you need, work out a plan, and present it with ExitPlanMode if you have that tool. Nothing is carried out before the person has approved the plan.\n</system-reminder>',
    '<system-reminder>\n# Date\n2026-11-05\n</system-reminder>',
    '<system-reminder>\n# Git\nnot a repository\n</system-reminder>',
    `<system-reminder>\n# Instructions for this work\nFollow these; where they contradict each other, the later one holds, and what the person says in the conversation goes before all of them.\n\n## ${options.cwd}/CLAUDE.md (instructions of the project)\n\nUse tabs.\n</system-reminder>`,
  ]);
});

test('later only changed sections are sent, also when they change back', async (t) => {
  const { options } = plant(t, {}, { appended: 'Be brief.' });
  // Lines of one message are joined with a newline.
  const first = (await sections(options)).map((text) => `${text}\n`);
  assert.deepEqual(await sections(options, first), []);
  const other = await sections({ ...options, model: 'claude-test-2', appended: '', missingTools: ['Bash'] }, first);
  assert.deepEqual(other, [
    '<system-reminder>\n# Model\nclaude-test-2\n</system-reminder>',
    '<system-reminder>\n# Further instructions\nnone\n</system-reminder>',
    '<system-reminder>\n# Tools that are not available now\nBash\n</system-reminder>',
  ]);
  const back = await sections(options, [...first, ...other]);
  assert.deepEqual(back, [
    '<system-reminder>\n# Model\nclaude-test-1\n</system-reminder>',
    '<system-reminder>\n# Further instructions\nBe brief.\n</system-reminder>',
    '<system-reminder>\n# Tools that are not available now\nnone\n</system-reminder>',
  ]);
});

test('instructions that begin like those sent before, but are longer, are sent again', async (t) => {
  const { options } = plant(t, { 'app/CLAUDE.md': 'Use tabs.' });
  const first = await sections(options);
  writeTree(options.cwd, { 'CLAUDE.md': 'Use tabs.\nAnd spaces.' });
  const second = await sections(options, first);
  assert.equal(second.length, 1);
  assert.match(second[0] ?? '', /Use tabs\.\nAnd spaces\.\n<\/system-reminder>$/);
  writeTree(options.cwd, { 'CLAUDE.md': 'Use tabs.' });
  assert.equal((await sections(options, [...first, ...second])).length, 1);
});

test('the state of the repository is sent with the branch, and not again for a changed file', async (t) => {
  const { options } = plant(t, { 'app/a.txt': 'a' }, { gitBranch: 'main' });
  git(options.cwd, 'init', '-q', '-b', 'main');
  git(options.cwd, 'add', '.');
  git(options.cwd, 'commit', '-q', '-m', 'first thing');
  writeTree(options.cwd, Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`n${index}`, ''])));
  const sent = await sections(options);
  const text = sent.find((each) => each.includes('# Git')) ?? '';
  assert.match(text, /# Git\nbranch main\nin .*\/app, as of now\nChanges:\n {2}\?\? n0\n/);
  assert.match(text, /\n {2}… and 10 more\nLast commits:\n {2}[0-9a-f]+ first thing\n<\/system-reminder>$/);
  writeTree(options.cwd, { 'a.txt': 'b' });
  assert.deepEqual(await sections(options, sent), []);
});

test('the configuration of a repository starts no program', async (t) => {
  const { top, options } = plant(
    t,
    { 'app/a.txt': 'a', 'app/.gitattributes': '*.txt filter=evil' },
    { gitBranch: 'main' },
  );
  git(options.cwd, 'init', '-q', '-b', 'main');
  git(options.cwd, 'add', '.');
  git(options.cwd, 'commit', '-q', '-m', 'x');
  writeTree(options.cwd, { 'a.txt': 'b' });
  git(options.cwd, 'config', 'core.fsmonitor', `touch ${top}/monitor; false`);
  git(options.cwd, 'config', 'filter.evil.clean', `touch ${top}/filter; cat`);
  git(options.cwd, 'config', 'filter.evil.required', 'true');
  const text = (await sections(options)).find((each) => each.includes('# Git')) ?? '';
  assert.match(text, /\nChanges:\n {3}M a\.txt\n/);
  assert.deepEqual(readdirSync(top), ['app']);
  // Plain git would have run them.
  git(options.cwd, 'status');
  assert.deepEqual(readdirSync(top).sort(), ['app', 'filter', 'monitor']);
});

test('a notice reports what was left out of the instructions', async (t) => {
  const notes: string[] = [];
  const { top, options } = plant(t, { 'app/CLAUDE.md': '@gone.md' }, { note: (text) => notes.push(text) });
  await sections(options);
  assert.deepEqual(notes, [`${top}/app/CLAUDE.md imports gone.md, which does not exist`]);
});
