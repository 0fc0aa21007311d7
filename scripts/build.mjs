// Builds the installed files into dist/: the command and the library (bundled, split so that a command loads only what it
// uses), the lean entry of the command and the trace hook (build-lean.mjs), the page in page/ and standalone/, the type
// declarations in index.d.mts, and the licences of the bundled packages in THIRD-PARTY.txt.
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { commonjsNames } from './build-commonjs.mjs';
import { coreChunk } from './build-core.mjs';
import { flatImports } from './build-flat.mjs';
import { inkParts } from './build-ink.mjs';
import { buildLean } from './build-lean.mjs';
import { licencesOf } from './build-licences.mjs';
import { pureModules } from './build-modules.mjs';
import { buildPage, buildStandalone } from './build-page.mjs';
import { bundleTypes, readPublicTypes } from './build-types.mjs';
import { runNode, stampDist } from './compile.mjs';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
rmSync('dist', { recursive: true, force: true });
// commander can run commands as separate programs, for which it loads child_process, streams and sockets at
// start-up. Our commands are functions, so the module is loaded on first use.
const lazyProcesses = {
  name: 'lazy-processes',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:child_process$/ }, ({ importer, path }) =>
      importer.includes('commander') ? { path, namespace: 'lazy' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'lazy' }, () => ({
      contents: "exports.spawn = (...values) => require('node:child_process').spawn(...values);",
    }));
  },
};
const common = {
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // As in tsconfig.json, which esbuild does not read for files that a plugin resolves.
  jsx: 'automatic',
  // For stacks in a checkout (src/cli/debug-stack.ts). The package leaves them out, and no file refers to them.
  sourcemap: 'external',
  sourcesContent: false,
  metafile: true,
  // Node reads a whole chunk before it runs it.
  minifyWhitespace: true,
  minifySyntax: true,
};
const program = await build({
  ...common,
  entryPoints: {
    'media-worker': 'src/agent/media/media-worker.ts',
    program: 'src/cli/program.ts',
    index: 'src/index.ts',
    'web-worker': 'src/web/server/workers/worker.ts',
    'memory-answers': 'src/memory/answers/index.ts',
  },
  // In dist/ a .js file is CommonJS.
  outExtension: { '.js': '.mjs' },
  // One file loads much faster than the many files of a package. Only packages with native parts stay external: each
  // finds its binary for the platform next to itself. They are the dependencies of the package, all others are bundled.
  external: ['libsql', '@vscode/ripgrep'],
  plugins: [commonjsNames, flatImports, coreChunk, lazyProcesses, inkParts, pureModules],
  // React's own development build checks and warns, at several times the cost.
  define: { 'process.env.NODE_ENV': '"production"' },
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);",
  },
  chunkNames: 'chunks/[name]-[hash]',
});
// Read by the media worker (src/agent/media/scale-image.ts).
mkdirSync('dist/wasm');
for (const file of [
  'jpeg/codec/dec/mozjpeg_dec.wasm',
  'png/codec/pkg/squoosh_png_bg.wasm',
  'webp/codec/dec/webp_dec.wasm',
])
  copyFileSync(`node_modules/@jsquash/${file}`, `dist/wasm/${path.basename(file)}`);
const lean = await buildLean(common);
writeFileSync('dist/package.json', '{ "type": "commonjs" }\n');
const standalone = await buildStandalone();
const page = await buildPage();
const [library, session] = page.firstLoadBytes.map((bytes) => `${Math.round(bytes / 1000)} KB`);
console.log(`page: packed at first load, library ${library}, session ${session}`);
chmodSync('dist/clew.js', 0o755);
const metafiles = [program.metafile, lean.metafile, standalone.metafile, page.metafile];
writeFileSync('dist/THIRD-PARTY.txt', licencesOf(metafiles));
runNode(['node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json']);
writeFileSync('dist/index.d.mts', bundleTypes(readPublicTypes('build/types')));
rmSync('build/types', { recursive: true });
stampDist();
