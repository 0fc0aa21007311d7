// A home with hostile sessions, and around it files that no call may change: a canary. The sessions are links out of the
// root, pipes, devices, hard links, other programs' files, files that cannot be read, and names with control sequences.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, lchownSync, linkSync, lutimesSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { encodeSlug } from '../../src/store/roots.ts';
import { cleanEnv } from './clew.ts';
import { hostileName, writeHostileDamage } from './hostile-damage.ts';
import { writeHostileLibrary } from './hostile-session.ts';
import { temporaryFolder, writeTree } from './temp-folder.ts';
import { transcript } from './transcript-builder.ts';
import { listTree, snapshotTree, type TreeSnapshot } from './tree-snapshot.ts';

export interface HostilePlace {
  readonly top: string;
  readonly root: string;
  /** The folder of the root with the sessions of the working directory. */
  readonly project: string;
  readonly state: string;
  /** The working directory. */
  readonly work: string;
  /** Files that a command line may use as input: `rules.json`, `summary.md`, `notes.jsonl`, `broken.clew`, `prices.json`, `claude`. */
  readonly input: string;
  /** For output files and folders; `loose` has sessions outside any root, and of a linked project. */
  readonly out: string;
  readonly canary: string;
  readonly env: Readonly<Record<string, string>>;
  /** Words for SESSION, by what they name. */
  readonly sessions: Readonly<Record<SessionName, string>>;
}

export type SessionName = (typeof sessionNames)[number];

export const sessionNames = [
  'sound',
  'twin',
  'linked file',
  'linked side folder',
  'linked files inside',
  'hard link',
  'linked project',
  'pipe',
  'endless device',
  'empty device',
  'text',
  'records of another program',
  'no bytes',
  'folder',
  'closed file',
  'closed folder',
  'hostile text',
  'hostile names',
  'file outside',
  'text outside',
  'folder outside',
  'link to a file outside',
  'session in no root',
  'nothing',
] as const;

const uuid = (digit: string): string =>
  `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`;

