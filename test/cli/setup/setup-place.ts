// A seed → a config folder with settings of any form, and the parts to set up in it. The original bytes are the oracle of
// what is left, and the entries as the test itself reads them.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { cleanEnv, type Run, runClew } from '../../support/clew.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { sessionText, user } from '../../support/session-text.ts';
import { type CallPoint, listPoints, runStruck, type Strike } from '../../support/struck-calls.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

const allParts = ['mcp', 'archive', 'push', 'guard', 'trace', 'statusline', 'skill'] as const;
type Part = (typeof allParts)[number];

export interface SetupCase {
  readonly seed: number;
  /** By their names in the root; folders have the value `null`. */
  readonly files: Readonly<Record<string, string | null>>;
  readonly parts: readonly Part[];
}

export function generateCase(seed: number): SetupCase {
  const random = seededRandom(seed);
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const some = <T>(values: readonly T[], share: number): readonly T[] => values.filter(() => random() < share);
  const chosen = some(allParts, 0.6);
  const settings = random() < 0.15 ? undefined : layOut(settingsValue(random, pick), random, pick);
  const config = random() < 0.15 ? undefined : layOut(configValue(pick), random, pick);
  return {
    seed,
    files: {
      ...(settings === undefined ? {} : { 'settings.json': settings }),
      ...(config === undefined ? {} : { '.claude.json': config }),
      ...Object.fromEntries(
        some(['commands', 'skills', 'commands/clew', 'skills/other'], 0.2).map((name) => [name, null]),
      ),
      ...(random() < 0.3 ? { 'commands/mine.md': 'mine\n' } : {}),
      ...(random() < 0.2 ? { 'commands/clew/mine.md': 'of the user\r\n' } : {}),
    },
    parts: chosen.length === 0 ? [pick(allParts)] : chosen,
  };
}

type Random = () => number;
type Pick = <T>(values: readonly T[]) => T;

function settingsValue(random: Random, pick: Pick): object {
  const theirs = { type: 'command', command: 'echo "theirs" # é' };
  const group = pick([[], [{ hooks: [theirs] }], [{ matcher: 'x', hooks: [theirs, theirs] }, { hooks: [] }]]);
  const hooks = pick([undefined, {}, { SessionEnd: group }, { PreToolUse: group, Stop: [] }, { Other: group }]);
  return {
    ...(random() < 0.7 ? { model: 'opus' } : {}),
    ...(hooks === undefined ? {} : { hooks }),
    ...(random() < 0.3 ? { statusLine: { type: 'command', command: 'mine', padding: 0 } } : {}),
    ...(random() < 0.5 ? { env: { A: '\u2028"\\' }, list: [1, [2, { a: null }]] } : {}),
  };
}

function configValue(pick: Pick): object {
  const servers = pick([undefined, {}, { other: { command: 'x', args: [] } }]);
  return {
    numStartups: 0,
    ...(servers === undefined ? {} : { mcpServers: servers }),
    projects: { '/home/kim': { history: [{ display: 'hello' }] } },
  };
}

/** The same value in the layouts that people and programs write. */
function layOut(value: object, random: Random, pick: Pick): string {
  let text = JSON.stringify(value, null, pick(['', ' ', '  ', '    ', '\t']));
  if (random() < 0.3) text = text.replaceAll('\n', '\r\n');
  if (random() < 0.3) text = text.replaceAll('": ', '"  :  ').replaceAll(',"', ', "');
  if (random() < 0.3) text = text.replace('{', '{ "dup": 1, "dup": [ ],').replace(/,\s*\}/, '}');
  if (random() < 0.2) text = text.replaceAll('opus', '\\u006fpus');
  return `${pick(['', '\uFEFF'])}${text}${pick(['', '\n', '\r\n', '  \n\n'])}`;
}

export class SetupPlace {
  readonly root: string;
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
  readonly parts: readonly Part[];
  readonly original: Readonly<Record<string, string>>;

  constructor(context: TestContext, { files, parts }: SetupCase) {
    const folder = temporaryFolder(context);
    this.root = path.join(folder, 'claude');
    this.state = path.join(folder, 'state');
    this.parts = parts;
    // No client on the PATH: the newest transcript has the version.
    this.env = { ...cleanEnv(), PATH: '/nowhere', CLEW_HOME: this.state };
    writeTree(this.root, { 'projects/p/s.jsonl': sessionText([user('hi')], { version: '2.1.325' }) });
    for (const [name, text] of Object.entries(files))
      if (text === null) mkdirSync(path.join(this.root, name), { recursive: true });
      else writeTree(this.root, { [name]: text });
    if (files['settings.json'] !== undefined) chmodSync(path.join(this.root, 'settings.json'), 0o640);
    this.original = this.snapshot();
  }

