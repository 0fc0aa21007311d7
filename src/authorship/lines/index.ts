export { type Alignment, align, type Kept } from './align.ts';
export { countLines, isTelling, linesOf, squeezed } from './text-lines.ts';
