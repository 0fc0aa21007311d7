export { Diff, NumberedLines, readDiff } from './code-lines.tsx';
export { languageOfFile } from './highlight.ts';
export { Images, Picture, RawButton } from './images.tsx';
export { JsonText, JumpedTo } from './json-tree.tsx';
export { isSafeLink } from './markdown.ts';
export { MarkdownText, More, PlainText, TerminalText, useWhole, Words } from './text.tsx';
