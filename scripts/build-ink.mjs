// What the bundle leaves out of Ink: its devtools (a package of their own, for who develops a screen), and its belief
// that a terminal under CI=true is none.
export const inkParts = {
  name: 'ink-parts',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(is-in-ci|\.\/devtools\.js)$/ }, ({ importer, path }) =>
      /[\\/]ink[\\/]/.test(importer) ? { path, namespace: 'ink-part' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'ink-part' }, ({ path }) => ({
      contents: path === 'is-in-ci' ? 'export default false;' : '',
    }));
  },
};
