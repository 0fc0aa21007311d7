// A small but complete root for the explorer: sessions with sub-agents, stored results, memory, prompts, todos and copies of
// files, made again from a template for every explored call.
import { cpSync, existsSync, lstatSync, lutimesSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { encodeSlug } from '../../src/store/roots.ts';
import type { Endable } from '../support/after-test.ts';
import { cleanEnv } from '../support/clew.ts';
import { temporaryFolder, writeTree } from '../support/temp-folder.ts';
import { transcript } from '../support/transcript-builder.ts';
import { listTree } from '../support/tree-snapshot.ts';

export interface ExploredPlace {
  readonly top: string;
  readonly root: string;
  readonly state: string;
  readonly work: string;
  /** What a command may change: the root and the files next to it, output, and Clew's own folder. */
  readonly folders: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The words in braces of a command line. */
  readonly words: Readonly<Record<string, string>>;
  /** Keeps the place as it is now, for `reset`. */
  keep(): void;
  reset(): void;
}

const uuid = (digit: string): string =>
  `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;

/** The session that commands change is `subject`; `twin` shares its first turn; `other` and `spare` are elsewhere. */
export const explored: Readonly<Record<'subject' | 'twin' | 'other' | 'damaged' | 'spare', string>> = {
  subject: uuid('a'),
  twin: uuid('b'),
  other: uuid('c'),
  damaged: uuid('d'),
  spare: uuid('e'),
};

const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');

/** `env` is added to that of the commands, such as the address of a model. */
export function makeExploredPlace(context: Endable, env: Readonly<Record<string, string>> = {}): ExploredPlace {
  const base = temporaryFolder(context);
  const top = path.join(base, 'place');
  const template = path.join(base, 'template');
  const at = (name: string): string => path.join(top, name);
  const [home, state, work] = [at('home'), at('state'), at('work')];
  const root = path.join(home, '.claude');
  const [moved, out, input] = [at('moved'), at('out'), at('input')];
  for (const folder of [state, work, moved, out, input, at('elsewhere'), at('tmp')])
    mkdirSync(folder, { recursive: true });
  writeRoot(root, work, at('elsewhere'));
  const team = { store: 'postgres://ada@127.0.0.1:9/clew', machine: 'explored', level: 'text' };
  writeTree(state, { 'team.json': `${JSON.stringify(team)}\n` });
  for (const each of listTree(top)) lutimesSync(each, 1_750_000_000, 1_750_000_000);
  const copy = (from: string, to: string): void => {
    rmSync(to, { recursive: true, force: true });
    cpSync(from, to, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  };
  copy(top, template);
  return {
    top,
    root,
    state,
    work,
    folders: [home, state, out, work, moved, input],
    env: {
      ...cleanEnv(),
      HOME: home,
      CLEW_HOME: state,
      TMPDIR: at('tmp'),
      // Nobody listens there.
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:28617',
      ANTHROPIC_API_KEY: ['test', 'key'].join('-'),
      ...env,
    },
    words: { ...explored, work, moved, out, input },
    keep: () => copy(top, template),
    reset: () => copy(template, top),
  };
}

/** Every file and folder below the top with its bytes; of Clew's own folder, only the stars. */
export function readPlace({ top, state }: Pick<ExploredPlace, 'top' | 'state'>): Map<string, string> {
  const own = [path.join(state, 'stars')];
  const isLeftOut = (file: string): boolean =>
    file === path.join(top, 'tmp') || (path.dirname(file) === state && !own.includes(file)) || file === state;
  const files = [
    ...listTree(top, isLeftOut),
    ...own.filter((each) => existsSync(each)).flatMap((each) => listTree(each)),
  ];
  return new Map(
    files.map((file) => {
      const stats = lstatSync(file);
      const isFile = stats.isFile();
      return [path.relative(top, file) + (stats.isDirectory() ? '/' : ''), isFile ? readFileSync(file, 'latin1') : ''];
    }),
  );
}

/** Files and folders that only a command at work may leave. */
export function findLeftovers({ top, state }: Pick<ExploredPlace, 'top' | 'state'>): readonly string[] {
  const operations = path.join(state, 'operations');
  const named = listTree(top)
    .map((file) => path.relative(top, file))
    .filter((file) =>
      /(?:^|\/)\.clew-[^/]*\.tmp$|(?:^|\/)[^/]*lock\.[0-9a-f]{16}$|\/operations\/[^/]+\/staged$/.test(file),
    );
  const unrecorded = (existsSync(operations) ? readdirSync(operations) : [])
    .filter((name) => /^\d{8}T/.test(name) && !existsSync(path.join(operations, name, 'operation.json')))
    .map((name) => `state/operations/${name} without a record`);
  return [...named, ...unrecorded];
}

function writeRoot(root: string, work: string, elsewhere: string): void {
  const project = path.join('projects', encodeSlug(work));
  const side = path.join(project, explored.subject);
  const agent = transcript({ sessionId: explored.subject, isSidechain: true, agentId: 's1', cwd: work });
  const prompt = (sessionId: string, cwd: string, display: string): string =>
    `${JSON.stringify({ display, pastedContents: {}, timestamp: 1_767_434_400_000, project: cwd, sessionId })}\n`;
  writeTree(root, {
    [`${side}.jsonl`]: sessionText(explored.subject, work, path.join(root, side)),
    [`${side}/subagents/agent-s1.jsonl`]: agent.user('look').assistant('found').text(),
    [`${side}/subagents/agent-s1.meta.json`]: '{"agentType":"Explore"}\n',
    [`${side}/tool-results/out.txt`]: `a result with ${secret}\n`,
    [`${project}/${explored.twin}.jsonl`]: sessionText(explored.twin, work, '', 'x'),
    [`${project}/${explored.damaged}.jsonl`]: withOwnIds(damagedText(explored.damaged, work), 'd'),
    [`${project}/memory/MEMORY.md`]: 'remember\n',
    ...Object.fromEntries(
      [explored.other, explored.spare].map((id, i) => [
        `projects/${encodeSlug(elsewhere)}/${id}.jsonl`,
        withOwnIds(sessionText(id, elsewhere, '', 'y'), `o${i}`),
      ]),
    ),
    'history.jsonl': [
      prompt(explored.subject, work, 'first prompt'),
      prompt(explored.other, elsewhere, 'first prompt'),
      prompt(explored.subject, work, `use ${secret}`),
      prompt(explored.twin, work, 'another prompt'),
    ].join(''),
    'settings.json': '{"model":"opus"}\n',
    [`todos/${explored.subject}-agent-${explored.subject}.json`]: '[]\n',
    [`file-history/${explored.subject}/copy@v1`]: 'the file before\n',
    'plans/a-plan.md': 'a plan\n',
  });
}

/** Two turns, a tool call, thinking and a secret: every command has something to do. */
function sessionText(sessionId: string, cwd: string, side: string, letter = ''): string {
  const saved = `<persisted-output>\nOutput too large (50KB). Full output saved to: ${side}/tool-results/out.txt\n`;
  const more = letter === '' ? {} : { uuid: `u2${letter}` };
  return transcript({ sessionId, cwd, gitBranch: 'main' })
    .user('first prompt')
    .call('toolu_1')
    .result('toolu_1', { toolUseResult: { stdout: side === '' ? `the token is ${secret}` : saved, stderr: '' } })
    .assistant([
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'text', text: `it is ${secret}` },
    ])
    .user(letter === '' ? 'second prompt' : 'another prompt', more)
    .assistant('second answer', letter === '' ? {} : { uuid: `a3${letter}`, message: { id: `m9${letter}` } })
    .text();
}

/** A call without its result, and a line that is cut off. */
function damagedText(sessionId: string, cwd: string): string {
  const text = transcript({ sessionId, cwd }).user('first').call('toolu_9').user('second').assistant('last').text();
  return `${text}${text.slice(0, 40)}\n`;
}

/** Sessions with the same ids of lines count as forks of each other. */
function withOwnIds(text: string, mark: string): string {
  return text.replaceAll(/"([uarm]\d)"/g, `"$1${mark}"`);
}
