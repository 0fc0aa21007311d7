// Type declarations of the public surface: the .d.ts files that tsc writes → the declarations that src/index.ts exports
// and everything they refer to. The package ships them as one file, and docs/api.md is generated from them. This reads
// text, because TypeScript 7 has no stable compiler API; the files are tsc's own output, so their form is known.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Reads what `folder`/index.d.ts exports, and what that refers to. Each declaration has its name, kind, text, doc comment
 * and file; `role` is how it is reached: exported as a `value` or as a `type`, or only an `inner` part of one of them.
 */
export function readPublicTypes(folder) {
  const modules = new Map();
  const load = (file) => {
    if (!modules.has(file)) modules.set(file, parseModule(file, readFileSync(path.join(folder, file), 'utf8')));
    return modules.get(file);
  };
  const found = new Map();
  const add = (file, name, role) => {
    for (const declaration of locate(load, file, name)) {
      if (found.has(declaration)) continue;
      const isPlainType = declaration.kind === 'class' && role === 'type';
      found.set(declaration, {
        ...declaration,
        role,
        text: isPlainType ? withoutConstructor(declaration.text) : declaration.text,
      });
    }
  };
  for (const { source, name, isType } of load('index.d.ts').links.values())
    add(source, name, isType ? 'type' : 'value');
  // Iterating a Map includes entries that are added meanwhile.
  for (const { file, text } of found.values()) for (const name of referredNames(text)) add(file, name, 'inner');
  return [...found.values()].sort((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : a.offset - b.offset));
}

/** One file with all of them; two that have the same name cannot be in it. */
export function bundleTypes(declarations) {
  const owners = new Map();
  for (const { name, file } of declarations) {
    const owner = owners.get(name) ?? file;
    if (owner !== file)
      throw new Error(`the public types reach two declarations named ${name}, in ${owner} and ${file}`);
    owners.set(name, owner);
  }
  const texts = declarations.map(({ doc, text, role }) => {
    const bare = text.replace(/^export /, '');
    return `${doc}${role === 'inner' ? bare : `export ${bare}`}`;
  });
  return `${texts.join('\n')}\nexport {};\n`;
}

/** The declaration of a name in a file: all overloads of it, through imports and re-exports. None for a global. */
function locate(load, file, name) {
  const { declarations, links } = load(file);
  const own = declarations.filter((declaration) => declaration.name === name);
  if (own.length > 0) return own;
  const link = links.get(name);
  if (link === undefined) return [];
  if (!link.source.startsWith('.') && !link.source.endsWith('.d.ts'))
    throw new Error(`${file} takes ${name} from ${link.source}: a public type must not refer to another package`);
  return locate(load, link.source, link.name);
}

const head = /^(?:export )?(?:declare )?(?:abstract )?(function|class|interface|type|const|let|enum) ([\w$]+)/;

function parseModule(file, text) {
  const declarations = [];
  const links = new Map();
  for (const { doc, body, offset } of statements(text)) {
    const list = /^(?:import|export)( type)? \{([^}]*)\}(?: from '([^']+)')?;/.exec(body);
    const declared = head.exec(body);
    if (declared !== null) declarations.push({ kind: declared[1], name: declared[2], doc, text: body, file, offset });
    else if (list !== null) addLinks(links, file, list);
    else throw new Error(`${file}: cannot read "${body.slice(0, 80)}"`);
  }
  return { declarations, links };
}

function addLinks(links, file, [, type, names, from]) {
  for (const each of names.split(',').filter((part) => part.trim() !== '')) {
    const [, inlineType, name, alias = name] = /^\s*(type )?([\w$]+)(?: as ([\w$]+))?\s*$/.exec(each) ?? [];
    if (name === undefined || from === undefined) throw new Error(`${file}: cannot read the name in "${each}"`);
    const source = from.startsWith('.')
      ? path.posix.join(path.posix.dirname(file), from).replace(/\.tsx?$/, '.d.ts')
      : from;
    links.set(alias, { source, name, isType: type !== undefined || inlineType !== undefined });
  }
}

const isBlock = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|class|enum) /;

/** Top-level statements with the comment above each. A block ends with its brace, everything else with a semicolon. */
function* statements(text) {
  let doc = '';
  let body = '';
  let depth = 0;
  let offset = 0;
  const token =
    /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|=>|[{([<]|[})\]>]|[\s\S]/g;
  for (const { 0: part, index } of text.matchAll(token)) {
    if (body === '' && /^\s$/.test(part)) continue;
    if (body === '' && part.startsWith('/')) {
      doc = part.startsWith('/**') ? `${part}\n` : '';
      continue;
    }
    if (body === '') offset = index;
    if (/^[{([<]$/.test(part)) depth += 1;
    if (/^[})\]>]$/.test(part)) depth -= 1;
    if (part !== '\n' || depth > 0 || !(isBlock.test(body) ? /}\s*$/ : /;\s*$/).test(body)) {
      body += part;
      continue;
    }
    if (body.trim() !== 'export {};') yield { doc, body: body.trim(), offset };
    doc = '';
    body = '';
  }
  if (body.trim() !== '') throw new Error(`a statement does not end: ${body.slice(0, 80)}`);
}

/** The names that a declaration may take from its file: types begin with a capital letter, values follow `typeof` or are computed keys. */
export function referredNames(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, ' ');
  return new Set(
    [...code.matchAll(/(?<![.\w$])(?:typeof ([\w$]+)|\[([\w$]+)\]\??[:(]|([A-Z][\w$]*)(?!\??:))/g)].map(
      (match) => match[1] ?? match[2] ?? match[3],
    ),
  );
}

/** A class that is exported as a type only cannot be constructed. */
function withoutConstructor(text) {
  return text.replace(/^ {4}(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/\s*)?(?:private )?constructor\([\s\S]*?\);\n/m, '');
}
