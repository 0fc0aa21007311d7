// The WebSearch tool: returns links and a summary. The search is a server tool of the API.
import * as z from 'zod';
import { asString, isArray, isObject, type JsonObject, type JsonValue } from '../../../base/json/index.ts';
import { isBlock, isText } from '../../../format/entry/index.ts';
import type { Tool } from '../../contract/index.ts';
import { defineTool, limits, ToolFailure } from '../shared/index.ts';

const domains = z.array(z.string().min(1).max(255)).max(100).optional();

const schema = z.object({
  query: z.string().min(2, 'is too short').max(2000, 'is too long').describe('What to search for'),
  allowed_domains: domains.describe('Only results from these domains'),
  blocked_domains: domains.describe('No results from these domains'),
});

export const webSearchTool: Tool = defineTool({
  name: 'WebSearch',
  description:
    'Searches the web for what is newer than your knowledge, and gives back links with a summary. Name the sources you used in your answer. allowed_domains and blocked_domains exclude one another.',
  schema,
  isReadOnly: true,
  run: async ({ query, allowed_domains = [], blocked_domains = [] }, context) => {
    if (allowed_domains.length > 0 && blocked_domains.length > 0)
      throw new ToolFailure('Give allowed_domains or blocked_domains, not both.');
    const startMs = Date.now();
    const answer = await context.askModel({
      system:
        'You search the web for another assistant. Search, then say in short what the results tell, with their links.',
      prompt: `Search the web for: ${query}`,
      maxTokens: limits.web.answerTokens,
      serverTools: [
        {
          type: 'web_search_20250305',
          name: 'web_search',
          max_uses: limits.web.searches,
          ...(allowed_domains.length === 0 ? {} : { allowed_domains }),
          ...(blocked_domains.length === 0 ? {} : { blocked_domains }),
        },
      ],
      size: 'main',
    });
    if ('problem' in answer) throw new ToolFailure(`The search failed: ${answer.problem}`);
    const results = answer.blocks.flatMap(readResult);
    if (results.length === 0) throw new ToolFailure('The search gave no results.');
    const shown = results.map((result) =>
      typeof result === 'string' ? result : `Links: ${JSON.stringify(result.content)}`,
    );
    return {
      content: [`Web search results for query: "${query}"`, ...shown].join('\n\n'),
      isError: false,
      stored: { query, results, durationSeconds: (Date.now() - startMs) / 1000 },
    };
  },
});

type SearchResult = string | { readonly tool_use_id: string; readonly content: readonly JsonObject[] };

function readResult(block: JsonObject): SearchResult[] {
  if (isText(block)) return block.text.trim() === '' ? [] : [block.text.trim()];
  if (!isBlock(block, 'web_search_tool_result')) return [];
  const { content, tool_use_id } = block;
  if (isArray(content)) return [{ tool_use_id, content: content.flatMap(readLink) }];
  const code = isObject(content) ? asString(content.error_code) : undefined;
  return [`Web search error: ${code ?? 'unknown'}`];
}

function readLink(value: JsonValue): JsonObject[] {
  const url = isObject(value) ? asString(value.url) : undefined;
  if (!isObject(value) || url === undefined) return [];
  return [{ title: asString(value.title) ?? url, url }];
}
