// Lines of a transcript → what happened, a few words each: for the page that shows everything that runs now.
import { type Block, blocksOf, isText, isThinking, isToolResult, isToolUse, textOf } from '../../format/block.ts';
import { contentOf } from '../../format/entry.ts';
import { resultText } from '../../session/call-result.ts';
import type { Node } from '../../session/node.ts';
import { promptText } from '../../session/prompt-text.ts';
import { readEntry, type Session } from '../../session/session.ts';
import { summariseInput } from '../../session/tool-summary.ts';
import type { LiveLine } from '../wire.ts';
import { finite } from './listed-row.ts';

const textChars = 400;

export function liveLines(session: Session, nodes: readonly Node[], agentId: string | null): readonly LiveLine[] {
  return nodes.flatMap((node) => {
    if (node.type !== 'user' && node.type !== 'assistant') return [];
    const place = { line: node.line, agentId, time: finite(node.time) };
    return tell(node, contentOf(readEntry(session, node)))
      .filter(({ text, tool }) => text !== '' || tool !== null)
      .map((told) => ({ ...place, ...told }));
  });
}

type Told = Pick<LiveLine, 'kind' | 'tool' | 'text'>;

function tell(node: Node, blocks: readonly Block[]): readonly Told[] {
  if (node.isApiError) return [{ kind: 'error', tool: null, text: shorten(textOf(blocks)) }];
  if (node.promptKind !== undefined) return [{ kind: 'prompt', tool: null, text: shorten(promptText(blocks)) }];
  return blocks.flatMap((block): readonly Told[] => {
    if (isToolUse(block))
      return [{ kind: 'call', tool: block.name, text: shorten(summariseInput(block.name, block.input)) }];
    if (isToolResult(block)) {
      const kind = block.is_error === true ? 'error' : 'result';
      return [{ kind, tool: null, text: shorten(resultText(blocksOf(block.content))) }];
    }
    if (node.type !== 'assistant') return [];
    if (isText(block)) return [{ kind: 'text', tool: null, text: shorten(block.text) }];
    if (isThinking(block))
      return [{ kind: 'thinking', tool: null, text: shorten('thinking' in block ? String(block.thinking) : '') }];
    return [];
  });
}

function shorten(text: string): string {
  const start = text
    .trimStart()
    .slice(0, textChars * 2)
    .replace(/\s+/g, ' ')
    .trim();
  return start.slice(0, textChars).toWellFormed();
}
