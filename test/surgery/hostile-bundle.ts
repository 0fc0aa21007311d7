// A seed → a malicious bundle: a valid one with a few changes, in the manifest, in the names of its files, in the lines of its
// transcripts (hostile-history.ts) or in its compressed bytes. And a folder with all that must stay as it is.
import { createHash } from 'node:crypto';
import { symlinkSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { writeTree } from '../support/temp-folder.ts';
import { toolResult, transcript } from '../support/transcript-builder.ts';
import { addLine, backup, type DraftSession, historyAttacks, type Pick, snapshotLine } from './hostile-history.ts';

export interface Canary {
  readonly root: string;
  readonly project: string;
  readonly home: string;
  readonly state: string;
}

/** A home with a root, a project, and files that a bundle may try to reach. */
export function writeCanary(folder: string): Canary {
  const other = '99999999-9999-4999-8999-999999999999';
  writeTree(folder, {
    'home/.secret': 'secret',
    'home/.bashrc': 'alias',
    'home/project/src/a.ts': 'code',
    'home/project/.git/config': 'git',
    'home/project/.git/hooks/sample': 'hook',
    'root/settings.json': '{}',
    'root/CLAUDE.md': 'rules',
    [`root/projects/-other/${other}.jsonl`]: transcript().user('mine').text(),
    'root/projects/-other/memory/MEMORY.md': 'mine',
    [`root/file-history/${other}/aaaaaaaaaaaaaaaa@v1`]: 'mine',
  });
  const home = path.join(folder, 'home');
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(home, 'project', name));
  return {
    root: path.join(folder, 'root'),
    project: path.join(home, 'project'),
    home,
    state: path.join(folder, 'state'),
  };
}

/** Links in the project: a rewind to a name below them writes elsewhere. */
const links = { docs: '.git', out: '..', gone: '../not-there', 'list.ts': '../.bashrc' };

interface Draft {
  version: JsonValue;
  sessions: DraftSession[];
  /** Changes of the manifest's text and of the packed bytes. */
  manifestText: (text: string) => string;
  bytes: (packed: Buffer) => Buffer;
}

export function hostileBundle(seed: number): Buffer {
  const random = seededRandom(seed);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T; // no list is empty
  const draft: Draft = {
    version: 1,
    sessions: [sound(random)],
    manifestText: (text) => text,
    bytes: (packed) => packed,
  };
  if (random() < 0.2) draft.sessions.push(sound(random));
  const changes = Math.floor(random() * 5);
  for (let i = 0; i < changes; i++) {
    const kind = random();
    if (kind < 0.3) pick(attacks)(draft, pick);
    else if (kind < 0.88) pick(historyAttacks)(pick(draft.sessions), pick);
    else pick(containerAttacks)(draft, pick);
  }
  return pack(draft);
}

