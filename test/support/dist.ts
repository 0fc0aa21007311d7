// The built program. The test runner builds dist/ only for test files that import this module, directly or not.
import path from 'node:path';
import { projectRoot } from './paths.ts';

export const dist: string = path.join(projectRoot, 'dist');
/** A run of mutants sets the variable: its commands are not bundled. */
export const clew: string = process.env.CLEW_TEST_PROGRAM ?? path.join(dist, 'clew.js');
