export { Diff, NumberedLines, readDiff } from './code-lines.tsx';
export { languageOfFile } from './highlight.ts';
export { Images, Picture, RawButton } from './images.tsx';
export { JsonText, JumpedTo } from './json-tree.tsx';
export { loadWordDiff } from './load-word-diff.ts';
export { isSafeLink } from './markdown.ts';
export { MarkdownText, More, PlainText, TerminalText, useWhole } from './text.tsx';
export { Words } from './words.tsx';
