// Puts the code that nearly every command loads into one chunk. esbuild creates a chunk for each set of parts that share a
// module, which was 44 files for `clew usage`, and Node takes half a millisecond of CPU for each. Here every part that is loaded
// later also imports the core, so that all of the core is shared by the same parts.
import path from 'node:path';

const core = path.resolve('src/cli/usage/command.ts');
/** They handle a call alone, or load the rest. */
const isBare = /[\\/]cli[\\/](main|program)\.ts$/;

export const coreChunk = {
  name: 'core-chunk',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(\.|src\/)/ }, ({ importer, kind, path: name, resolveDir }) => {
      if (kind !== 'entry-point' && !(kind === 'dynamic-import' && !importer.includes('node_modules'))) return;
      const file = path.resolve(resolveDir, name);
      return isBare.test(file) ? undefined : { path: file, namespace: 'with-core' };
    });
    onLoad({ filter: /.*/, namespace: 'with-core' }, ({ path: file }) => ({
      contents: `import ${JSON.stringify(core)}; export * from ${JSON.stringify(file)};`,
      resolveDir: path.dirname(file),
    }));
  },
};
