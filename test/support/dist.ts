// The built program. The test runner builds dist/ only for test files that import this module, directly or not.
import path from 'node:path';
import { projectRoot } from './paths.ts';

export const dist: string = path.join(projectRoot, 'dist');
export const clew: string = path.join(dist, 'clew.js');
