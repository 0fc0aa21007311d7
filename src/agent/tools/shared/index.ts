export { defineTool, ToolFailure } from './define.ts';
export { limits } from './limits.ts';
export { describeMissing, folderSchema, pathSchema, resolvePath, shownPath } from './paths.ts';
