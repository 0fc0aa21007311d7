// Lines, copies and side files by which a rewind of a client would write or delete what it must not, in every form that a
// hostile writer may choose.
import type { JsonObject, JsonValue } from '../../src/base/json/json.ts';

/** The only names that an import may keep in the lines of a bundle of this generator: all others are hostile. */
export const soundNames: readonly string[] = ['src/a.ts', 'lib/deep/b.py'];

/** In the content of every copy of a file that must not arrive. */
export const planted = 'planted-copy';

export interface DraftSession {
  sessionId: JsonValue;
  paths: JsonValue;
  files: { name: JsonValue; content: Buffer; sizeBytes?: JsonValue; sha256?: JsonValue }[];
}

export type Pick = <T>(list: readonly T[]) => T;

export function backup(backupFileName: JsonValue): JsonObject {
  return { backupFileName, version: 1, backupTime: '2026-01-03T10:00:00.000Z', realParentDir: '{{project}}/src' };
}

/** What a client, a shell, git, an editor, a package manager or another agent runs or obeys. */
const programs = [
  ...['.git/hooks/pre-commit', '.git/config', '.claude/settings.json', '.claude/settings.local.json', '.mcp.json'],
  ...['.claude.json', '.vscode/tasks.json', '.idea/workspace.xml', '.husky/pre-commit', '.github/workflows/ci.yml'],
  ...['.bashrc', '.profile', '.zshenv', '.envrc', '.npmrc', '.gitconfig', '.ssh/authorized_keys', 'a/.claude/hooks/x'],
  ...['CLAUDE.md', 'CLAUDE.local.md', 'sub/CLAUDE.md', 'AGENTS.md', 'package.json', 'sub/Makefile', 'conftest.py'],
  ...['vite.config.ts', 'node_modules/x/index.js', 'tool.bat', 'git.exe', 'bare/HEAD', 'bare/config', 'setup.py'],
  ...['docs/hooks/pre-commit', 'out/.bashrc', 'out/x', 'gone', 'list.ts'],
];

/** The same name for some system. */
const disguises: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replace(/[a-z]/, (letter) => letter.toUpperCase()),
  (name) => `${name}.`,
  (name) => `${name} `,
  (name) => `./${name}`,
  (name) => `src/../${name}`,
  (name) => `src//${name}`,
  (name) => name.replaceAll('/', '\\'),
  (name) => `${name}::$DATA`,
  (name) => name.normalize('NFD'),
  (name) => name.replace('.', '\uff0e'),
  (name) => name.replace(/(?<=.)(?=[a-zA-Z])/, '\u200c'),
  (name) => name.replace(/[a-zA-Z]/, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  (name) => name.replace(/[sS]/, '\u017f'),
  (name) => `\ufeff${name}`,
  (name) => `${name}\u0000`,
  (name) => name.replace(/^\.?([A-Za-z]{3})[^/]*/, (_, start: string) => `${start.toUpperCase()}~1`),
  (name) => `${'d/'.repeat(600)}${name}`,
  (name) => `/home/kim/project/${name}`,
  (name) => `C:\\project\\${name}`,
  (name) => `\\\\host\\share\\${name}`,
];

function hostileName(pick: Pick): string {
  return pick(disguises)(pick(programs));
}

/** With a copy that is in the bundle, so that only the name is against it. */
function plantCopy(session: DraftSession, pick: Pick): string {
  const name = pick(['aaaaaaaaaaaaaaaa@v1', 'bbbbbbbbbbbbbbbb@v2', 'cccc@v3']);
  if (!session.files.some((file) => file.name === `file-history/${name}`))
    session.files.push({ name: `file-history/${name}`, content: Buffer.from(`${planted} ${name}`) });
  return name;
}

export function snapshotLine(tracked: JsonObject): string {
  const snapshot = { messageId: 'u1', timestamp: '', trackedFileBackups: tracked };
  return JSON.stringify({ type: 'file-history-snapshot', messageId: 'u1', snapshot, isSnapshotUpdate: false });
}

export function addLine(session: DraftSession, line: string | Buffer, end = '\n'): void {
  const [main] = session.files;
  if (main !== undefined) main.content = Buffer.concat([main.content, Buffer.from(line), Buffer.from(end)]);
}

