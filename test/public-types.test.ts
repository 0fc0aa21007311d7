// The declarations of the public surface: complete, documented, and free of types of other packages.
// scripts/build-types.mjs collects them for the package and for docs/api.md.
import assert from 'node:assert/strict';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import * as surface from '../src/index.ts';
import { projectRoot } from './support/paths.ts';
import { temporaryFolder, writeTree } from './support/temp-folder.ts';

interface Declaration {
  readonly name: string;
  readonly kind: string;
  readonly doc: string;
  readonly text: string;
  readonly role: 'value' | 'type' | 'inner';
}

interface Collector {
  readPublicTypes(folder: string): Declaration[];
  bundleTypes(declarations: readonly Declaration[]): string;
}

const script = pathToFileURL(path.join(projectRoot, 'scripts/build-types.mjs')).href;
const { readPublicTypes, bundleTypes } = (await import(script)) as Collector;
const declarations = readPublicTypes(path.join(projectRoot, 'build/src'));

test('every type that a public signature names is exported', () => {
  assert.deepEqual(
    innerNames(declarations),
    [
      // The tables of fields that the types of entries, blocks and tool results are computed from, and the computation.
      ...['blockFields', 'entryFields', 'envelopeFields', 'toolResultFields', 'odd'],
      ...['Claimed', 'Fields', 'IsPromised', 'Kind', 'Kinds', 'Promised', 'Shape'],
      // The lists that ProfileName and WireFormat are made from.
      ...['profileNames', 'wireFormats'],
    ].sort(),
  );
});

test('a type that is named but not exported is found, however it is reached', (t) => {
  const found = collect(t, {
    'index.d.ts': "export { start } from './start.ts';\nexport type { Box } from './box.ts';\n",
    'start.d.ts': [
      "import type { Box, Options as Settings } from './box.ts';",
      'declare const key: unique symbol;',
      'interface Local {\n    readonly [key]: boolean;\n}',
      '/** Starts. */',
      "export declare function start(settings: Settings, more?: Local): Box<typeof import.meta | 'Quoted'>;",
      'export declare function start(name: string): Box<Date>;',
      '/** Not public. */',
      'export interface Unused {\n    readonly other: number;\n}',
    ]
      .join('\n')
      .concat('\n'),
    'box.d.ts': [
      "export type { Options } from './options.ts';",
      '/** A Box of Things, as the comment says. */',
      'export type Box<T> = {\n    readonly Label: string;\n    readonly value: T;\n}\n | undefined;',
    ]
      .join('\n')
      .concat('\n'),
    'options.d.ts': 'export interface Options {\n    run(): Deep;\n}\ninterface Deep {\n    readonly a: 1;\n}\n',
  });
  assert.deepEqual(innerNames(found), ['Deep', 'Local', 'Options', 'key']);
  assert.deepEqual(
    found.filter(({ role }) => role !== 'inner').map(({ name, role }) => `${role} ${name}`),
    ['type Box', 'value start', 'value start'],
  );
});

test('a public type that refers to another package is refused', (t) => {
  const files = {
    'index.d.ts': "export type { Watch } from './watch.ts';\n",
    'watch.d.ts': "import type { FSWatcher } from 'node:fs';\nexport type Watch = () => FSWatcher;\n",
  };
  assert.throws(() => collect(t, files), /watch\.d\.ts takes FSWatcher from node:fs/);
});

test('two public types with the same name are refused', (t) => {
  const found = collect(t, {
    'index.d.ts': "export type { A } from './a.ts';\nexport type { B } from './b.ts';\n",
    'a.d.ts': 'interface Same {\n    readonly a: 1;\n}\nexport type A = Same;\n',
    'b.d.ts': 'interface Same {\n    readonly b: 1;\n}\nexport type B = Same;\n',
  });
  assert.throws(() => bundleTypes(found), /two declarations named Same, in a\.d\.ts and b\.d\.ts/);
});

test('the bundle exports what is public, and a class that is exported as a type has no constructor', (t) => {
  const found = collect(t, {
    'index.d.ts': "export type { Box } from './box.ts';\nexport { Fault } from './box.ts';\n",
    'box.d.ts': [
      'interface Inner {\n    readonly a: 1;\n}',
      'interface Secret {\n    readonly b: 1;\n}',
      '/** A box. */',
      'export declare class Box {\n    readonly inner: Inner;\n    constructor(secret: Secret, more: {\n        a: 1;\n    });\n    open(): void;\n}',
      '/** A fault. */',
      'export declare class Fault extends Error {\n    constructor(message: string);\n}',
    ]
      .join('\n')
      .concat('\n'),
  });
  assert.equal(
    bundleTypes(found),
    `interface Inner {
    readonly a: 1;
}
/** A box. */
export declare class Box {
    readonly inner: Inner;
    open(): void;
}
/** A fault. */
export declare class Fault extends Error {
    constructor(message: string);
}
export {};
`,
  );
});

test('the values that are declared are the values that are exported', () => {
  const declared = declarations.filter(({ role }) => role === 'value').map(({ name }) => name);
  assert.deepEqual([...new Set(declared)].sort(), Object.keys(surface).sort());
});

test('every export has a doc comment that begins with a sentence', () => {
  const seen = new Set<string>();
  const bad = declarations.filter(({ name, role, doc }) => {
    const isFirst = role !== 'inner' && !seen.has(name);
    seen.add(name);
    return isFirst && !/^\/\*\*[\s*]+[A-Z`][\s\S]*?[.](\s|$)/.test(doc);
  });
  assert.deepEqual(
    bad.map(({ name, doc }) => `${name}: ${doc}`),
    [],
  );
});

function innerNames(list: readonly Declaration[]): string[] {
  return list
    .filter(({ role }) => role === 'inner')
    .map(({ name }) => name)
    .sort();
}

function collect(t: TestContext, files: Readonly<Record<string, string>>): Declaration[] {
  const folder = temporaryFolder(t);
  writeTree(folder, files);
  return readPublicTypes(folder);
}
