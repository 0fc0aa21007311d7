// Imports from a folder's index.ts → imports from the files that define the names. esbuild puts a file into every chunk whose
// parts import it, used or not, so an index.ts would bring its whole folder: without this, `clew find` loads the
// operations of `redact`. Types are left out.
import { readFileSync } from 'node:fs';
import path from 'node:path';

const listed = /^(import|export)( type)? \{([^}]*)\} from '(\.[^']*)';/gm;

export const flatImports = {
  name: 'flat-imports',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/, namespace: 'file' }, ({ path: file }) => {
      if (path.basename(file) === 'index.ts') return undefined;
      const contents = flatten(file, readFileSync(file, 'utf8'));
      return { contents, loader: file.endsWith('x') ? 'tsx' : 'ts', resolveDir: path.dirname(file) };
    });
  },
};

/** The text with as many lines as before, so that source maps stay right. */
export function flatten(file, text) {
  return text.replace(listed, (statement, keyword, isType, names, specifier) => {
    if (keyword !== 'import' || isType !== undefined || !/(^|\/)index\.ts$/.test(specifier)) return statement;
    const index = path.resolve(path.dirname(file), specifier);
    const imports = namesOf(names).map(({ name, alias }) => {
      const home = homeOf(index, name);
      return `import { ${home.name} as ${alias} } from '${specifierOf(file, home.file)}';`;
    });
    return imports.join(' ') + '\n'.repeat(statement.split('\n').length - 1);
  });
}

/** Where a name of an index.ts is defined; the index.ts itself if it is defined there. */
function homeOf(index, name) {
  for (const [, keyword, isType, names, specifier] of readFileSync(index, 'utf8').matchAll(listed)) {
    if (keyword !== 'export' || isType !== undefined) continue;
    const found = namesOf(names).find(({ alias }) => alias === name);
    if (found === undefined) continue;
    const file = path.resolve(path.dirname(index), specifier);
    return path.basename(file) === 'index.ts' ? homeOf(file, found.name) : { file, name: found.name };
  }
  return { file: index, name };
}

function namesOf(list) {
  return list
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '' && !each.startsWith('type '))
    .map((each) => {
      const [name, alias = name] = each.split(' as ');
      return { name, alias };
    });
}

function specifierOf(from, to) {
  const relative = path.relative(path.dirname(from), to).split(path.sep).join('/');
  return relative.startsWith('.') ? relative : `./${relative}`;
}
