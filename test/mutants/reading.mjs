// Reading: what a reader sees of prompts, calls and errors.
const promptText = 'src/session/transcript/prompt-text.ts';
const turns = 'src/session/turns/turns.ts';
const line = 'src/session/story/line.ts';
const refusal = 'src/session/calls/refusal.ts';

export const mutants = [
  {
    id: 'editor-context-is-the-prompt',
    file: promptText,
    find: "const said = texts.map((text) => splitPrompt(text).words).filter((words) => words !== '');",
    replace: 'const said = texts;',
    tests: ['session/transcript/prompt-text', 'session/story/prompts'],
  },
  {
    id: 'an-open-tag-swallows-the-prompt',
    file: promptText,
    find: "if (end < 0) return name === 'system-reminder' ? { tag: text.trim(), rest: '' } : undefined;",
    replace: "if (end < 0) return { tag: text.trim(), rest: '' };",
    tests: ['session/transcript/prompt-text'],
  },
  {
    id: 'attached-context-is-lost',
    file: line,
    find: 'attached.push(...splitPrompt(block.text).attached.map((tag) => attachedContext(tag, at)));',
    replace: 'void at;',
    tests: ['session/story/prompts'],
  },
  {
    id: 'diagnostics-begin-a-turn',
    file: 'src/session/transcript/node.ts',
    find: "['<post-tool-use-hook>', 'injected'],",
    replace: '',
    tests: ['session/story/prompts'],
  },
  {
    id: 'a-split-prompt-is-several-turns',
    file: turns,
    find: 'return node.time === before.time ||',
    replace: 'return',
    tests: ['session/turns/turns', 'session/story/prompts'],
  },
  {
    id: 'two-prompts-are-one-turn',
    file: turns,
    find: 'return node.time === before.time ||',
    replace: 'return true ||',
    tests: ['session/turns/turns'],
  },
  {
    id: 'words-of-a-split-prompt-are-lost',
    file: turns,
    find: "prompts.findLast(({ promptKind }) => promptKind === 'plain') ?? prompts[0]",
    replace: 'prompts[0]',
    tests: ['session/turns/turns'],
  },
  {
    id: 'a-declined-call-failed',
    file: refusal,
    find: 'if (declined.test(start))',
    replace: 'if (false)',
    tests: ['session/calls/refusal', 'session/story/calls'],
  },
  {
    id: 'a-quoted-refusal-is-a-refusal',
    file: refusal,
    find: 'const declined = /^(?:Error: )?The user',
    replace: 'const declined = /(?:Error: )?The user',
    tests: ['session/calls/refusal'],
  },
  {
    id: 'retries-are-many-errors',
    file: 'src/session/story/story.ts',
    find: 'return a.node.type === b.node.type && words(a) === words(b);',
    replace: 'return false;',
    tests: ['session/story/calls'],
  },
  {
    id: 'different-errors-are-one',
    file: 'src/session/story/story.ts',
    find: 'return a.node.type === b.node.type && words(a) === words(b);',
    replace: 'return true;',
    tests: ['session/story/calls'],
  },
  {
    id: 'tasks-are-numbers',
    file: 'src/session/story/names.ts',
    find: 'if (subject !== undefined && id !== undefined) subjects.set(id, subject);',
    replace: '',
    tests: ['session/story/calls'],
  },
  {
    id: 'single-newlines-are-spaces',
    file: 'src/base/markdown/markdown-lexer.ts',
    find: 'gfm: true, breaks: true,',
    replace: 'gfm: true,',
    tests: ['base/markdown/markdown-lexer'],
  },
  {
    id: 'every-changed-line-is-marked-whole',
    file: 'src/web/app/session/text/word-diff.ts',
    find: '< leastEqual ? undefined',
    replace: '< 0 ? undefined',
    tests: ['web/app/word-diff'],
  },
];
