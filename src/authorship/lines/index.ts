export { type Alignment, align, type Kept } from './align.ts';
export { countLines, isDistinctive, linesOf, squeezed } from './text-lines.ts';
