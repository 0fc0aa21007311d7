export { boundMarkdown } from './markdown-bounds.ts';
export { lexMarkdown } from './markdown-lexer.ts';