  get setup(): readonly string[] {
    return ['setup', ...this.parts.map((part) => `--${part}`), '--yes', '--root', this.root];
  }

  get remove(): readonly string[] {
    return ['setup', '--remove', '--yes', '--root', this.root];
  }

  run(args: readonly string[]): Run {
    return runClew(args, { env: this.env });
  }

  points(args: readonly string[]): readonly CallPoint[] {
    return listPoints(args, { env: this.env });
  }

  strike(args: readonly string[], point: CallPoint, strike: Strike): Run {
    const run = runStruck(args, point, strike, { env: this.env });
    this.ageClientLock();
    return run;
  }

  /** As if the time had passed after which a client takes a lock for abandoned. */
  ageClientLock(): void {
    const lock = path.join(this.root, '.claude.json.lock');
    if (existsSync(lock)) utimesSync(lock, 0, 0);
  }

  /** Every file and folder with its bytes and its mode. */
  snapshot(): Readonly<Record<string, string>> {
    const names = readdirSync(this.root, { recursive: true }).map(String).sort();
    return Object.fromEntries(
      names.map((name) => {
        const file = path.join(this.root, name);
        const stats = statSync(file);
        return [name, `${stats.mode.toString(8)} ${stats.isFile() ? readFileSync(file, 'base64') : 'folder'}`];
      }),
    );
  }

  checkRemoved(what: string): void {
    const run = this.run(this.remove);
    assert.equal(run.status, 0, `${what}: ${run.stderr}`);
    assert.deepEqual(this.snapshot(), this.original, what);
    const left = existsSync(path.join(this.state, 'setup')) ? readdirSync(path.join(this.state, 'setup')) : [];
    assert.deepEqual(
      left.filter((name) => name !== 'setup.json'),
      [],
      what,
    );
    if (left.length > 0)
      assert.deepEqual(JSON.parse(readFileSync(path.join(this.state, 'setup/setup.json'), 'utf8')).roots, {});
  }

  checkAdded(what: string): void {
    const run = this.run(this.setup);
    assert.equal(run.status, 0, `${what}: ${run.stderr}`);
    this.checkInstalled(what);
  }

  /** Each entry exactly once. */
  checkInstalled(what: string): void {
    const { hooks, statusLine } = this.#parse('settings.json') as Settings;
    const commands = Object.entries(hooks ?? {}).flatMap(([event, groups]) =>
      groups.flatMap((group) => group.hooks.map(({ command }) => `${event} ${command}`)),
    );
    const count = (event: string, end: string): number =>
      commands.filter((each) => each.startsWith(event) && each.endsWith(end)).length;
    const found: Record<Part, number> = {
      mcp: (this.#parse('.claude.json') as Config).mcpServers?.clew === undefined ? 0 : 1,
      archive: count('SessionEnd', 'clew.js archive --auto --detach'),
      push: count('SessionEnd', 'clew.js push --auto --detach'),
      guard: (count('PreToolUse', 'clew.js guard') + count('UserPromptSubmit', 'clew.js guard')) / 2,
      trace:
        (count('Stop', 'trace-hook.js') +
          count('SessionStart', 'trace-hook.js') +
          count('SessionEnd', 'trace-hook.js')) /
        3,
      statusline: statusLine?.command.endsWith('clew.js statusline') === true ? 1 : 0,
      skill: copies.filter((name) => existsSync(path.join(this.root, name))).length / copies.length,
    };
    assert.deepEqual(
      found,
      Object.fromEntries(allParts.map((part) => [part, this.parts.includes(part) ? 1 : 0])),
      what,
    );
  }

  #parse(name: string): object {
    const file = path.join(this.root, name);
    const text = existsSync(file) ? readFileSync(file, 'utf8').replace('\uFEFF', '') : '';
    return text.trim() === '' ? {} : (JSON.parse(text) as object);
  }
}

const copies = [
  'skills/clew-recall/SKILL.md',
  ...['find', 'doctor', 'fork', 'usage'].map((name) => `commands/clew/${name}.md`),
];

interface Settings {
  readonly hooks?: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
  readonly statusLine?: { readonly command: string };
}

interface Config {
  readonly mcpServers?: Readonly<Record<string, unknown>>;
}
