// Puts code that many commands load into few chunks. esbuild creates a chunk for each set of parts that share a file, which
// was 44 files for `clew usage`, and Node takes half a millisecond of CPU for each. Here every part that is loaded later also
// imports the core, and most parts the second core, so that all of a core is shared by the same parts.
import path from 'node:path';

const core = ['usage', 'find'].map(commandFile);
/** What the commands for one session share: reading, checks, resume. */
const secondCore = ['ls'].map(commandFile);
const hasFirstOnly = /[\\/]cli[\\/](usage|find|stats|prices|completion)[\\/]/;
/** Handles a call alone, or loads the rest. */
const isBare = /[\\/]cli[\\/]program\.ts$/;

export const coreChunk = {
  name: 'core-chunk',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(\.|src\/)/ }, ({ importer, kind, path: name, resolveDir }) => {
      if (kind !== 'entry-point' && !(kind === 'dynamic-import' && !importer.includes('node_modules'))) return;
      const file = path.resolve(resolveDir, name);
      return isBare.test(file) ? undefined : { path: file, namespace: 'with-core' };
    });
    onLoad({ filter: /.*/, namespace: 'with-core' }, ({ path: file }) => {
      const shared = hasFirstOnly.test(file) ? core : [...core, ...secondCore];
      const imports = shared.map((each) => `import ${JSON.stringify(each)};`).join(' ');
      return { contents: `${imports} export * from ${JSON.stringify(file)};`, resolveDir: path.dirname(file) };
    });
  },
};

function commandFile(name) {
  return path.resolve(`src/cli/${name}/command.ts`);
}
