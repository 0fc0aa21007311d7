// What the bundle leaves out of Ink: its devtools (a package of their own, for who develops a screen), its belief that a
// terminal under CI=true is none, and a cursor that is shown again on stderr at the exit (the console does that itself).
const parts = {
  'is-in-ci': 'export default false;',
  'restore-cursor': 'export default () => {};',
  './devtools.js': '',
};

export const inkParts = {
  name: 'ink-parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(is-in-ci|restore-cursor|\.\/devtools\.js)$/ }, ({ importer, path }) =>
      /[\\/]node_modules[\\/](ink|cli-cursor)[\\/]/.test(importer) ? { path, namespace: 'ink-part' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'ink-part' }, ({ path }) => ({ contents: parts[path] }));
  },
};
