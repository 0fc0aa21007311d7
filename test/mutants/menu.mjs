// The page: what its actions, its palette and its triage promise, as far as it does not need a browser.
const palette = 'src/web/app/palette/match.ts';
const selection = 'src/web/app/library/select/selection.ts';
const triage = 'src/web/app/health/triage-groups.ts';
const options = 'src/web/app/actions/layer/options.ts';

export const mutants = [
  {
    id: 'palette-any-word',
    file: palette,
    find: 'if (score === undefined) return undefined;',
    replace: 'if (score === undefined) continue;',
    tests: ['web/app/palette-match'],
  },
  {
    id: 'palette-stale-sessions',
    file: palette,
    find: 'if (asked === typed) return entries;',
    replace: 'return entries;',
    tests: ['web/app/palette-match'],
  },
  {
    id: 'range-one-direction',
    file: selection,
    find: 'rows.slice(Math.min(a, b), Math.max(a, b) + 1)',
    replace: 'rows.slice(a, b + 1)',
    tests: ['web/app/selection'],
  },
  {
    id: 'selection-keeps-gone',
    file: selection,
    find: 'if (keys.filter((key) => this.#selected.delete(key)).length > 0) this.#changed();',
    replace: 'if (keys.length < 0) this.#changed();',
    tests: ['web/app/selection'],
  },
  {
    id: 'triage-stale-copy-is-safe',
    file: triage,
    find: "archived !== 'current'",
    replace: 'archived === null',
    tests: ['web/app/triage'],
  },
  {
    id: 'triage-expiring-twice',
    file: triage,
    find: '.filter((row) => !onlyExpires(row))',
    replace: '',
    tests: ['web/app/triage'],
  },
  {
    id: 'strip-of-nothing',
    file: options,
    find: 'return hasOne ? null :',
    replace: 'return hasOne || true ? null :',
    tests: ['web/app/action-options'],
  },
  {
    id: 'rewind-without-place',
    file: options,
    find: 'if (missing !== undefined) return',
    replace: 'if (missing === null) return',
    tests: ['web/app/action-options'],
  },
];
