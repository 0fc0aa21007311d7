// A session with given texts in every possible place: messages, the twins of results,
// notes, bookkeeping, sub-agents, side files, torn lines, and the client's files elsewhere.
import type { TestContext } from 'node:test';
import { isArray, isObject, type JsonObject, type JsonValue, parseJson } from '../../src/base/json/json.ts';
import { type Bench, benchWith } from './surgery-kit.ts';
import { writeTree } from './temp-folder.ts';
import { sessionId, transcript } from './transcript-builder.ts';

/** The places, in the order in which they are planted. */
export const plantedFiles: Readonly<Record<'agent' | 'meta' | 'result' | 'title', string>> = {
  agent: `${sessionId}/subagents/agent-a1.jsonl`,
  meta: `${sessionId}/subagents/agent-a1.meta.json`,
  result: `${sessionId}/tool-results/toolu_1.txt`,
  title: `${sessionId}/custom-title.json`,
};

export function plantedBench(context: TestContext, texts: readonly string[]): Bench {
  const all = texts.join('\n');
  const keys = Object.fromEntries(texts.map((text, i) => [text, i]));
  const main = transcript()
    .user(`nothing here`)
    .assistant('nor here')
    .user(all)
    .assistant([{ type: 'text', text: all }])
    .call('toolu_1', {
      message: {
        content: [
          { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: all, deep: [{ list: texts, keys }] } },
        ],
      },
    })
    .result('toolu_1', {
      message: { content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: all }] },
      toolUseResult: { stdout: all, stderr: '', interrupted: false, nested: { lines: texts } },
    })
    .call('toolu_2')
    .result('toolu_2', {
      message: {
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_2', content: texts.map((text) => ({ type: 'text', text })) },
        ],
      },
      toolUseResult: `Error: ${all}`,
    })
    .attachment('hook', [all], { attachment: { type: 'hook', content: all, more: { list: texts } } })
    .progress({ data: { type: 'bash_progress', output: all } })
    .system('local_command', { content: all })
    .user(all, { isMeta: true })
    .assistant('done')
    .queue('enqueue', all)
    .aside('custom-title', { customTitle: all })
    .aside('ai-title', { aiTitle: all })
    .aside('summary', { summary: all, leafUuid: 'a1' })
    .aside('api-request-blob', { hash: 'h1', blob: JSON.stringify({ system: all, tools: texts }) })
    .aside('api-request-shape', { shape: { system: [{ text: all }] } })
    .aside('prompt-snapshot', { snapshot: { prompt: all } })
    .lastPrompt('a5', { lastPrompt: all })
    .text();
  const agent = transcript({ isSidechain: true, agentId: 'a1' }).user(all).assistant(all).text();
  const torn = Buffer.concat([
    Buffer.from([0xff, 0xfe]),
    Buffer.from(`{"type":"user","message":{"content":${JSON.stringify(all).slice(0, -1)}`),
    Buffer.from([0xc3, 0x0a]),
  ]);
  const bench = benchWith(context, sessionId, Buffer.concat([Buffer.from(main), torn]), {
    [plantedFiles.agent]: agent,
    [plantedFiles.meta]: JSON.stringify({ agentType: 'Explore', description: all, toolUseId: 'toolu_2' }, undefined, 2),
    [plantedFiles.result]: `${all}\n`,
    [plantedFiles.title]: JSON.stringify({ customTitle: all }),
  });
  writeTree(bench.root, {
    [`file-history/${sessionId}/aaaa@v1`]: all,
    'file-history/22222222-2222-4222-a222-222222222222/bbbb@v1': all,
    'history.jsonl': [
      { display: all, pastedContents: {}, timestamp: 1, project: '/home/dev/widgets', sessionId },
      { display: all, pastedContents: {}, timestamp: 2, project: '/other', sessionId: 'another' },
    ]
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join(''),
  });
  return bench;
}

/** After every message text, including signed thinking, in the input of calls, and in results. */
export function plantSecrets(
  text: string,
  secrets: readonly string[],
): { readonly text: string; readonly count: number } {
  let count = 0;
  const planted = (said: JsonValue | undefined): string => `${String(said)}\n${secrets[count++ % secrets.length]}`;
  const lines = text.split('\n').map((line) => {
    const entry = parseJson(line);
    if (!isObject(entry) || !isObject(entry.message) || entry.isCompactSummary === true) return line;
    const { content } = entry.message;
    const said = typeof content === 'string' && !content.startsWith('<') ? planted(content) : content;
    const blocks = isArray(said) ? said.map((block) => (isObject(block) ? plantBlock(block, planted) : block)) : said;
    return JSON.stringify({ ...entry, message: { ...entry.message, content: blocks } });
  });
  return { text: lines.join('\n'), count };
}

function plantBlock(block: JsonObject, planted: (said: JsonValue | undefined) => string): JsonObject {
  if (block.type === 'text') return { ...block, text: planted(block.text) };
  if (block.type === 'thinking') return { ...block, thinking: planted(block.thinking) };
  if (block.type === 'tool_result' && typeof block.content === 'string')
    return { ...block, content: planted(block.content) };
  if (block.type === 'tool_use' && isObject(block.input) && typeof block.input.command === 'string')
    return { ...block, input: { ...block.input, command: planted(block.input.command) } };
  return block;
}
