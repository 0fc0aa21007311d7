// Settings files of the client: only our entries change, and a file that cannot be read is not written to.
const hooks = 'src/settings/hooks.ts';
const text = 'src/settings/settings-text.ts';
const layout = 'src/format/bytes/layout.ts';
const content = 'src/cli/setup/content.ts';
const record = 'src/cli/setup/record.ts';
const calls = ['cli/setup/setup'];
const records = ['cli/setup/record'];
const tables = ['settings/hooks'];
const trace = ['trace/config/settings'];

export const mutants = [
  {
    id: 'hooks-of-others-removed',
    file: hooks,
    find: 'return command !== undefined && isOurs(command, event) ? [place] : [];',
    replace: 'return command !== undefined ? [place] : [];',
    tests: tables,
  },
  {
    id: 'events-of-others-removed',
    file: hooks,
    find: 'if (wholeGroups > 0 && wholeGroups === groups.length && before',
    replace: 'if (wholeGroups > 0 && before',
    tests: ['trace/config/settings', 'settings/hooks'],
  },
  {
    id: 'empty-events-left',
    file: hooks,
    find: "isLast ? [{ path: ['hooks'], remove: true }] : edits",
    replace: 'edits',
    tests: tables,
  },
  {
    id: 'broken-settings-overwritten',
    file: text,
    find: 'if (settings === undefined)\n',
    replace: 'if (settings === undefined) return {};\n  if (settings === undefined)\n',
    tests: trace,
  },
  {
    id: 'byte-order-mark-lost',
    file: text,
    find: `return \`\${mark}\${editJson`,
    replace: `return \`\${editJson`,
    tests: tables,
  },
  {
    id: 'line-ends-changed',
    file: layout,
    find: "/\\r?\\n/.exec(text)?.[0] ?? '\\n'",
    replace: "'\\n'",
    tests: tables,
  },
  {
    id: 'changed-file-gets-old-bytes',
    file: content,
    find: 'if (isRecorded(recorded, text)) {',
    replace: 'if (recorded !== undefined) {',
    tests: calls,
  },
  {
    id: 'edited-skill-deleted',
    file: content,
    find: 'text === undefined || text === wanted || isRecorded(this.#record.files[file], text)',
    replace: 'text !== null',
    tests: calls,
  },
  {
    id: 'other-status-line-replaced',
    file: 'src/cli/setup/add.ts',
    find: 'theirs !== undefined && !isOurs && !isNamed',
    replace: 'theirs !== undefined && !isOurs && !isNamed && false',
    tests: calls,
  },
  {
    id: 'server-of-the-user-replaced',
    file: 'src/cli/setup/add.ts',
    find: 'if (this.#content.baseServers()?.clew === undefined)',
    replace: "if (this.#content.baseServers()?.clew !== '')",
    tests: calls,
  },
  {
    id: 'only-recorded-entries-removed',
    file: content,
    find: 'commands.has(command) || findFormPart(command, event) !== undefined',
    replace: 'commands.has(command)',
    tests: records,
    equivalent:
      'the known commands include those found by their form; the second look is for a file that changes meanwhile',
  },
  {
    id: 'damaged-record-dropped',
    file: record,
    find: 'linkSync(file, aside);',
    replace: '',
    tests: records,
  },
  {
    id: 'record-names-any-copy',
    file: record,
    find: "backup !== null && !copyName.test(path.basename(asString(backup) ?? ''))",
    replace: "backup !== null && asString(backup) === ''",
    tests: records,
  },
  {
    id: 'record-names-any-folder',
    file: record,
    find: 'folders.every((name) => ownFolders.includes(String(name)))',
    replace: 'folders.every((name) => name !== null)',
    tests: records,
  },
  {
    id: 'copy-through-a-link',
    file: record,
    find: 'if (lstatSync(copy, { throwIfNoEntry: false })?.isFile() !== true) return undefined;',
    replace: '',
    tests: records,
  },
  {
    id: 'empty-containers-removed',
    file: hooks,
    find: 'const isLast = eventsLeft === 0 && before === undefined;',
    replace: 'const isLast = eventsLeft === 0;',
    tests: records,
  },
  {
    id: 'bytes-that-are-not-utf-8',
    file: 'src/settings/settings-file.ts',
    find: 'if (!Buffer.from(text).equals(bytes))',
    replace: 'if (text === undefined)',
    tests: ['settings/settings-file'],
  },
];
