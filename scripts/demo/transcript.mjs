// Builds one session in the profile that every tested client resumes to the same messages (docs/format.md, "Writing
// files that every client resumes"): full envelope, one block per line, one chain, increasing times, a final last-prompt.
import { createHash } from 'node:crypto';

const version = '2.1.150';
const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/**
 * @param {{ name: string, cwd: string, gitBranch: string, start: string, model: string, cache: '5m' | '1h',
 *   agent?: { id: string, type: string, sessionId: string, promptId: string } }} options
 */
export function createTranscript(options) {
  const ids = createIds(options.name);
  const sessionId = options.agent?.sessionId ?? ids.uuid();
  const lines = [];
  const side = [];
  const usage = { cached: 0, pending: options.agent ? 3_200 : 16_400, total: 0 };
  let parent = null;
  let timeMs = Date.parse(options.start);
  let model = options.model;
  let promptId = options.agent?.promptId ?? '';
  let lastPrompt = '';
  let calls = 0;

  const bare = (entry) => lines.push({ ...entry, sessionId });

  function node(head, body, tail = {}) {
    const uuid = ids.uuid();
    const agent = options.agent ? { agentId: options.agent.id } : {};
    const context = { userType: 'external', entrypoint: 'cli', cwd: options.cwd, sessionId, version };
    lines.push({
      parentUuid: parent,
      ...head,
      isSidechain: options.agent !== undefined,
      ...agent,
      ...body,
      uuid,
      timestamp: new Date(timeMs).toISOString(),
      ...tail,
      ...context,
      gitBranch: options.gitBranch,
    });
    parent = uuid;
    timeMs += 40 + ids.number(400);
    return uuid;
  }

  function user(content, tail = {}) {
    usage.pending += estimateTokens(content);
    return node({}, { promptId, type: 'user', message: { role: 'user', content } }, tail);
  }

  return {
    sessionId,
    ids,
    get leaf() {
      return parent;
    },
    get promptId() {
      return promptId;
    },
    get now() {
      return new Date(timeMs).toISOString();
    },
    get spent() {
      return { totalTokens: usage.total, calls };
    },

    wait(seconds) {
      timeMs += seconds * 1000;
    },
    useModel(name) {
      model = name;
    },
    /** What the user types: a string, or blocks if an image is pasted. */
    prompt(content, permissionMode = 'default') {
      if (!options.agent) promptId = ids.uuid();
      lastPrompt = typeof content === 'string' ? content : content.find((block) => block.type === 'text').text;
      return user(content, options.agent ? {} : { permissionMode });
    },
    /** One response of the model: blocks, where a tool call has its own result; results follow in one chain. */
    respond(...blocks) {
      const open = blocks.filter((block) => block.result !== undefined);
      const answer = {
        id: ids.api('msg_01'),
        requestId: ids.api('req_011C'),
        stopReason: open.length > 0 ? 'tool_use' : 'end_turn',
        usage: spendTokens(blocks),
      };
      const sources = new Map(blocks.map((block) => [block, assistantLine(answer, block)]));
      for (const call of open) resultLine(call, sources.get(call));
      calls += open.length;
      return answer;
    },
    /** Continue from an earlier line: what /rewind does. */
    rewindTo(uuid) {
      parent = uuid;
    },
    compact(preTokens, summary) {
      const logicalParentUuid = parent;
      parent = null;
      const compactMetadata = { trigger: 'auto', preTokens, postTokens: estimateTokens(summary), durationMs: 41_870 };
      const body = { type: 'system', subtype: 'compact_boundary', content: 'Conversation compacted', isMeta: false };
      node({ logicalParentUuid }, { ...body, level: 'info', compactMetadata });
      usage.cached = 0;
      usage.pending = 16_400;
      user(summary, { isVisibleInTranscriptOnly: true, isCompactSummary: true });
    },
    customTitle: (customTitle) => bare({ type: 'custom-title', customTitle }),
    aiTitle: (aiTitle) => bare({ type: 'ai-title', aiTitle }),
    attach: (name, text) => side.push([name, text]),
    text: () => `${lines.map((line) => JSON.stringify(line)).join('\n')}\n`,
    /** The session's files below projects/, as [path, text]. */
    files() {
      bare({ type: 'last-prompt', lastPrompt, leafUuid: parent });
      const slug = options.cwd.replaceAll(/[^A-Za-z0-9]/g, '-');
      const sideFiles = side.map(([name, text]) => [`${slug}/${sessionId}/${name}`, text]);
      return [[`${slug}/${sessionId}.jsonl`, this.text()], ...sideFiles];
    },
  };

  function assistantLine(answer, { result, ...content }) {
    timeMs += 700 + estimateTokens(content) * 9;
    if (content.type === 'tool_use') content.id = ids.api('toolu_01');
    const message = {
      model,
      id: answer.id,
      type: 'message',
      role: 'assistant',
      content: [content],
      stop_reason: answer.stopReason,
      stop_sequence: null,
      usage: answer.usage,
    };
    const uuid = node({}, { message, requestId: answer.requestId, type: 'assistant' });
    if (result) result.toolUseId = content.id;
    return uuid;
  }

  function resultLine({ result }, sourceToolAssistantUUID) {
    timeMs += result.durationMs ?? 60 + ids.number(200);
    result.before?.(result.toolUseId);
    const block = { tool_use_id: result.toolUseId, type: 'tool_result', content: result.content };
    if (result.isError) block.is_error = true;
    const detail = options.agent ? {} : { toolUseResult: result.detail };
    user([block], { ...detail, sourceToolAssistantUUID });
  }

  function spendTokens(blocks) {
    const created = usage.pending;
    const output = estimateTokens(blocks.map(({ result, ...block }) => block)) + 12;
    const read = usage.cached;
    usage.cached += created;
    usage.pending = output;
    usage.total = read + created + output + 3;
    return {
      input_tokens: 3,
      cache_creation_input_tokens: created,
      cache_read_input_tokens: read,
      cache_creation: {
        ephemeral_5m_input_tokens: options.cache === '5m' ? created : 0,
        ephemeral_1h_input_tokens: options.cache === '1h' ? created : 0,
      },
      output_tokens: output,
      service_tier: 'standard',
    };
  }
}

/** Ids that look like the real ones and are the same on every run. */
function createIds(name) {
  let count = 0;
  const digest = () => createHash('sha256').update(`lighthouse ${name} ${count++}`).digest();
  const api = (prefix) =>
    prefix + [...digest().subarray(0, 22)].map((byte) => alphabet[byte % alphabet.length]).join('');
  function uuid() {
    const bytes = digest().subarray(0, 16);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }
  return {
    api,
    uuid,
    number: (below) => digest().readUInt32BE(0) % below,
    hex: (length) => digest().toString('hex').slice(0, length),
    signature: () => Buffer.concat([digest(), digest(), digest()]).toString('base64'),
  };
}

// Four characters a token for Latin text, one for Chinese, Japanese and Korean: near enough for a demo.
function estimateTokens(content) {
  const text =
    typeof content === 'string' ? content : JSON.stringify(content, (key, value) => (key === 'data' ? '' : value));
  const wide = text.match(/[\u3000-\u9fff]/g)?.length ?? 0;
  return wide + Math.ceil((text.length - wide) / 4);
}
