export { type DeletedMarkdownOptions, deletedMarkdown } from './deleted-markdown.ts';