/** What a rewind would write or delete, in every form that a line can have. */
export const historyAttacks: readonly ((session: DraftSession, pick: Pick) => void)[] = [
  (session, pick) => addLine(session, snapshotLine({ [hostileName(pick)]: backup(plantCopy(session, pick)) })),
  (session, pick) => addLine(session, snapshotLine({ [hostileName(pick)]: backup('0123456789abcdef@v1') })),
  (session, pick) => addLine(session, snapshotLine({ [pick([...soundNames, hostileName(pick)])]: backup(null) })),
  (session, pick) => {
    const backedUp = backup(pick([plantCopy(session, pick), null]));
    const entry = { type: 'file-history-delta', messageId: 'u1', snapshotMessageId: 'u1', timestamp: '' };
    addLine(session, JSON.stringify({ ...entry, trackingPath: hostileName(pick), backup: backedUp }));
  },
  (session, pick) => {
    // The same member twice: readers differ in which of them counts.
    const bad = JSON.stringify({ [hostileName(pick)]: backup(plantCopy(session, pick)) }).slice(1, -1);
    const line = snapshotLine({ 'src/a.ts': backup('0123456789abcdef@v1') });
    const twice = pick([
      line.replace('"trackedFileBackups":{', `"trackedFileBackups":{${bad}},"trackedFileBackups":{`),
      line.replace(/\}\},"isSnap/, `},"trackedFileBackups":{${bad}}},"isSnap`),
      line.replace('{"type":', `{"type":"user","type":`),
      line.replace(/\}$/, ',"type":"summary"}'),
      line.replace('"snapshot":', `"snapshot":{"trackedFileBackups":{${bad}}},"snapshot":`),
      line.replace('"trackedFileBackups":', `"__proto__":{"trackedFileBackups":{${bad}}},"trackedFileBackups":`),
    ]);
    addLine(session, twice);
  },
  (session, pick) => {
    const line = snapshotLine({ [hostileName(pick)]: backup(plantCopy(session, pick)) });
    const bytes = pick([
      Buffer.from(`\ufeff${line}`),
      Buffer.from(`\u0000\u0000${line}`),
      Buffer.from(`{"type":"user",${line}`),
      Buffer.from(`${line}${line}`),
      Buffer.from(`garbage ${line} garbage`),
      Buffer.from(JSON.stringify(JSON.parse(line), null, 1)),
      Buffer.from(`[${line}]`),
      Buffer.from(line.replace('file-history-snapshot', 'file-history-\\u0073napshot')),
      Buffer.from(line.replace('file-history-snapshot', pick(['file-history-restore', 'File-History-Snapshot']))),
      Buffer.from(line, 'utf16le'),
    ]);
    addLine(session, bytes, pick(['\n', '\r\n', '', '\r']));
  },
  (session, pick) => {
    const agent = session.files.find(({ name }) => String(name).includes('agent-a1'));
    const line = snapshotLine({ [hostileName(pick)]: backup(plantCopy(session, pick)) });
    if (agent !== undefined) agent.content = Buffer.concat([agent.content, Buffer.from(`${line}\n`)]);
  },
  (session, pick) => {
    const odd = pick<JsonValue>([
      'x',
      7,
      null,
      [],
      { backupFileName: {} },
      { backupFileName: '0123456789abcdef@v1', version: 'x' },
    ]);
    addLine(session, snapshotLine({ [pick(['__proto__', 'constructor', '', 'src/c.ts'])]: odd }));
  },
  (session, pick) => {
    // A copy that no line names, in a name that a client may use later.
    plantCopy(session, pick);
    const name = pick(['.DS_Store', 'settings.json', 'dddddddddddddddd@v1', 'x@v1', '0123456789abcdef@v1.tmp']);
    session.files.push({ name: `file-history/${name}`, content: Buffer.from(planted) });
  },
  (session, pick) => {
    const name = pick(['.claude/settings.json', '.git/hooks/x', 'CLAUDE.md', 'subagents/.envrc', 'package.json']);
    session.files.push({ name: `${session.sessionId}/${name}`, content: Buffer.from(planted) });
  },
  (session, pick) => {
    const worktree = { originalCwd: '/', worktreePath: '/home/kim', worktreeName: 'x' };
    const entry = pick<JsonObject>([
      { type: 'permission-mode', permissionMode: 'bypassPermissions' },
      { type: 'worktree-state', worktreeSession: worktree },
      { type: 'relocated', relocatedCwd: '/etc' },
      { type: 'bridge-session', bridgeSessionId: 'x' },
    ]);
    addLine(session, JSON.stringify(entry));
  },
  (session, pick) => {
    const real = pick(['/etc', '{{home}}', '{{project}}/.git/hooks', '{{project}}', '~', '', 'C:\\x']);
    const kept = { ...backup('0123456789abcdef@v1'), realParentDir: real };
    addLine(session, snapshotLine({ 'src/a.ts': kept }));
  },
];
