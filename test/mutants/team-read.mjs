// Reading the store of a team: the files of a session stay in its folder and are those that were pushed, days are those of the
// calendar, and a call reads the store only if it says so.
const packed = 'src/team/source/packed-session.ts';
const days = 'src/team/source/day-bounds.ts';
const find = 'src/team/source/find-session.ts';
const choice = 'src/cli/input/store/store-choice.ts';
const files = ['team/packed-session'];

export const mutants = [
  {
    id: 'store-names-unchecked',
    file: packed,
    find: 'if (isOwn && isPlain) return;',
    replace: 'return;',
    tests: files,
  },
  { id: 'store-name-parents', file: packed, find: "part !== '..' && ", replace: '', tests: files },
  {
    id: 'store-hash-unchecked',
    file: packed,
    find: "if (hash.digest('hex') !== file.sha256)",
    replace: "if (hash.digest('hex') === '')",
    tests: files,
  },
  {
    id: 'store-redacted-first',
    file: packed,
    find: 'wantsOriginals && rows.some((row) => row.is_original);',
    replace: 'wantsOriginals && rows.every((row) => row.is_original);',
    tests: files,
  },
  {
    id: 'store-days-of-24-hours',
    file: days,
    find: 'if (dayOf(calendar, usual) > day && dayOf(calendar, usual - 1) === day) return usual;',
    replace: 'return usual;',
    tests: ['team/day-bounds'],
  },
  {
    id: 'store-first-of-several',
    file: find,
    find: 'if (others.length === 0) return found;',
    replace: 'return found;',
    tests: ['team/find-stored'],
  },
  {
    id: 'store-without-flag',
    file: choice,
    find: 'if (flags.store === undefined || flags.store === false) {',
    replace: 'if (flags.store === false) {',
    tests: ['cli/input/store'],
  },
];
