export { defineTool, ToolFailure } from './define.ts';
export { limits } from './limits.ts';
export { describeMissing, pathSchema, resolvePath } from './paths.ts';
