// Fails on the phrases and names that docs/style.md bans, with file, line and what to write instead.
//   node scripts/phrases.mjs [PATH…]   the whole project, or the files and folders given
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { exemptFiles, exemptTexts } from './phrases-exempt.mjs';

const projectPaths = [
  'src',
  'test',
  'docs',
  'scripts',
  'bench',
  'examples',
  'README.md',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
];

/** `[phrase, what to write instead]` */
const phrases = [
  [/(?<!under)(?<!with)\b(?:stands?|stood|standing)\b(?! (?:for|out)\b)/i, 'is, is in, runs'],
  [/\bstand-?ins?\b|\bstandIn/i, 'placeholder, fake'],
  [/\b(?:tells?|told|telling)\b(?! (?:\w+ ){0,3}(?:apart|from)\b)/i, 'shows, prints, reports, says, instructs'],
  [
    /(?<!\b(?:leaves?|leaving|left|falls?|lags?)[ -](?:[\w-]+ ){0,3})\bbehind\b(?! (?:an?|the) (?:gateway|proxy|firewall|login|flag|token|dialog|hash)\b)/i,
    'after',
  ],
  [
    /(?<!\bthere )\b(?:is|are|was|were) (?:no(?=\s|$)(?! (?:longer|more|fewer|less)\b)|none\b(?! of))/i,
    'is not a; there is no',
  ],
  [/\banew\b/i, 'again; rebuild'],
  [/\b(?:mend|heal)(?:s|ed|ing)?\b/i, 'repair, fix'],
  [/\b(?:your|a person's|the user's) word\b|\byours to\b/i, 'confirmation, permission'],
  // As a name it is a field of public types.
  [/(?<![.'`#])\bbesides?\b(?=\s(?![=?:&|+}])|[.;](?!\w)|$)/i, 'next to, also'],
  [/\b(?:by (?:itself|themselves)|of itself|at a loss)\b/i, 'automatically, alone, on its own'],
  [/\bsomebody\b|\ba person\b/i, 'the user, another program'],
  [/\b(?:for|of|to|by|from|with) who\b/i, 'for anyone who, for users that'],
  [/\b(?:is|are|was|were)(?: not)? to be\b/i, 'must be, should be'],
  [/\b(?:go|goes|went) on\b(?! (?:top|the|an?|one|its|stdout|stderr|standard)\b)/i, 'continues'],
  [/\bput down\b|\b(?:take|takes|taken|took) up\b|\blaid down\b/i, 'write, store, read'],
  [/\b(?:thereof|whereof|thereby|wherein|whence|thence|whereupon|nought|likewise|anyhow)\b/i, 'the common word'],
  [/\ball the same\b/i, 'still, anyway'],
  [/\bwhere it is not known\b/i, 'if unknown'],
  [/(?<!\bthe )\binside of\b/i, 'inside, in'],
  [/\bin the manner of\b/i, 'like'],
  [/\b(?:gives?|gave|given) back\b/i, 'returns'],
  [/\bas (?:it|they) came\b/i, 'unchanged'],
  [/\bwhat is there\b/i, 'name the thing'],
  [/\bunsettl/i, 'changes the working directory'],
  [
    /\b(?:shelf|shelves|roster|news ?desk|session ?desk|surroundings|parcels?)\b/i,
    'cache, session list, notifier, context, batch',
  ],
  [/(?:Shelf|Roster|NewsDesk|SessionDesk|Telling|Patient|Surroundings|Parcel|StandIn)(?=[A-Z]|s?\b)/, 'a plain name'],
];

/** Names that fit every file and so say nothing in any: each may be defined twice in src. */
const vagueNames = ['placeOf', 'textOf', 'oneLine', 'openSession'];
const maxDefinitions = 2;

/** One message for each banned phrase, vague name and exemption that nothing needs. `files` are `{ path, text }`. */
export function findPhrases(files, exemptions = exemptTexts) {
  return [...files.flatMap((file) => phrasesIn(file, exemptions)), ...vagueDefinitions(files)];
}

/** Exemptions for texts that are in none of the files. */
export function unusedExemptions(files, exemptions = exemptTexts) {
  const all = files.map(({ text }) => text).join('\n');
  return exemptions
    .flatMap(({ texts }) => texts)
    .filter((text) => !all.includes(text))
    .map((text) => `scripts/phrases-exempt.mjs: nothing contains "${text}"; remove the exemption`);
}

function phrasesIn({ path: file, text }, exemptions) {
  const exempt = exemptions.flatMap(({ texts }) => texts);
  const withoutExempt = (line) => exempt.reduce((rest, each) => rest.replaceAll(each, ''), line);
  const lines = text.split('\n').map(withoutExempt);
  return lines.flatMap((line, index) => {
    // A phrase may begin with the last word of the line before.
    const before = /[\w-]*$/.exec(lines[index - 1] ?? '')?.[0] ?? '';
    const checked = `${before} ${line.replace(/^[\s/*>-]+/, '')}`;
    return phrases.flatMap(([phrase, better]) => {
      const match = new RegExp(phrase, `${phrase.flags}g`)[Symbol.matchAll](checked);
      const [found] = [...match].filter(({ index: at, 0: words }) => at + words.length > before.length);
      return found === undefined
        ? []
        : [`${file}:${index + 1}: "${found[0]}" (${better}): ${line.trim().slice(0, 140)}`];
    });
  });
}

function vagueDefinitions(files) {
  return vagueNames.flatMap((name) => {
    const definition = new RegExp(`^\\s*(?:export )?(?:async )?(?:function\\*?|const) ${name}\\b`, 'm');
    const places = files.filter(({ path: file, text }) => file.startsWith('src/') && definition.test(text));
    return places.length <= maxDefinitions
      ? []
      : [
          `"${name}" is defined in ${places.length} files (use specific names): ${places.map((file) => file.path).join(', ')}`,
        ];
  });
}

function readFiles(paths) {
  return paths
    .flatMap((each) =>
      statSync(each).isDirectory()
        ? readdirSync(each, { recursive: true, encoding: 'utf8' }).map((file) => path.join(each, file))
        : [each],
    )
    .map((file) => file.split(path.sep).join('/'))
    .filter((file) => /\.(?:tsx?|mjs|md|css)$/.test(file) && statSync(file).isFile() && !exemptFiles.includes(file))
    .map((file) => ({ path: file, text: readFileSync(file, 'utf8') }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(fileURLToPath(new URL('..', import.meta.url)));
  const paths = process.argv.slice(2);
  const files = readFiles(paths.length === 0 ? projectPaths : paths);
  const found = [...findPhrases(files), ...(paths.length === 0 ? unusedExemptions(files) : [])];
  for (const message of found) console.error(message);
  console.error(
    found.length === 0 ? `${files.length} files, no banned phrase` : `${found.length} to rewrite; see docs/style.md`,
  );
  process.exitCode = found.length === 0 ? 0 : 1;
}
