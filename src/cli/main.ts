#!/usr/bin/env node
// The command's first file. It answers `--version` by itself, so that asking costs no more than starting Node;
// everything else is loaded when needed.
import { version } from '../base/version.ts';

if (process.argv[2] === '--version' || process.argv[2] === '-V') process.stdout.write(`${version}\n`);
