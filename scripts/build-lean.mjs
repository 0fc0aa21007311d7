// The parts that must start fast, as CommonJS: the entry of the command, the lean commands and the trace hook. Node's loader
// for ES modules costs 8 ms of CPU at every start, and each module of Node that is not in its snapshot up to 5 ms. esbuild
// cannot split CommonJS, so these are separate files, and code that two of them use is in both.
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { inkParts } from './build-ink.mjs';
import { pureModules } from './build-modules.mjs';

/** Every start of Node loads these. Not `path`: a default import copies all members, in each file that has one. */
const isLoaded = /^node:(buffer|events|fs|timers|url|util)$/;

/** `import()` in CommonJS starts the loader for ES modules, `require` does not; only an ES module needs the first. */
const laterParts = {
  name: 'later-parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/(program|[\w-]+\/lean|work|count|answer)\.ts$/ }, ({ kind, path }) => {
      if (kind !== 'dynamic-import') return;
      if (path === './program.ts') return { path: './program.mjs', external: true };
      const name =
        { './work.ts': 'trace-work', './count.ts': 'usage-count', './answer.ts': 'guard-answer' }[path] ??
        `lean/${path.split('/')[1]}`;
      return { path: `./${name}.js`, namespace: 'later-part' };
    });
    // The answers of `clew mcp` are needed when it is asked first.
    onResolve({ filter: /^\.\.\/answers\/index\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: '../memory-answers.mjs', external: true } : undefined,
    );
    onResolve({ filter: /.*/, namespace: 'later-part' }, ({ path }) => ({ path, external: true }));
    onLoad({ filter: /.*/, namespace: 'later-part' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** The server has no use for the SDK's validator of JSON Schema, which is half of the code. */
const noValidator = {
  name: 'no-validator',
  setup({ onLoad }) {
    onLoad({ filter: /validation[\\/]ajv-provider\.js$/ }, () => ({
      contents: 'export class AjvJsonSchemaValidator {}',
    }));
  },
};

/** A module of Node is loaded when one of its functions is called first. */
const lazyBuiltins = {
  name: 'lazy-builtins',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/, namespace: 'file' }, ({ path }) =>
      isLoaded.test(path) ? undefined : { path, namespace: 'lazy-builtin', sideEffects: false },
    );
    onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, async ({ path }) => {
      const all = Object.entries(await import(path)).filter(([name]) => name !== 'default');
      const lines = all.map(([name, value]) =>
        isPlainFunction(name, value)
          ? `export const ${name} = (...values) => load().${name}(...values);`
          : `export const ${name} = /* @__PURE__ */ (() => load().${name})();`,
      );
      const head = `let loaded; const load = () => loaded ??= require(${JSON.stringify(path)});`;
      return { contents: [head, ...lines, 'export default /* @__PURE__ */ load();'].join('\n') };
    });
  },
};

/** Not a class, and without properties that a wrapper would lose. */
function isPlainFunction(name, value) {
  return typeof value === 'function' && /^[a-z]/.test(name) && value[promisify.custom] === undefined;
}

/** Returns esbuild's metafile. */
export async function buildLean(common) {
  const { metafile } = await build({
    ...common,
    splitting: false,
    format: 'cjs',
    entryPoints: {
      clew: 'src/cli/main.ts',
      'lean/find': 'src/cli/find/lean.ts',
      'lean/guard': 'src/cli/guard/lean.ts',
      'lean/guard-answer': 'src/cli/guard/answer.ts',
      'lean/mcp': 'src/cli/mcp/lean.ts',
      'lean/statusline': 'src/cli/statusline/lean.ts',
      'lean/usage': 'src/cli/usage/lean.ts',
      'lean/usage-count': 'src/cli/usage/count.ts',
      'trace-hook': 'src/trace/hook/hook-main.ts',
      'trace-work': 'src/trace/hook/work.ts',
    },
    external: ['libsql'],
    plugins: [laterParts, noValidator, lazyBuiltins, inkParts, pureModules],
    minifyIdentifiers: true,
    // `createRequire` takes a path too.
    define: { 'import.meta.url': '__filename' },
  });
  return { metafile };
}
