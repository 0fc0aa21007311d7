// The hostile cases: what is asked, what must not be in the answers, and what must be.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../src/base/json/json.ts';
import { type HostileLibrary, ids, injections, marks, ownAgentCall, ownCall } from './hostile-library.ts';
import { type Asker, idOf, type ServerOptions, textOf, uuidOf } from './memory-kit.ts';

type Ask = (asker: Asker) => Promise<string>;

export interface HostileCase {
  readonly name: string;
  readonly server?: ServerOptions | ((library: HostileLibrary) => ServerOptions);
  readonly ask: (library: HostileLibrary) => readonly Ask[];
  readonly hasNot: (library: HostileLibrary) => readonly string[];
  readonly has?: (library: HostileLibrary) => readonly string[];
  /** Texts whose every line must be marked as recorded. */
  readonly quoted?: readonly string[];
}

const all = ['prompt', 'answer', 'calls', 'thinking', 'output', 'files'];
const call =
  (name: string, args: JsonObject, meta?: JsonObject): Ask =>
  (asker) =>
    asker.call(name, args, meta);
const search = (query: string, more: JsonObject = {}): Ask => call('search', { query, limit: 20, ...more });
const read = (id: string, turn: string, more: JsonObject = {}): Ask =>
  call('read', { reference: `clew:${idOf(id)}#${turn}`, tokens: 10_000, include: all, ...more });
const outline = (id: string): Ask => call('outline', { session: `clew:${idOf(id)}`, tokens: 10_000 });
const resource =
  (uri: string): Ask =>
  async (asker) =>
    textOf(await asker.ask('resources/read', { uri }));
const resources: Ask = async (asker) => textOf(await asker.ask('resources/list'));
const recallWords =
  (words: string): Ask =>
  async (asker) =>
    textOf(await asker.ask('prompts/get', { name: 'recall', arguments: { words } }));
const nothing = (): readonly string[] => [];

/** Everything that can be asked about a session. */
const everything = (id: string, word: string): readonly Ask[] => [
  search(word),
  search(`buffalo ${word}`),
  read(id, '1'),
  read(id, uuidOf(id, 0).slice(0, 8)),
  outline(id),
  call('outline', { tokens: 10_000 }),
  call('usage', { by: 'session', tokens: 10_000 }),
  resources,
  resource(`clew://session/${idOf(id)}`),
  resource(`clew://session/${idOf(id)}/1`),
  recallWords(word),
];

/** A part of a secret is as bad as the whole. */
function fragments(values: readonly string[]): readonly string[] {
  return values.flatMap((value) =>
    value.split('\n').flatMap((line) => {
      if (/^-----|^$/.test(line)) return [];
      const middle = Math.floor(line.length / 2);
      return line.length < 28 ? [line] : [line.slice(middle - 10, middle + 10)];
    }),
  );
}
const noSecret = ({ secrets, password }: HostileLibrary): readonly string[] => fragments([...secrets, password]);

const injected: readonly HostileCase[] = [
  ['a newline', 'INJECT-NEWLINE'],
  ['a carriage return', 'INJECT-CR'],
  ['a line separator', 'INJECT-LS'],
  ['a paragraph separator', 'INJECT-PS'],
  ['the next-line control', 'INJECT-NEL'],
  ['a vertical tab', 'INJECT-VT'],
  ['a form feed', 'INJECT-FF'],
  ['a forged reference', 'INJECT-FORGED'],
  ['a forged end of the answer', 'INJECT-END'],
  ['a file name', 'INJECT-FILE'],
  ['the name of a tool', 'INJECT-TOOL'],
  ['terminal sequences', 'INJECT-CSI'],
  ['C1 controls', 'INJECT-C1'],
  ['bidi controls', 'INJECT-BIDI'],
  ['invisible tag characters', 'INJECT-TAGS'],
  ['NUL and other controls', 'INJECT-NUL'],
  ['zero-width characters', 'INJECT-ZERO'],
].map(([what, marker]) => ({
  name: `${what} in old output cannot leave the recorded lines`,
  ask: () => [read(ids.injected, '1'), read(ids.injected, '2'), search('elephant'), search('giraffe')],
  hasNot: () => ['\u202e', '\u0007', 'hidden order'],
  quoted: [marker as string],
}));

