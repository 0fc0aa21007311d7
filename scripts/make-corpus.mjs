// Packs the recordings and the published transcripts that the tests read into test/corpus/corpus.br.
//   node scripts/make-corpus.mjs DIR     DIR contains corpus/, counting/ and interop/, as recorded
// Texts of the client itself (system prompts, tool descriptions, reminders) are not ours to publish: in them every
// letter and digit becomes an x, so that lengths, escapes and line breaks stay. All other bytes stay unchanged.
// The format: one line of JSON, an array of [path, size], then the bytes of these files; compressed with Brotli.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';

const source = process.argv[2];
if (source === undefined) {
  console.error('usage: node scripts/make-corpus.mjs DIR');
  process.exit(2);
}
const wanted = [
  'corpus/real',
  'corpus/public',
  'counting',
  'interop/real-messages',
  'interop/public-messages',
  'interop/vectors-fuzz',
  'interop/binding/vectors',
];
/** To its end tag, or where it was cut to the end of its JSON string. */
const reminder = /(<system-reminder>)((?:(?!<\/?system-reminder>)(?:\\.|[^"\\]))*)/g;
const files = wanted.flatMap((folder) =>
  readdirSync(path.join(source, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(source, path.join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .sort(),
);
const clientTexts = collectClientTexts(
  files.filter((file) => file.startsWith('corpus/real/') && file.endsWith('.jsonl')),
  files.filter((file) => file.startsWith('interop/binding/vectors/') && file.endsWith('/expected.json')),
);
const contents = files.map((file) => blankClientTexts(file, readFileSync(path.join(source, file))));
const index = files.map((file, i) => [file, contents[i].length]);
const packed = brotliCompressSync(Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...contents]), {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 11,
    [constants.BROTLI_PARAM_LARGE_WINDOW]: 1,
    [constants.BROTLI_PARAM_LGWIN]: 26,
  },
});
writeFileSync('test/corpus/corpus.br', packed);
console.log(`${files.length} files, ${clientTexts.length} texts of the client blanked, ${packed.length} bytes`);

/** As they are written in JSON, the longest first, since one may contain another. */
function collectClientTexts(transcripts, requests) {
  const texts = new Set();
  // The system prompts of these vectors were invented; the client puts its own sentence before them.
  for (const file of requests) {
    for (const { system } of JSON.parse(readFileSync(path.join(source, file), 'utf8')).requests)
      for (const text of stringsOf(system))
        if (text.startsWith('You are Claude Code')) texts.add(JSON.stringify(text).slice(1, -1));
  }
  for (const file of transcripts) {
    for (const line of readFileSync(path.join(source, file), 'utf8').split('\n')) {
      if (!/"api-request-shape"|"attachment"/.test(line)) continue;
      for (const text of clientTextsOf(JSON.parse(line)))
        if (text.length >= 20) texts.add(JSON.stringify(text).slice(1, -1));
    }
  }
  return [...texts].sort((a, b) => b.length - a.length);
}

function clientTextsOf({ type, shape, attachment }) {
  if (type === 'api-request-shape') return [...stringsOf(shape.system), ...descriptionsOf(shape.tools)];
  if (type !== 'attachment') return [];
  switch (attachment.type) {
    case 'prompt_snapshot':
      return [
        ...stringsOf(attachment.systemPrompt),
        ...stringsOf(attachment.cliPrefix),
        ...descriptionsOf(attachment.tools),
      ];
    case 'agent_listing_delta':
      return stringsOf(attachment.addedLines);
    case 'session_context':
      return stringsOf(attachment.context);
    case 'model':
    case 'silent_turn_reminder':
      return [attachment.text];
    case 'skill_listing':
      return [attachment.content];
    case 'read_truncation_notice':
      return [attachment.banner];
    default:
      return [];
  }
}

function stringsOf(value) {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(stringsOf) : [];
}

function descriptionsOf(value) {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'description' && typeof each === 'string' ? [each] : descriptionsOf(each),
  );
}

function blankClientTexts(file, bytes) {
  const original = bytes.toString('latin1');
  // Reminders in a hand-made session are not the client's text.
  const isMade = file.includes('/vectors');
  let text = isMade ? original : original.replaceAll(reminder, (_, tag, inside) => tag + blank(inside));
  for (const each of clientTexts) {
    const raw = Buffer.from(each).toString('latin1');
    if (text.includes(raw)) text = text.replaceAll(raw, blank(raw));
  }
  if (text.length !== original.length) throw new Error('a text changed its length');
  return Buffer.from(text, 'latin1');
}

function blank(text) {
  return text.replaceAll(/\\u[0-9a-fA-F]{4}|\\.|[A-Za-z0-9]/g, (part) => (part.startsWith('\\') ? part : 'x'));
}
