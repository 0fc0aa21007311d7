// The program that Claude Code runs as a hook.
import path from 'node:path';
import { packageRoot } from '../input/index.ts';

export const hookFile: string = path.join(packageRoot, 'dist', 'trace-hook.js');
