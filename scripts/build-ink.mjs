// Patches Ink and its dependencies in the bundle, so that the first frame appears sooner. Removed: the devtools (a separate
// package), the check that disables terminals under CI=true, and the restored cursor at exit (the console does that).
// Changed: Yoga unpacks its WASM directly instead of fetching a data URL, which would load Node's HTTP client; widths use the
// Unicode tables only if needed; Markdown and diffs are loaded on first use; React's names are minified.
import { readFile } from 'node:fs/promises';
import { transform } from 'esbuild';

const parts = {
  'is-in-ci': 'export default false;',
  'restore-cursor': 'export default () => {};',
  './devtools.js': '',
};

const lazy = {
  'string-width': `import { plainColumns } from './src/base/text/plain-width.ts';
    export default (text, options) =>
      (options === undefined && typeof text === 'string' ? plainColumns(text) : undefined) ??
      require('string-width').default(text, options);`,
  './markdown-lexer.ts':
    "export const lexMarkdown = (text) => require('./src/base/markdown/markdown-lexer.ts').lexMarkdown(text);",
  diff: ['structuredPatch', 'diffArrays']
    .map((name) => `export const ${name} = (...values) => require('diff').${name}(...values);`)
    .join('\n'),
};

export const inkParts = {
  name: 'ink-parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(is-in-ci|restore-cursor|\.\/devtools\.js)$/ }, ({ importer, path }) =>
      /[\\/]node_modules[\\/](ink|cli-cursor)[\\/]/.test(importer) ? { path, namespace: 'ink-part' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'ink-part' }, ({ path }) => ({ contents: parts[path] }));
    onResolve({ filter: /^(string-width|diff|\.\/markdown-lexer\.ts)$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: 'ink-lazy' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'ink-lazy' }, ({ path }) => ({
      contents: lazy[path],
      resolveDir: process.cwd(),
    }));
    onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, async ({ path }) => ({
      contents: `const fetch = undefined;${await readFile(path, 'utf8')}`,
    }));
    onLoad({ filter: /react-reconciler\.production\.js$/ }, async ({ path }) => {
      const { code } = await transform(await readFile(path, 'utf8'), { minify: true });
      return { contents: code };
    });
  },
};
