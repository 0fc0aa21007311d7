// Settings files of the client: only our entries change, and a file that cannot be read is not written to.
const hooks = 'src/settings/hooks.ts';
const text = 'src/settings/settings-text.ts';
const layout = 'src/format/bytes/layout.ts';
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
    find: 'if (wholeGroups > 0 && wholeGroups === groups.length) {',
    replace: 'if (wholeGroups > 0) {',
    tests: ['trace/config/settings', 'settings/hooks'],
  },
  {
    id: 'empty-events-left',
    file: hooks,
    find: "eventsLeft === 0 ? [{ path: ['hooks'], remove: true }] : edits",
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
    file: 'src/cli/setup/remove.ts',
    find: ' || recorded.afterHash !== hashOf(text)',
    replace: '',
    tests: ['cli/setup/setup'],
  },
  {
    id: 'edited-skill-deleted',
    file: 'src/cli/setup/remove.ts',
    find: 'if (options.record.files[file]?.afterHash === hashOf(text)) edits.push',
    replace: 'if (file !== root) edits.push',
    tests: ['cli/setup/setup'],
  },
  {
    id: 'other-status-line-replaced',
    file: 'src/cli/setup/add.ts',
    find: 'current !== undefined && !isOurs && !isNamed',
    replace: 'current !== undefined && !isOurs && !isNamed && false',
    tests: ['cli/setup/setup'],
  },
  {
    id: 'server-of-the-user-replaced',
    file: 'src/cli/setup/add.ts',
    find: 'current !== undefined && !isEqual(current, this.#options.record.added.mcp?.value)',
    replace: 'current === null && !isEqual(current, this.#options.record.added.mcp?.value)',
    tests: ['cli/setup/setup'],
  },
  {
    id: 'bytes-that-are-not-utf-8',
    file: 'src/settings/settings-file.ts',
    find: 'if (!Buffer.from(text).equals(bytes))',
    replace: 'if (text === undefined)',
    tests: ['settings/settings-file'],
  },
];
