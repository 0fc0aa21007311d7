// The actions of the page, their undo, and sessions that are only in the archive.
const answers = 'src/web/server/actions/action-answers.ts';
const log = 'src/surgery/engine/operation-log.ts';
const handlers = 'src/web/server/http/handlers.ts';

export const mutants = [
  {
    id: 'any-fingerprint',
    file: answers,
    find: 'if (fingerprintOf(asked, prepared.state) !== fingerprint)',
    replace: 'if (fingerprint === undefined)',
    tests: ['web/actions'],
  },
  {
    id: 'fingerprint-without-options',
    file: 'src/web/server/actions/prepared.ts',
    find: 'JSON.stringify([action, chosen, state])',
    replace: 'JSON.stringify([action, state])',
    tests: ['web/actions'],
  },
  {
    id: 'fingerprint-without-files',
    file: 'src/web/server/actions/prepared.ts',
    find: 'JSON.stringify([action, chosen, state])',
    replace: 'JSON.stringify([action, chosen])',
    tests: ['web/actions'],
  },
  {
    id: 'unconfirmed',
    file: handlers,
    find: "if (parts.status().changes !== 'allowed')",
    replace: "if (parts.status().changes === 'off')",
    tests: ['web/actions'],
  },
  {
    id: 'page-grants-itself',
    file: handlers,
    find: 'requireChanges();\n        parts.confirmChanges();',
    replace: 'parts.confirmChanges();',
    tests: ['web/actions'],
  },
  {
    id: 'no-group',
    file: answers,
    find: 'this.#apply({ ...asked, session, fingerprint }, group)',
    replace: 'this.#apply({ ...asked, session, fingerprint }, undefined)',
    tests: ['web/actions-many'],
  },
  {
    id: 'undo-part-of-group',
    file: 'src/surgery/engine/recover-operations.ts',
    find: 'for (const record of now) await refuseUndo(record, env);',
    replace: '',
    tests: ['surgery/keep/keep'],
  },
  {
    id: 'forget-the-only-copy',
    file: 'src/library/archive/copies.ts',
    find: 'if ((await hashStart(file, sizeBytes)) === sha256) continue;',
    replace: 'if (sha256 !== file) continue;',
    tests: ['surgery/keep/keep'],
  },
  {
    id: 'archived-not-restored',
    file: 'src/surgery/engine/change-files.ts',
    find: 'if (old === undefined && change.archived !== undefined) await restoreArchivedFile(change.archived, backup);',
    replace: '',
    tests: ['surgery/keep/keep'],
  },
  {
    id: 'failed-change-stays',
    file: 'src/surgery/engine/logged.ts',
    find: 'if (!isSettled) await recoverLocked(operations, env, true).catch(() => undefined);\n    else',
    replace: 'if (isSettled)',
    tests: ['surgery/keep/keep'],
  },
  {
    id: 'star-of-another',
    file: 'src/library/stars/stars.ts',
    find: 'encodeURIComponent(sessionId)',
    replace: 'encodeURIComponent(sessionId.slice(0, 0))',
    tests: ['surgery/keep/keep'],
  },
  {
    id: 'archived-stays-on-disk',
    file: 'src/web/server/http/server.ts',
    find: 'rmSync(this.#archivedFolder, { recursive: true, force: true });',
    replace: '',
    tests: ['web/archived'],
  },
  {
    id: 'archived-for-everyone',
    file: 'src/web/server/archived/archived-files.ts',
    find: 'await mkdir(this.#folder, { recursive: true, mode: 0o700 });',
    replace: 'await mkdir(this.#folder, { recursive: true, mode: 0o755 });',
    tests: ['web/archived'],
  },
  {
    id: 'stale-looks-safe',
    file: 'src/web/server/http/session-list.ts',
    find: "      : 'stale';",
    replace: "      : 'current';",
    tests: ['web/archived'],
  },
  {
    id: 'abandoned-of-the-living',
    file: 'src/web/server/archived/archived-files.ts',
    find: 'pid > 0 && !isAlive(pid)',
    replace: 'pid > 0',
    tests: ['web/archived'],
  },
  {
    id: 'session-taken-for-a-tool',
    file: 'src/web/wire/action-command.ts',
    find: " || flags.at(-1) === '--tools'",
    replace: '',
    tests: ['web/action-commands'],
  },
];
