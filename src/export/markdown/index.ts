export { exportMarkdown, type MarkdownOptions, markdownByTurn, redactionNote } from './markdown.ts';
export { codeSpan, fenced, plainLine, quoted } from './markdown-text.ts';