/** A secret, so that `clew redact` has something to replace. */
const secret = ['ghp', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('_');

export interface PlaceOptions {
  /** For calls as a user other than root, who cannot read closed files. */
  readonly uid?: number | undefined;
  /** `history.jsonl` is a file instead of a link out of the root. */
  readonly hasSoundHistory?: boolean;
}

export function makeHostilePlace(
  context: { after(end: () => void): void },
  { uid, hasSoundHistory = false }: PlaceOptions = {},
): HostilePlace {
  let closed: readonly string[] = [];
  // Before the folder is removed, which needs to be read for that.
  context.after(() => {
    for (const each of closed) if (existsSync(each)) chmodSync(each, 0o700);
  });
  const top = temporaryFolder(context);
  const [home, state, work] = [path.join(top, 'home'), path.join(top, 'state'), path.join(top, 'work')];
  const [out, canary, input] = [path.join(top, 'out'), path.join(top, 'canary'), path.join(top, 'input')];
  const bin = path.join(top, 'bin');
  const root = path.join(home, '.claude');
  const project = path.join(root, 'projects', encodeSlug(work));
  for (const folder of [state, out, bin, path.join(top, 'tmp'), project]) mkdirSync(folder, { recursive: true });
  writeCanary(top);
  writeSessions(project, work);
  writeInputs(input, work);
  writeTree(out, {
    [`loose/project/${uuid('f')}.jsonl`]: sessionTextOf(uuid('f'), work),
    [`loose/linked/${uuid('a')}.jsonl`]: sessionTextOf(uuid('a'), work),
    [`loose/linked/${uuid('a')}/subagents/agent-sa.jsonl`]: sessionTextOf(uuid('a'), work),
  });
  writeLinks(root, project, canary);
  if (hasSoundHistory) {
    const line = { display: `use ${secret}`, project: work, sessionId: uuid('1') };
    rmSync(path.join(root, 'history.jsonl'));
    writeTree(root, { 'history.jsonl': `${JSON.stringify(line)}\n` });
  }
  const hostile = writeHostileLibrary(root, { answer: 2_000, others: 500 });
  const damage = writeHostileDamage(root);
  const closedFile = path.join(root, 'projects/-closed-file', `${uuid('b')}.jsonl`);
  const closedFolder = path.join(root, 'projects/-closed');
  writeTree(path.dirname(closedFile), { [path.basename(closedFile)]: sessionTextOf(uuid('b'), work) });
  writeTree(closedFolder, { [`${uuid('c')}.jsonl`]: sessionTextOf(uuid('c'), work) });
  // A file that was just written to counts as in use, and would be left alone for that reason.
  for (const each of listTree(top)) lutimesSync(each, 1_750_000_000, 1_750_000_000);
  if (uid !== undefined) for (const each of [top, ...listTree(top)]) lchownSync(each, uid, uid);
  closed = [closedFile, closedFolder];
  for (const each of closed) chmodSync(each, 0);
  return {
    top,
    root,
    project,
    state,
    work,
    input,
    out,
    canary,
    env: environment(top, home, state, bin),
    sessions: {
      sound: uuid('1'),
      twin: uuid('2'),
      'linked file': uuid('3'),
      'linked side folder': uuid('4'),
      'linked files inside': uuid('5'),
      'hard link': uuid('6'),
      'linked project': uuid('a'),
      pipe: path.join(project, `${uuid('7')}.jsonl`),
      'endless device': path.join(project, `${uuid('8')}.jsonl`),
      'empty device': '/dev/null',
      text: uuid('9'),
      'records of another program': path.join(input, 'notes.jsonl'),
      'no bytes': uuid('d'),
      folder: path.join(project, `${uuid('e')}.jsonl`),
      'closed file': closedFile,
      'closed folder': path.join(closedFolder, `${uuid('c')}.jsonl`),
      'hostile text': hostile.file,
      'hostile names': damage.file,
      'file outside': path.join(canary, 'named/records.jsonl'),
      'text outside': path.join(canary, 'named/notes.txt'),
      'folder outside': path.join(canary, 'named'),
      'link to a file outside': path.join(input, 'linked.jsonl'),
      'session in no root': path.join(out, `loose/project/${uuid('f')}.jsonl`),
      nothing: '00000000',
    },
  };
}

/** Nobody listens there: the system gives out higher ports. */
export const closedAddress = '127.0.0.1:28617';

/** Only these programs can be started, none of which opens a window. */
function environment(top: string, home: string, state: string, bin: string): Record<string, string> {
  for (const name of ['git', 'sh', 'bash', 'node']) {
    const found = name === 'node' ? process.execPath : `/usr/bin/${name}`;
    symlinkSync(found, path.join(bin, name));
  }
  return {
    ...cleanEnv(),
    PATH: bin,
    HOME: home,
    CLEW_HOME: state,
    TMPDIR: path.join(top, 'tmp'),
    ANTHROPIC_BASE_URL: `http://${closedAddress}`,
    ANTHROPIC_API_KEY: ['test', 'key'].join('-'),
    CLEW_TRACE_ENDPOINT: `http://${closedAddress}`,
    UV_USE_IO_URING: '0',
  };
}

/** `never` is read by nobody; `linked` is what links in the root lead to; `named` is what calls name as SESSION. */
function writeCanary(top: string): void {
  const session = (digit: string): string => sessionTextOf(uuid(digit), '/home/ada/elsewhere');
  writeTree(top, {
    'home/.ssh/id_ed25519': 'a key\n',
    'home/notes.txt': 'notes\n',
    'canary/never/diary.txt': 'dear diary\n',
    'canary/never/projects/-p/11111111-0000-4000-8000-000000000000.jsonl': session('1'),
    'canary/linked/session.jsonl': session('3'),
    'canary/linked/side/subagents/agent-s4.jsonl': session('4'),
    'canary/linked/side/subagents/agent-s4.meta.json': '{"agentType":"Explore"}\n',
    'canary/linked/side/tool-results/out.txt': `a result with ${secret}\n`,
    'canary/linked/agent.jsonl': session('5'),
    'canary/linked/results/out.txt': `another result with ${secret}\n`,
    'canary/linked/hard.jsonl': session('6'),
    'canary/linked/history.jsonl': `{"display":"${secret}","sessionId":"${uuid('5')}"}\n`,
    'canary/linked/file-history/copy@v1': `${secret}\n`,
    'canary/linked/todo.json': `["${secret}"]\n`,
    'canary/linked/memory.md': 'remember\n',
    'canary/named/records.jsonl': '{"level":"info","message":"a log"}\n{"level":"info","message":"more"}\n',
    'canary/named/notes.txt': 'plain text\n',
    'canary/named/outside.jsonl': session('f'),
  });
  chmodSync(path.join(top, 'canary/never/diary.txt'), 0o640);
}

/** Two turns, a tool call, a sub-agent's call, thinking and a secret: every command has something to do. */
function sessionTextOf(sessionId: string, cwd: string, prompt = 'second prompt', letter = ''): string {
  const lines = transcript({ sessionId, cwd, gitBranch: 'main' })
    .user('first prompt')
    .call('toolu_1')
    .result('toolu_1', { toolUseResult: { stdout: `the token is ${secret}`, stderr: '' } })
    .assistant([
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'text', text: `it is ${secret}` },
    ]);
  const more = letter === '' ? {} : { uuid: `u2${letter}` };
  return lines
    .user(prompt, more)
    .assistant('second answer', letter === '' ? {} : { uuid: `a3${letter}`, message: { id: `m9${letter}` } })
    .text();
}

