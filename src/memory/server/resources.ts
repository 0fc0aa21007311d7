// Sessions and turns as resources of MCP, and the prompt `recall`.
import type {
  GetPromptResult,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '@modelcontextprotocol/sdk/types.js';
import { UserError } from '../../base/errors/index.ts';
import type { Memory } from '../answers/index.ts';
import { formatReference } from '../reference/index.ts';

const start = 'clew://session/';
const mimeType = 'text/plain';
const listed = 20;
const outlineTokens = 1500;
const turnTokens = 3000;

export const resourceTemplates: readonly ResourceTemplate[] = [
  { name: 'session', uriTemplate: `${start}{session}`, description: 'The turns of a past session', mimeType },
  { name: 'turn', uriTemplate: `${start}{session}/{turn}`, description: 'A turn of a past session', mimeType },
];

export function recentResources(memory: Memory): Resource[] {
  return memory.recent(listed).map(({ sessionId, title }) => ({
    uri: `${start}${encodeURIComponent(sessionId)}`,
    name: title,
    mimeType,
  }));
}

export async function readResource(memory: Memory, uri: string): Promise<ReadResourceResult> {
  const [, session, turn] = /^clew:\/\/session\/([^/]{1,250})(?:\/([^/]{1,64}))?$/.exec(uri) ?? [];
  if (session === undefined) throw new UserError('there is no such resource', `resources are ${start}ID`);
  const reference = formatReference(session, turn);
  const text =
    turn === undefined
      ? await memory.outline({ session: reference, tokens: outlineTokens, from: 1 })
      : await memory.read({ reference, tokens: turnTokens, include: ['prompt', 'answer', 'calls'] });
  return { contents: [{ uri, mimeType, text }] };
}

/** The client gives each word after `/mcp__clew__recall` to one argument, in this order. */
const wordNames = ['words', 'word2', 'word3', 'word4', 'word5', 'word6', 'word7', 'word8'];

export const prompts: readonly Prompt[] = [
  {
    name: 'recall',
    description: 'Find what past sessions of this project say about some words',
    arguments: wordNames.map((name, i) => ({ name, description: 'a word to look for', required: i === 0 })),
  },
];

export async function recallPrompt(memory: Memory, args: Readonly<Record<string, string>>): Promise<GetPromptResult> {
  const words = wordNames
    .flatMap((name) => args[name] ?? [])
    .join(' ')
    .slice(0, 1000);
  if (words.trim() === '') throw new UserError('recall needs words to look for', 'write them after the command');
  const found = await memory.search({ query: words, limit: 5 });
  const ask =
    'Below is what past sessions of this project say about that. Read the turns that matter with the tool read, then answer from them, with their references. Say so if they do not answer it.';
  return {
    messages: [{ role: 'user', content: { type: 'text', text: `Recall: ${words}\n\n${ask}\n\n${found}` } }],
  };
}
