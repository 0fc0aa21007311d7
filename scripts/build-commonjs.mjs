// A package in CommonJS that is imported when it is needed, `await import('undici')`, has in a split bundle only a default
// export, while Node finds its names: the sources work, and the installed command fails ("Agent is not a constructor").
// So each such import gets a module with all names of the package, in our files and in those of packages.
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { types } from 'node:util';

const namespace = 'commonjs-names';
const projectRoot = fileURLToPath(new URL('..', import.meta.url));
const identifier = /^[A-Za-z_$][\w$]*$/;

export const commonjsNames = {
  name: namespace,
  setup({ onResolve, onLoad, resolve }) {
    onResolve({ filter: /^[^./]/ }, async ({ kind, path: name, importer, resolveDir, pluginData }) => {
      if (kind !== 'dynamic-import' || pluginData === namespace || name.startsWith('node:')) return undefined;
      const found = await resolve(name, { kind, importer, resolveDir, pluginData: namespace });
      if (found.errors.length > 0 || found.external || found.namespace !== 'file') return undefined;
      if (namesOf(found.path) === undefined) return undefined;
      // The path is in the bundle, so it must not name a folder of this machine.
      return { path: path.relative(projectRoot, found.path), namespace, pluginData: found.path };
    });
    onLoad({ filter: /.*/, namespace }, ({ pluginData: file }) => ({
      contents: [
        `const all = require(${JSON.stringify(file)});`,
        'export default all;',
        ...(namesOf(file) ?? []).map((name) => `export const ${name} = all.${name};`),
      ].join('\n'),
      resolveDir: path.dirname(file),
    }));
  },
};

/** `undefined` for a module that is not CommonJS. */
function namesOf(file) {
  try {
    const all = createRequire(file)(file);
    // Node requires ES modules too.
    if (types.isModuleNamespaceObject(all)) return undefined;
    return Object.keys(all).filter((name) => identifier.test(name) && name !== 'default' && !reserved.has(name));
  } catch {
    return undefined;
  }
}

const reserved = new Set(['all', 'delete', 'in', 'new', 'with', 'null', 'true', 'false', 'enum', 'void']);
