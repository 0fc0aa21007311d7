// Mutants of the lake: what may be overwritten, seen too early, counted twice, or removed by the wrong role.
const files = ['team/lake-files'];

export const mutants = [
  {
    id: 'overwrites',
    file: 'src/team/lake/storage/folder-storage.ts',
    find: "if (systemErrorCode(error) === 'EEXIST') return false;",
    replace: "if (systemErrorCode(error) === 'EEXIST') return true;",
    tests: files,
  },
  {
    id: 'unfinished-listed',
    file: 'src/team/lake/storage/folder-storage.ts',
    find: 'if (!unfinished.test(name)) yield name;',
    replace: 'yield name;',
    tests: files,
  },
  {
    id: 'order-of-the-list',
    file: 'src/team/lake/lake-state.ts',
    find: '[...files].sort((a, b) => a.export - b.export)',
    replace: '[...files]',
    tests: files,
  },
  {
    id: 'removal-ignored',
    file: 'src/team/lake/lake-state.ts',
    find: 'entries.delete(key);',
    replace: '',
    tests: files,
  },
  {
    id: 'outdated-kept',
    file: 'src/team/lake/lake-state.ts',
    find: 'size > (current.get(version) ?? 0)',
    replace: 'size < (current.get(version) ?? 0)',
    tests: files,
  },
  {
    id: 'other-role',
    file: 'src/team/lake/lake-settings.ts',
    find: 'settings.tenant !== tenant || settings.role !== role',
    replace: 'settings.tenant !== tenant',
    tests: files,
  },
];
