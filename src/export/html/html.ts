// A session → its page as one file: script, styles and data inside, nothing loaded from anywhere, so that it opens from
// disk, without a server or a network. Without scripts, readers see the same session as Markdown.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import { neutralise } from '../../base/text/index.ts';
import { titleOf } from '../../session/facts/index.ts';
import { type MarkdownOptions, markdownByTurn, redactionNote } from '../markdown/index.ts';
import { startOf } from '../page/index.ts';
import type { ExportSource } from '../source/index.ts';
import { type EmbeddedSession, embeddedId, markdownId } from '../wire/index.ts';
import { type DataElement, PageData, type PageDataOptions } from './page-data.ts';

/** The built page. */
export interface PageCode {
  readonly script: string;
  readonly style: string;
}

/** `folder`: where the build puts it. */
export function readPageCode(folder: string): PageCode {
  try {
    const [script, style] = ['js', 'css'].map((kind) => readFileSync(path.join(folder, `standalone.${kind}`), 'utf8'));
    return { script: script ?? '', style: style ?? '' };
  } catch {
    throw new UserError(`there is no page in ${folder}`, 'run `npm run build`');
  }
}

export async function* exportHtml(
  source: ExportSource,
  asked: PageDataOptions & Pick<MarkdownOptions, 'full' | 'thinking'>,
  code: PageCode,
): AsyncGenerator<string> {
  // A raw line contains everything: leaving it out elsewhere would only look as if it were gone.
  const options = asked.raw === true ? { ...asked, full: true, thinking: true } : asked;
  yield opening(source, code);
  yield* fallback(source, options);
  const data = new PageData(source, options);
  for (const element of data.session()) yield dataElement(element);
  const agents = data.agents();
  for (;;) {
    const next = await agents.next();
    if (!next.done) {
      yield dataElement(next.value);
      continue;
    }
    const session: EmbeddedSession = {
      sessionId: source.session.id,
      note: source.isRedacted
        ? redactionNote(source.secrets())
        : 'Exported by Clew; secrets were not looked for (--no-redact).',
      hasRaw: options.raw === true,
      agents: next.value,
    };
    yield dataElement({ id: embeddedId, json: source.hide(JSON.stringify(session)) });
    break;
  }
  yield `<script>${code.script}</script>\n</body>\n</html>\n`;
}

function opening({ session, hide }: ExportSource, { script, style }: PageCode): string {
  const title = startOf(neutralise(hide(titleOf(session) ?? '')), 200) || 'Untitled session';
  // Only this script and this style, and no connection: nothing in the transcript can run or send data.
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}'`,
    `style-src '${hashOf(style)}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeText(title)} – Clew</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="root"></div>
<div id="print"></div>
`;
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** An element for each turn, because the page copies them one by one. */
async function* fallback(source: ExportSource, options: MarkdownOptions): AsyncGenerator<string> {
  let turn: number | undefined;
  for await (const piece of markdownByTurn(source, options)) {
    if (piece.turn !== turn) {
      yield `${turn === undefined ? '' : '</pre></noscript>\n'}<noscript id="${markdownId(piece.turn)}"><pre>\n`;
      turn = piece.turn;
    }
    yield escapeText(piece.text);
  }
  if (turn !== undefined) yield '</pre></noscript>\n';
}

function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (character) => (character === '&' ? '&amp;' : character === '<' ? '&lt;' : '&gt;'));
}

/** In JSON a `<` occurs only in strings, where its escape means the same; without it no text can end the element. */
function dataElement({ id, json }: DataElement): string {
  return `<script type="application/json" id="${id}">${json.replaceAll('<', '\\u003c')}</script>\n`;
}
