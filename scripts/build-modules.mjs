// The modules of src have no side effects when they are loaded, so what a bundle does not use of a folder's index.ts is left
// out. esbuild cannot know this; package.json cannot say it, because style sheets of the page are imported for their effect.
import path from 'node:path';

const sources = path.resolve('src') + path.sep;

export const pureModules = {
  name: 'pure-modules',
  setup({ onResolve }) {
    onResolve({ filter: /^\..*\.tsx?$/ }, ({ importer, kind, path: name, resolveDir, namespace }) => {
      const isStatic = kind === 'import-statement' && namespace === 'file' && importer.startsWith(sources);
      return isStatic ? { path: path.resolve(resolveDir, name), sideEffects: false } : undefined;
    });
  },
};
