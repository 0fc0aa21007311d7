// Builds what is installed: the command and the library (bundled, split so that a command loads only
// what it uses) into dist/, and the type declarations into dist/types/.
import { spawnSync } from 'node:child_process';
import { chmodSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });
const common = {
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  sourcesContent: false,
};
await build({
  ...common,
  entryPoints: { clew: 'src/cli/main.ts', index: 'src/index.ts' },
  // One file loads in a fraction of the time of a package's many; only the native one stays outside.
  external: ['libsql'],
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);",
  },
  chunkNames: 'chunks/[name]-[hash]',
});
// The hook runs after every turn: by itself it is one small file, and shares no chunk with the command.
await build({
  ...common,
  entryPoints: { 'trace-hook': 'src/trace/hook-main.ts' },
  chunkNames: 'trace/[name]-[hash]',
  minifySyntax: true,
  minifyWhitespace: true,
});
chmodSync('dist/clew.js', 0o755);
const types = spawnSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json'], {
  stdio: 'inherit',
});
process.exit(types.status ?? 1);
