// The licences of the packages whose code is in dist/: esbuild's metafiles → one text. Most licences require that their text
// is part of every copy, and an install of Clew does not install these packages.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The text of THIRD-PARTY.txt. A package without a licence in its package.json ends the build. */
export function licencesOf(metafiles) {
  const folders = new Set();
  for (const { outputs } of metafiles)
    for (const { inputs } of Object.values(outputs))
      for (const file of Object.keys(inputs)) {
        const folder = /^(?:.*:)?(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
        if (folder !== undefined) folders.add(folder);
      }
  const parts = [...folders].sort().map(licenceOf);
  return `Clew contains code of these packages.\n\n${parts.join('\n')}`;
}

function licenceOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  if (typeof license !== 'string') throw new Error(`${folder}/package.json names no licence`);
  const file = readdirSync(folder).find((each) => /^licen[cs]e(\.|$)/i.test(each));
  const by = typeof author === 'string' ? author : (author?.name ?? `the authors of ${name}`);
  const text = file === undefined ? `Licensed by ${by}.` : readFileSync(path.join(folder, file), 'utf8').trim();
  return `${'-'.repeat(80)}\n${name} ${version} (${license})\n\n${text}\n`;
}