function sound(random: () => number): DraftSession {
  const hex = (length: number): string => Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join('');
  const sessionId = `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
  const saved = `{{sessions}}/${sessionId}/tool-results/b1.txt`;
  const lines = transcript({ sessionId, cwd: '{{project}}' })
    .user('one')
    .call('toolu_1')
    .user([toolResult('toolu_1', 'out')], { toolUseResult: { persistedOutputPath: saved } })
    .assistant('done')
    .aside('file-history-snapshot', {
      messageId: 'u1',
      snapshot: {
        messageId: 'u1',
        timestamp: '',
        trackedFileBackups: {
          'src/a.ts': backup('0123456789abcdef@v1'),
          'lib/deep/b.py': { ...backup('0123456789abcdef@v1'), realParentDir: '{{project}}/lib/deep' },
        },
      },
    })
    .aside('file-history-delta', {
      messageId: 'u1',
      snapshotMessageId: 'u1',
      trackingPath: 'src/a.ts',
      backup: backup('0123456789abcdef@v1'),
      timestamp: '',
    })
    .text();
  const agent = transcript({ isSidechain: true, agentId: 'a1', sessionId, cwd: '{{project}}' }).user('s').text();
  return {
    sessionId,
    paths: 'unix',
    files: [
      { name: `${sessionId}.jsonl`, content: Buffer.from(lines) },
      { name: `${sessionId}/subagents/agent-a1.jsonl`, content: Buffer.from(agent) },
      { name: `${sessionId}/tool-results/b1.txt`, content: Buffer.from('output') },
      { name: 'file-history/0123456789abcdef@v1', content: Buffer.from('backup') },
    ],
  };
}

const places = [
  '../.secret',
  '../../home/.secret',
  '/etc/passwd',
  '~/.secret',
  '..\\.secret',
  'C:\\x',
  'a/../../.secret',
];
const ids = ['memory', '..', '.', '', 'con', '-other', '../-other', 'settings', 'x'.repeat(200), null, 7];
const parts = [
  ...['..', '.', '', 'con', 'NUL.txt', 'com1', 'lpt9.log', 'aux', 'a:b', 'a\\b', 'a\u0000b', 'a.', 'a ', '*', '...'],
  ...['a\u202eb', 'é', 'e\u0301', 'A1', 'memory', 'MEMORY.md', '.claude', 'x'.repeat(300)],
];

/** Each changes one thing. */
const attacks: readonly ((draft: Draft, pick: Pick) => void)[] = [
  (draft, pick) => {
    draft.version = pick([2, 0, '1', null, 1.5, [1], 99]);
  },
  (draft, pick) => {
    const session = pick(draft.sessions);
    const sessionId = pick(ids);
    const old = String(session.sessionId);
    session.files = session.files.map((file) => ({
      ...file,
      name: String(file.name).replaceAll(old, String(sessionId)),
    }));
    session.sessionId = sessionId;
  },
  (draft, pick) => {
    const session = pick(draft.sessions);
    const tops = [session.sessionId, `${session.sessionId}/subagents`, 'file-history', 'memory', '', '..', '-other'];
    session.files.push({ name: `${pick(tops)}/${pick(parts)}/${pick(parts)}`, content: Buffer.from('planted') });
  },
  (draft, pick) => {
    const session = pick(draft.sessions);
    const name = pick(['file-history', session.sessionId, `${session.sessionId}/subagents/agent-a1.jsonl`]);
    session.files.push({ name: `${name}/${pick(parts)}`, content: Buffer.from('planted') });
  },
  (draft, pick) => {
    const session = pick(draft.sessions);
    const agent = pick(['a b', '../x', '', '.', 'ä', 'x'.repeat(300), '-x', 'A1', 'a1']);
    session.files.push({ name: `${session.sessionId}/subagents/agent-${agent}.jsonl`, content: Buffer.from('{}\n') });
  },
  (draft, pick) => editLines(pick(draft.sessions), (entry) => ({ ...entry, cwd: pick(cwds) })),
  (draft, pick) =>
    editLines(pick(draft.sessions), (entry) =>
      entry.type === 'file-history-snapshot'
        ? withTracked(entry, { [pick(places)]: backup('0123456789abcdef@v1') })
        : entry,
    ),
  (draft, pick) =>
    editLines(pick(draft.sessions), (entry) =>
      entry.type === 'file-history-snapshot' ? withTracked(entry, { 'src/a.ts': backup(pick(places)) }) : entry,
    ),
  (draft, pick) =>
    editLines(pick(draft.sessions), (entry) => ({
      ...entry,
      type: 'file-history-delta',
      snapshotMessageId: 'u1',
      trackingPath: pick(places),
      backup: backup(pick(['../x', null, '0123456789abcdef@v1'])),
    })),
  (draft, pick) =>
    editLines(pick(draft.sessions), (entry) => ({
      ...entry,
      toolUseResult: { persistedOutputPath: pick(['{{sessions}}/x/tool-results/../../../y', '/x/../../etc/passwd']) },
    })),
  (draft, pick) => editLines(pick(draft.sessions), (entry) => ({ ...entry, sessionId: pick(ids) })),
  (draft, pick) => {
    const file = pick(pick(draft.sessions).files);
    file.sizeBytes = pick([-1, 0, 1e15, 1.5, '9', null, file.content.length + 1]);
  },
  (draft, pick) => {
    pick(pick(draft.sessions).files).sha256 = pick(['', 'x', '0'.repeat(64), null]);
  },
  (draft, pick) => {
    const file = pick(pick(draft.sessions).files);
    file.content = pick([
      Buffer.alloc(0),
      Buffer.from('junk'),
      Buffer.from([0, 255, 10]),
      Buffer.from('{"type":"x"}\n'),
    ]);
  },
  (draft, pick) => {
    pick(draft.sessions).paths = pick(['windows', 'unix', null, 7]);
  },
  (draft, pick) => {
    draft.sessions.push(pick(draft.sessions));
  },
  (draft, pick) => {
    const { files } = pick(draft.sessions);
    files.reverse();
  },
];

/** What a reader must count, measure and parse before it believes it. */
const containerAttacks: readonly ((draft: Draft, pick: Pick) => void)[] = [
  (draft, pick) => {
    const at = pick([0.1, 0.5, 0.9, 0.999]);
    draft.bytes = (packed) => packed.subarray(0, Math.floor(packed.length * at));
  },
  (draft, pick) => {
    const tail = pick(['\0', '\n', 'more', 'x'.repeat(100_000)]);
    draft.bytes = (packed) => Buffer.concat([packed, Buffer.from(tail)]);
  },
  (draft) => {
    draft.bytes = (packed) => Buffer.concat([packed, packed.subarray(packed.indexOf('\n') + 1)]);
  },
  (draft, pick) => {
    const first = pick([
      'CLEW-BUNDLE 1 gzip',
      'CLEW-BUNDLE 2 brotli',
      'clew-bundle 1 brotli',
      'CLEW-BUNDLE 1 brotli ',
      'x'.repeat(99),
    ]);
    draft.bytes = (packed) => Buffer.concat([Buffer.from(first), packed.subarray(packed.indexOf('\n'))]);
  },
  (draft, pick) => {
    const at = pick([0.2, 0.4, 0.6, 0.8]);
    draft.bytes = (packed) => {
      const changed = Buffer.from(packed);
      const place = Math.floor(packed.length * at);
      changed[place] = (changed[place] ?? 0) ^ 0x20;
      return changed;
    };
  },
  (draft, pick) => {
    const count = pick([10_001, 50_000]);
    const session = pick(draft.sessions);
    for (let i = 0; i < count; i++)
      session.files.push({ name: `${session.sessionId}/tool-results/${i}.txt`, content: Buffer.from('x') });
  },
  (draft, pick) => {
    const text = pick(['{"version":1,"sessions":', 'null', '[]', `{"version":${'['.repeat(100_000)}`]);
    draft.manifestText = () => text;
  },
  (draft, pick) => {
    const depth = pick([1000, 100_000]);
    const deep = '['.repeat(depth) + ']'.repeat(depth);
    draft.manifestText = (text) => text.replace(pick(['"version":1', '"redacted":true']), `"version":${deep}`);
  },
  (draft, pick) => {
    const number = pick(['1e999', '9007199254740993', '-0', '1e-7', '0x10']);
    draft.manifestText = (text) => text.replace(/"sizeBytes":\d+/, `"sizeBytes":${number}`);
  },
  (draft) => {
    draft.manifestText = (text) => text.replace('"files":[', '"files":[],"files":[');
  },
  (draft, pick) => {
    const depth = pick([500, 5000, 200_000]);
    const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
    addLine(
      pick(draft.sessions),
      `{"type":"user","uuid":"deep","toolUseResult":${deep},"message":{"role":"user","content":"x"}}`,
    );
  },
  (draft, pick) => {
    const depth = pick([500, 100_000]);
    addLine(
      pick(draft.sessions),
      snapshotLine({ 'src/a.ts': {} }).replace('{}}', `${'['.repeat(depth)}${']'.repeat(depth)}}`),
    );
  },
];

const cwds = [
  '{{project}}/../../..',
  '{{home}}/../root',
  '{{project}}',
  '/srv/x',
  '{{project}}\\..\\..',
  '../x',
  '{{project}}x',
];

function editLines(session: DraftSession, change: (entry: JsonObject) => JsonObject): void {
  const [main] = session.files;
  if (main === undefined) return;
  const lines = main.content.toString('utf8').trimEnd().split('\n');
  const changed = lines.map((line) => {
    try {
      return JSON.stringify(change(JSON.parse(line)));
    } catch {
      return line; // an earlier change took the lines away
    }
  });
  main.content = Buffer.from(`${changed.join('\n')}\n`);
}

function withTracked(entry: JsonObject, trackedFileBackups: JsonObject): JsonObject {
  return { ...entry, snapshot: { messageId: 'u1', timestamp: '', trackedFileBackups } };
}

function pack({ version, sessions, manifestText, bytes }: Draft): Buffer {
  const manifest = {
    version,
    madeAt: '2026-01-03T10:00:00.000Z',
    redacted: true,
    sessions: sessions.map(({ sessionId, paths, files }) => ({
      sessionId,
      title: null,
      paths,
      files: files.map(({ name, content, sizeBytes, sha256 }) => ({
        name,
        sizeBytes: sizeBytes === undefined ? content.length : sizeBytes,
        sha256: sha256 === undefined ? createHash('sha256').update(content).digest('hex') : sha256,
      })),
    })),
  };
  const contents = sessions.flatMap(({ files }) => files.map(({ content }) => content));
  const plain = Buffer.concat([Buffer.from(`${manifestText(JSON.stringify(manifest))}\n`), ...contents]);
  const packed = brotliCompressSync(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } });
  return bytes(Buffer.concat([Buffer.from('CLEW-BUNDLE 1 brotli\n'), packed]));
}
