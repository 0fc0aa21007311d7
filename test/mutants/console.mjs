// Guarantees of the console: docs/chat.md.
export const mutants = [
  {
    id: 'paste-runs-as-a-command',
    file: 'src/cli/console/input/editor.ts',
    find: 'return /^\\s*!/.test(shown);',
    replace: 'return /!|^\\[Pasted/.test(shown);',
    tests: ['cli/console/input/editor'],
  },
  {
    id: 'placeholder-is-cut',
    file: 'src/cli/console/input/pastes.ts',
    find: 'if (place.end <= start || place.start >= end) continue;',
    replace: 'continue;',
    tests: ['cli/console/input/editor'],
  },
  {
    id: 'history-keeps-control-characters',
    file: 'src/cli/console/input/history.ts',
    find: 'const text = neutralise(prompt);',
    replace: 'const text = prompt;',
    tests: ['cli/console/input/history'],
  },
  {
    id: 'search-forgets-the-project',
    file: 'src/cli/console/input/history-search.ts',
    find: '[...newest.filter((entry) => entry.cwd === cwd), ...newest.filter((entry) => entry.cwd !== cwd)]',
    replace: 'newest',
    tests: ['cli/console/input/history'],
  },
  {
    id: 'title-keeps-control-characters',
    file: 'src/cli/console/attention.ts',
    find: "oneLine(text, titleColumns).replaceAll(';', ',')",
    replace: "text.replaceAll(';', ',')",
    tests: ['cli/console/attention'],
  },
  {
    id: 'bell-rings-in-front-of-the-user',
    file: 'src/cli/console/attention.ts',
    find: 'if (!this.#isFocused) this.#options.write(',
    replace: 'this.#options.write(',
    tests: ['cli/console/attention'],
  },
  {
    id: 'shell-output-ends-its-tag',
    file: 'src/agent/session/shell-lines.ts',
    find: ".replaceAll('<', '&lt;')",
    replace: '',
    tests: ['agent/session/shell-lines'],
  },
  {
    id: 'block-is-one-late',
    file: 'src/cli/console/transcript/view-state.ts',
    find: "raw.type === 'content_block_stop' ? viewAfterStop(view, index) : view",
    replace: 'view',
    tests: ['cli/console/transcript/view-state'],
  },
];