const forging: readonly HostileCase[] = [
  {
    name: 'a title of two lines stays in its line',
    ask: () => [outline(ids.injected), call('outline', { tokens: 10_000 }), search('elephant')],
    hasNot: nothing,
    quoted: ['INJECT-TITLE'],
  },
  {
    name: 'a title of two lines is one name in the list of resources',
    ask: () => [resources],
    hasNot: () => ['\\n'],
    has: () => ['INJECT-TITLE'],
  },
  {
    name: 'a prompt that forges references cannot leave its line in hits',
    ask: () => [search('giraffe'), recallWords('giraffe')],
    hasNot: () => ['\nclew:deadbeef'],
    has: () => [`clew:${idOf(ids.injected).slice(0, 13)}#`],
  },
  {
    name: 'a forged reference leads nowhere',
    ask: () => [call('read', { reference: 'clew:deadbeef-dead#deadbeef' })],
    hasNot: () => [injections[0] as string],
    has: () => ['ERROR', 'no such session'],
  },
];

const secret: readonly HostileCase[] = [
  {
    name: 'no secret in prompts that search finds',
    ask: ({ secrets }) => secrets.map((_, i) => search(`hippo prompt ${i}`)),
    hasNot: noSecret,
    has: () => ['hippo', '[redacted:'],
  },
  {
    name: 'no secret in hits of answers and output',
    ask: () => [search('hippo answer'), search('hippo output'), search('hippo-run'), search('hippopotamus')],
    hasNot: noSecret,
    has: () => ['hippo'],
  },
  {
    name: 'no secret is found by its own words',
    ask: ({ secrets }) => secrets.map((value) => search(value.slice(0, 900))),
    hasNot: noSecret,
  },
  {
    name: 'no secret in any turn that read shows',
    ask: ({ secrets }) => Array.from({ length: 2 * secrets.length + 4 }, (_, i) => read(ids.secrets, String(i + 1))),
    hasNot: noSecret,
    has: () => ['hippo', '[redacted:'],
  },
  {
    name: 'no secret at the cut of a budget',
    ask: () =>
      [200, 230, 260, 300, 350, 400, 500, 700, 1000].flatMap((tokens) => [
        read(ids.secrets, '1', { tokens }),
        read(ids.secrets, '3', { tokens }),
      ]),
    hasNot: noSecret,
    has: () => ['hippo'],
  },
  {
    name: 'no secret where reading continues',
    ask: ({ secrets }) =>
      Array.from({ length: 40 }, (_, i) =>
        read(ids.secrets, String(2 * secrets.length + 1), { from: `${i}:${i % 3 === 0 ? 0 : 20 + i}`, tokens: 400 }),
      ),
    hasNot: noSecret,
    has: () => ['hippo'],
  },
  {
    name: 'no secret in the outline of a session',
    ask: () => [outline(ids.secrets)],
    hasNot: noSecret,
    has: () => ['[redacted:'],
  },
  {
    name: 'no secret in titles',
    ask: () => [call('outline', { tokens: 10_000 }), resources],
    hasNot: noSecret,
    has: () => ['hippo'],
  },
  {
    name: 'no secret in resources',
    ask: () => [resource(`clew://session/${idOf(ids.secrets)}`), resource(`clew://session/${idOf(ids.secrets)}/1`)],
    hasNot: noSecret,
    has: () => ['[redacted:'],
  },
  { name: 'no secret in the prompt recall', ask: () => [recallWords('hippo')], hasNot: noSecret, has: () => ['hippo'] },
  {
    name: 'no secret that is split by invisible characters',
    ask: ({ secrets }) => [read(ids.secrets, String(2 * secrets.length + 2)), search('hippo split')],
    hasNot: noSecret,
    has: () => ['hippo'],
  },
  {
    name: 'no secret at the end of a long output',
    ask: ({ secrets }) =>
      Array.from({ length: 12 }, (_, i) =>
        read(ids.secrets, String(2 * secrets.length + 3), { from: `1:${44_000 + i * 500}` }),
      ),
    hasNot: ({ key, jwt }) => fragments([key, jwt]),
    has: () => ['lorem'],
  },
  {
    name: 'a password that another turn gives away is known in the whole session',
    ask: ({ secrets }) => [
      read(ids.secrets, String(2 * secrets.length + 4)),
      read(ids.secrets, String(2 * secrets.length + 5)),
    ],
    hasNot: noSecret,
    has: () => ['I will log in with'],
  },
];

