// A line that is neither prompt nor answer → what a reader of the page should know of it, by the rules of `clew show`:
// interrupts, shell commands of the person, notifications, compactions, failed requests.
import { textOf } from '../format/block.ts';
import { contentOf } from '../format/entry.ts';
import { isBoundary, type Node } from '../session/node.ts';
import { apiErrorText, compactionFacts, shownSubtypes, withoutTags } from '../session/note-text.ts';
import { commandLine } from '../session/prompt-text.ts';
import { readEntry } from '../session/session.ts';
import { shortened } from './markdown-cut.ts';
import { fenced, plainLine, safeMarkdown } from './markdown-text.ts';
import type { Piece, Telling } from './telling.ts';

export function* tellNote(telling: Telling, node: Node): Generator<Piece> {
  if (node.type === 'user') yield* userNote(telling, node);
  else if (node.type === 'system') yield* systemNote(telling, node);
}

function* userNote(telling: Telling, node: Node): Generator<Piece> {
  if (node.userKind === 'results' || node.userKind === undefined) return;
  const text = textOf(contentOf(readEntry(telling.session, node)));
  switch (node.userKind) {
    case 'interrupt':
      yield { text: `*■ ${noteLine(text.replace(/^\[|\]$/g, ''))}*` };
      return;
    case 'bash':
    case 'local-output':
      yield* shellNote(telling, text);
      return;
    case 'notification':
      yield { text: `*◆ ${noteLine(withoutTags(text))}*` };
      return;
    case 'summary':
      yield { text: '<details>\n<summary>Summary of what was said before</summary>' };
      yield { text: safeMarkdown(shortened(text, telling.full), { top: 5 }) };
      yield { text: '</details>' };
      return;
    default:
      return; // the client's own words, said to the model only
  }
}

function* shellNote(telling: Telling, text: string): Generator<Piece> {
  const said = withoutTags(text).trim();
  if (text.startsWith('<local-command-caveat>') || said === '') return;
  yield {
    text: text.startsWith('<bash-input>') ? fenced(`! ${said}`, 'bash') : fenced(shortened(said, telling.full)),
  };
}

function* systemNote({ session, compactions }: Telling, node: Node): Generator<Piece> {
  if (isBoundary(node)) {
    const facts = compactionFacts(compactions.get(node)).map((fact) => plainLine(fact));
    yield { text: `---\n\n**The history was ${facts.join(' · ')}**` };
    return;
  }
  const entry = readEntry(session, node);
  if (node.subtype === 'api_error') {
    yield { text: `**✗ ${noteLine(apiErrorText(entry))}**` };
    return;
  }
  const text = withoutTags(commandLine(textOf(contentOf(entry)))).trim();
  if (text !== '' && shownSubtypes.has(node.subtype ?? '')) yield { text: `*${noteLine(text)}*` };
}

function noteLine(text: string): string {
  return plainLine(text, 400);
}
