// Bundles the page of exported files into dist/standalone, and the page of the server into dist/page: file names change with
// their content, code that is not needed at once is in separate chunks, and index.html loads the rest.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { flatImports } from './build-flat.mjs';

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

const app = path.resolve('src/web/app');

/**
 * Every part that is loaded later also imports what is loaded already: the shell, and a part of the session page that page.
 * esbuild creates a chunk for each set of parts that share a file: so each of the two is one chunk, not a dozen small ones.
 */
export const wholeChunks = {
  name: 'whole-chunks',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\./ }, ({ kind, path: name, resolveDir }) =>
      kind === 'dynamic-import' ? { path: path.resolve(resolveDir, name), namespace: 'with-loaded' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'with-loaded' }, ({ path: file }) => {
      const isOfSession = file.startsWith(path.join(app, 'session') + path.sep);
      const loaded = [path.join(app, 'app.tsx'), ...(isOfSession ? [path.join(app, 'session-view.tsx')] : [])];
      const imports = loaded.map((each) => `import ${JSON.stringify(each)};`).join(' ');
      return { contents: `${imports} export * from ${JSON.stringify(file)};`, resolveDir: path.dirname(file) };
    });
  },
};

/** Hono's client can write cookies. The page has none: its token is in a header. */
export const noCookies = {
  name: 'no-cookies',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]hono[\\/]dist[\\/]utils[\\/]cookie\.js$/ }, () => ({
      contents: "export const serialize = () => { throw new Error('the page sends no cookies'); };",
    }));
  },
};

/** Returns esbuild's metafile, and the compressed bytes of the first load of the library and of a session. */
export async function buildPage() {
  const { metafile } = await build({
    ...common,
    entryPoints: { app: 'src/web/app/main.tsx' },
    outdir: folder,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    splitting: true,
    format: 'esm',
    legalComments: 'linked',
    metafile: true,
    plugins: [wholeChunks, noCookies, flatImports],
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
  const firstLoadBytes = ['library-view.ts', 'session-view.tsx'].map((name) => {
    const [view] = outputs.find(([, { entryPoint = '' }]) => path.basename(entryPoint) === name);
    const files = [...firstLoad(metafile.outputs, entry, view), cssBundle].map((file) => readFileSync(file));
    return [html, ...files].reduce((sum, part) => sum + gzipSync(part).length, 0);
  });
  return { metafile, firstLoadBytes };
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

/** The entries, and all that they import before they run. */
function firstLoad(outputs, ...entries) {
  const files = new Set(entries);
  for (const file of files) {
    for (const { path: imported, kind } of outputs[file].imports) if (kind === 'import-statement') files.add(imported);
  }
  return [...files];
}