const projects: readonly HostileCase[] = (
  [
    ['another project', ids.other, marks.other],
    ['a folder whose path begins alike', ids.prefix, marks.prefix],
    ['a repository inside the project', ids.nested, marks.nested],
    ['a link to another project', ids.linked, marks.linked],
    ['another path with the same name of its project folder', ids.collision, marks.collision],
    ['a session without a folder under that name', ids.bare, marks.bare],
    ['the folder above the project', ids.parent, marks.parent],
    ['an archived session of another project', ids.archivedOther, marks.archivedOther],
    ['a deleted session of another project', ids.deletedOther, marks.deletedOther],
  ] as const
).map(([what, id, mark]) => ({
  name: `${what} is not seen`,
  ask: () => [...everything(id, mark), search('visible buffalo')],
  hasNot: () => [`gnu ${mark}`, `buffalo ${mark}`, idOf(id), idOf(id).slice(0, 13)].map((text) => `${text}`),
  has: () => ['visible gnu'],
}));

const widening: readonly HostileCase[] = [
  ['../..', '..', '/', '*', '%', '', 'other', '~', '.'].map((project) => project),
].flatMap((names) =>
  names.map((project) => ({
    name: `project ${JSON.stringify(project)} does not widen what is seen`,
    ask: () => [search('buffalo', { project }), call('outline', { project, tokens: 10_000 })],
    hasNot: () =>
      Object.values(marks).filter(
        (mark) => !['capybara', 'wombat', 'tapir', 'marmoset', 'platypus', 'quokka'].includes(mark),
      ),
  })),
);

const more: readonly HostileCase[] = [
  {
    name: 'the path of another project as argument does not widen what is seen',
    ask: ({ place }) => [search('buffalo', { project: place.other }), call('outline', { project: place.other })],
    hasNot: () => [marks.other, idOf(ids.other).slice(0, 13)],
  },
  {
    name: 'the file filter finds nothing of other projects',
    ask: () => [
      search('buffalo', { file: '*' }),
      search('buffalo', { tool: 'Bash' }),
      search(marks.other, { role: 'user' }),
    ],
    hasNot: () => [`buffalo ${marks.other}`],
  },
  {
    name: 'usage counts no session of another project',
    ask: () => [call('usage', { by: 'session', tokens: 10_000 }), call('usage', { by: 'project', tokens: 10_000 })],
    hasNot: ({ place }) => [idOf(ids.other).slice(0, 13), place.other, idOf(ids.prefix).slice(0, 13)],
    has: () => [idOf(ids.plain).slice(0, 13)],
  },
  {
    name: 'the roots of the client decide, not the working directory',
    server: ({ place }) => ({ folders: [place.other], roots: [place.project] }),
    ask: () => [search('buffalo')],
    hasNot: () => [marks.other],
    has: () => ['visible gnu'],
  },
  {
    name: 'a client without roots gets the sessions of the working directory',
    server: ({ place }) => ({ folders: [place.other] }),
    ask: () => [search('buffalo')],
    hasNot: () => ['visible gnu'],
    has: () => [marks.other],
  },
  {
    name: 'the root / is not every project',
    server: { roots: ['/'] },
    ask: () => [search('buffalo'), call('outline', {})],
    hasNot: () => Object.values(marks),
  },
  {
    name: 'a root that is not a folder leads to the working directory',
    server: { roots: ['', '/nowhere/at/all'] },
    ask: () => [search('buffalo')],
    hasNot: () => [marks.other],
  },
];

const own = (name: string, server: ServerOptions, meta?: JsonObject): HostileCase => ({
  name: `the session that asks is left out: ${name}`,
  server,
  ask: () => [
    call('search', { query: `buffalo ${marks.own}` }, meta),
    call('read', { reference: `clew:${idOf(ids.own)}#1` }, meta),
    call('outline', { session: idOf(ids.own) }, meta),
    call('outline', { tokens: 10_000 }, meta),
    call('usage', { by: 'session', tokens: 10_000 }, meta),
    resource(`clew://session/${idOf(ids.own)}`),
    resources,
    recallWords(marks.own),
    call('search', { query: 'visible' }, meta),
  ],
  hasNot: () => [`gnu ${marks.own}`, `title ${marks.own}`, idOf(ids.own).slice(0, 13)],
  has: () => ['visible gnu'],
});

const calling: readonly HostileCase[] = [
  own('CLAUDE_CODE_SESSION_ID', { env: { CLAUDE_CODE_SESSION_ID: idOf(ids.own) } }),
  own('CLAUDE_SESSION_ID', { env: { CLAUDE_SESSION_ID: idOf(ids.own) } }),
  own('an id in capital letters', { env: { CLAUDE_CODE_SESSION_ID: idOf(ids.own).toUpperCase() } }),
  own('the list of running clients', { ancestors: [4243, 4242] }),
  own('after /clear the list is newer than the environment', {
    env: { CLAUDE_CODE_SESSION_ID: idOf('77') },
    ancestors: [4242],
  }),
  own('the id of the call', {}, { 'claudecode/toolUseId': ownCall }),
  own('a call of its sub-agent', { env: { X: 'agent' } }, { 'claudecode/toolUseId': ownAgentCall }),
];

