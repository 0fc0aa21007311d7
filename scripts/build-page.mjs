// Bundles the page of exported files into dist/standalone, and the page of the server into dist/page: file names change with
// their content, code that is not needed at once is in separate chunks, and index.html loads the rest.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

const folder = 'dist/page';

const common = {
  bundle: true,
  platform: 'browser',
  target: ['es2022', 'chrome109', 'firefox115', 'safari16'],
  jsx: 'automatic',
  minify: true,
  charset: 'utf8',
  define: { 'process.env.NODE_ENV': '"production"' },
};

/** Returns esbuild's metafile and the compressed bytes of the first load. */
export async function buildPage() {
  const { metafile } = await build({
    ...common,
    entryPoints: { app: 'src/web/app/main.tsx' },
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: 'chunk-[hash]',
    assetNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    legalComments: 'linked',
    metafile: true,
  });
  const outputs = Object.entries(metafile.outputs);
  const [entry, { cssBundle }] = outputs.find(([, output]) => output.entryPoint === 'src/web/app/main.tsx');
  const first = firstLoad(metafile.outputs, entry);
  const links = [
    `<link rel="stylesheet" href="/${path.basename(cssBundle)}" />`,
    ...first.slice(1).map((file) => `<link rel="modulepreload" href="/${path.basename(file)}" />`),
    `<script type="module" src="/${path.basename(entry)}"></script>`,
  ];
  const html = readFileSync('src/web/app/index.html', 'utf8').replace(
    '</head>',
    `  ${links.join('\n    ')}\n  </head>`,
  );
  writeFileSync(path.join(folder, 'index.html'), html);
  const sizes = [html, ...[...first, cssBundle].map((file) => readFileSync(file))].map((part) => gzipSync(part).length);
  return { metafile, firstLoadBytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** One script and one style sheet to inline in an exported file: nothing in them may end the element around it. */
export async function buildStandalone() {
  const { outputFiles, metafile } = await build({
    ...common,
    entryPoints: { standalone: 'src/web/app/standalone.tsx' },
    outdir: 'dist/standalone',
    format: 'iife',
    legalComments: 'eof',
    metafile: true,
    write: false,
  });
  mkdirSync('dist/standalone', { recursive: true });
  for (const { path: file, text } of outputFiles) {
    // In a script these occur only in strings, templates and patterns, where the escape means the same.
    const safe = file.endsWith('.js') ? text.replace(/<(?=!--|\/?script)/gi, '\\x3C') : text;
    if (/<\/(script|style)|<!--/i.test(safe)) throw new Error(`${file} cannot be inlined in a page`);
    writeFileSync(file, safe);
  }
  return { metafile };
}

/** The entry, and all that it imports before it runs. */
function firstLoad(outputs, entry) {
  const files = new Set([entry]);
  for (const file of files) {
    for (const { path: imported, kind } of outputs[file].imports) if (kind === 'import-statement') files.add(imported);
  }
  return [...files];
}
