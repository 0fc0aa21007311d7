export { exportMarkdown, type MarkdownOptions, markdownByTurn, redactionNote } from './markdown.ts';