const queries: readonly HostileCase[] = [
  ['operators of FTS5', '"a" OR NEAR(buffalo, 3) NOT * ^ {prompt}: -x AND'],
  ['SQL', `'); DROP TABLE sessions; -- " UNION SELECT * FROM sessions`],
  ['NUL', 'buffalo\0 zebrafish\0'],
  ['an expensive expression', `${'(a+)+'.repeat(150)}$`],
  ['a thousand quotes', '"'.repeat(1000)],
  ['half a surrogate pair', 'buffalo \ud800'],
  ['a path', '../../../etc/passwd'],
  ['only punctuation', '!!! ??? ---'],
  ['as many words as fit', 'buffalo '.repeat(125)],
].map(([what, query]) => ({
  name: `a query with ${what} is answered or refused, and finds nothing that it may not`,
  ask: () => [search(query as string), search('visible')],
  hasNot: () => [marks.other, 'root:x:', 'this is a bug', 'could not answer'],
  has: () => ['visible gnu'],
}));

const names: readonly HostileCase[] = [
  [
    '../../../etc/passwd',
    'clew:../other#1',
    'clew:%2e%2e%2fother#1',
    'clew:a',
    'clew:#1',
    'clew:*#1',
    "clew:' OR 1=1#1",
  ].map((reference) => reference),
].flatMap((references) =>
  references.map((reference) => ({
    name: `the reference ${reference} names no session`,
    ask: () => [
      call('read', { reference }),
      call('outline', { session: reference }),
      resource(`clew://session/${encodeURIComponent(reference)}`),
    ],
    hasNot: () => [...Object.values(marks), 'root:x:', 'could not answer'],
    has: () => ['ERROR'],
  })),
);

const seen: readonly HostileCase[] = [
  {
    name: 'worktrees belong to the project',
    ask: () => [search(marks.worktree)],
    hasNot: nothing,
    has: () => [`visible ${marks.worktree}`],
  },
  {
    name: 'a worktree that was removed belongs to the project',
    ask: () => [search(marks.gone)],
    hasNot: nothing,
    has: () => [`visible ${marks.gone}`],
  },
  {
    name: 'a turn that was taken back is found and read',
    ask: () => [search(marks.retracted), read(ids.retracted, uuidOf(ids.retracted, 2).slice(0, 8))],
    hasNot: nothing,
    has: () => [`visible ${marks.retracted}`, 'a turn that was taken back'],
  },
  {
    name: 'a deleted session with a copy in the archive is found and read, without secrets, and its copy is not left behind',
    ask: ({ place }) => [
      search(marks.archived),
      search('archived answer'),
      read(ids.archived, '1'),
      outline(ids.archived),
      call('outline', { tokens: 10_000 }),
      resource(`clew://session/${idOf(ids.archived)}/1`),
      search('visible'),
      async () => (existsSync(path.join(place.state, 'index.db')) ? 'indexed' : ''),
    ],
    hasNot: noSecret,
    has: () => [`visible ${marks.archived}`, 'archived answer', '1 turn, archived', '[redacted:', 'indexed'],
  },
  {
    name: 'of a deleted session the prompts are found and read, without secrets',
    ask: () => [
      search(marks.deleted),
      read(ids.deleted, 'L1'),
      call('read', { reference: `clew:${idOf(ids.deleted)}` }),
      outline(ids.deleted),
      call('outline', { tokens: 10_000 }),
    ],
    hasNot: noSecret,
    has: () => [`visible ${marks.deleted}`, 'only prompts are left', '1 prompt left', '[redacted:'],
    quoted: ['INJECT-HISTORY'],
  },
  {
    name: 'with --all-projects every project is seen, but never the session that asks',
    server: { isAllProjects: true, env: { CLAUDE_CODE_SESSION_ID: idOf(ids.own) } },
    ask: () => [search('buffalo'), search(marks.own), search('buffalo', { project: 'work/other' })],
    hasNot: () => [`gnu ${marks.own}`],
    has: () => [marks.other, marks.prefix, marks.nested, 'visible gnu'],
  },
];

export const hostileCases: readonly HostileCase[] = [
  ...injected,
  ...forging,
  ...secret,
  ...projects,
  ...widening,
  ...more,
  ...calling,
  ...queries,
  ...names,
  ...seen,
];