function writeSessions(project: string, work: string): void {
  const agent = transcript({ sessionId: uuid('1'), isSidechain: true, agentId: 's1', cwd: work });
  const sessions = ['1', '4', '5'].map((digit) => [`${uuid(digit)}.jsonl`, sessionTextOf(uuid(digit), work)]);
  writeTree(project, {
    ...Object.fromEntries(sessions),
    [`${uuid('2')}.jsonl`]: sessionTextOf(uuid('2'), work, 'another prompt', 'x'),
    [`${uuid('1')}/subagents/agent-s1.jsonl`]: agent.user('look').assistant('found').text(),
    [`${uuid('1')}/tool-results/out.txt`]: `a result with ${secret}\n`,
    [`${uuid('1')}/tool-results/${secret}.txt`]: 'a result under a secret name\n',
    [`${uuid('5')}/subagents/agent-own.jsonl`]: agent.text(),
    [`${uuid('9')}.jsonl`]: 'plain text, not a transcript\n',
    [`${uuid('d')}.jsonl`]: '',
    [`${uuid('e')}.jsonl/inside.txt`]: 'a folder\n',
    'memory/notes.md': 'remember\n',
    [`${hostileName}.jsonl`]: sessionTextOf(uuid('0'), `/home/${hostileName}`),
  });
}

function writeInputs(input: string, work: string): void {
  writeTree(work, { 'source.ts': 'export const one = 1;\n' });
  writeTree(input, {
    'rules.json': '{"rules":[{"kind":"ticket","pattern":"TICKET-[0-9]+"}]}\n',
    'summary.md': 'They talked about a token.\n',
    'notes.jsonl': '{"level":"info","message":"a log"}\n',
    'broken.clew': 'not a bundle\n',
    'prices.json': '{"version":"9000-01-01","models":[{"id":"m","prices":[{"input":1,"output":1}]}]}\n',
    // Instead of Claude Code: it says its version and nothing else.
    claude: '#!/bin/sh\necho "2.1.325 (Claude Code)"\n',
  });
  chmodSync(path.join(input, 'claude'), 0o755);
}

function writeLinks(root: string, project: string, canary: string): void {
  const linked = path.join(canary, 'linked');
  const at = (name: string): string => path.join(project, name);
  writeTree(root, {
    'settings.json': '{"model":"opus"}\n',
    [`todos/${uuid('1')}-agent-${uuid('1')}.json`]: `["${secret}"]\n`,
    [`todos/${uuid('1')}-agent-${secret}.json`]: '[]\n',
    [`file-history/${uuid('1')}/copy@v1`]: `${secret}\n`,
    [`jobs/${uuid('1').slice(0, 8)}/state.json`]: `{"sessionId":"${uuid('1')}","note":"${secret}"}\n`,
  });
  const links: readonly (readonly [target: string, link: string])[] = [
    [path.join(linked, 'session.jsonl'), at(`${uuid('3')}.jsonl`)],
    [path.join(linked, 'side'), at(uuid('4'))],
    [path.join(linked, 'agent.jsonl'), at(`${uuid('5')}/subagents/agent-s5.jsonl`)],
    [path.join(linked, 'results'), at(`${uuid('5')}/tool-results`)],
    ['/dev/zero', at(`${uuid('8')}.jsonl`)],
    [path.join(canary, '../out/loose/linked'), path.join(root, 'projects/-linked')],
    [path.join(linked, 'history.jsonl'), path.join(root, 'history.jsonl')],
    [path.join(linked, 'file-history'), path.join(root, 'file-history', uuid('5'))],
    [path.join(linked, 'todo.json'), path.join(root, 'todos', `${uuid('5')}-agent-${uuid('5')}.json`)],
    [path.join(canary, 'named/records.jsonl'), path.join(root, '../../input/linked.jsonl')],
    ['..', at('loop')],
  ];
  for (const [target, link] of links) {
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
  linkSync(path.join(linked, 'hard.jsonl'), at(`${uuid('6')}.jsonl`));
  spawnSync('mkfifo', [at(`${uuid('7')}.jsonl`)]);
}

/** What may never change: everything but the root, the client's file next to it, Clew's state, output and `open`. */
export function snapshotAround({ top, root, state, out }: HostilePlace, open: readonly string[] = []): TreeSnapshot {
  const home = path.dirname(root);
  const snapshot = snapshotTree(top, [root, state, out, path.join(home, '.claude.json'), ...open]);
  // A new file in it changes its time.
  return new Map([...snapshot].filter(([name]) => name !== path.relative(top, home)));
}
