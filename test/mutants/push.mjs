// What leaves the machine at which level, what is made of text, and what counts as the same.
const collect = 'src/team/collect/collect.ts';
const key = 'src/team/collect/store-key.ts';
const metrics = 'src/team/collect/metric-rows.ts';
const redacted = 'src/team/collect/redacted-files.ts';
const tests = ['team/collect'];

export const mutants = [
  { id: 'titles-at-metrics', file: collect, find: 'titles: level >= 2 ?', replace: 'titles: level >= 1 ?', tests },
  { id: 'files-at-metrics', file: collect, find: 'callPaths: level >= 2 ?', replace: 'callPaths: level >= 1 ?', tests },
  {
    id: 'name-is-the-id',
    file: key,
    find: 'return isUuid(name) ? name :',
    replace: "return name !== '' ? name :",
    tests,
  },
  {
    id: 'folder-is-not-hashed',
    file: collect,
    find: 'projectHash: key.hash(session.cwd ?? path.dirname(session.path))',
    replace: 'projectHash: session.cwd ?? path.dirname(session.path)',
    tests,
  },
  {
    id: 'text-is-not-redacted',
    file: redacted,
    find: 'const bytes = redactLine(redactor, line.bytes, clean?.get(line.offset));',
    replace: 'const { bytes } = line;',
    tests,
  },
  {
    id: 'secrets-of-one-file-only',
    file: redacted,
    find: 'for (const file of files) known',
    replace: 'for (const file of files.slice(1)) known',
    tests,
  },
  {
    id: 'title-is-not-redacted',
    file: collect,
    find: 'titles: level >= 2 ? [titleRow(session, name, clean)]',
    replace: 'titles: level >= 2 ? [titleRow(session, name, (text: string) => text)]',
    tests,
  },
  {
    id: 'copies-of-a-call-differ',
    file: metrics,
    find: 'callKey: copyKey(String(row.tool_use_id))',
    replace: 'callKey: copyKey(String(row.tool_use_id) + String(files[0]?.path))',
    tests,
  },
  {
    id: 'pictures-are-redacted-files',
    file: redacted,
    find: 'isBinary(readFileSync(file.path)) ? undefined :',
    replace: 'isBinary(readFileSync(file.path)) ? readFileSync(file.path) :',
    tests,
  },
  {
    id: 'push-trusts-a-lost-store',
    file: 'src/team/push/push.ts',
    find: '(pendingDigest === null || hello.digest !== pendingDigest)',
    replace: 'hello.digest !== pendingDigest',
    tests: ['team/push.slow'],
  },
];
