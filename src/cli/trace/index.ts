export { hookFile } from './hook-file.ts';
export { requireLastingPath } from './lasting-path.ts';
