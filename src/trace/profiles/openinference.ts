// Spans by the OpenInference conventions, for Phoenix and Arize: span kinds, flattened messages, token counts.
import { version as ownVersion } from '../../base/version/index.ts';
import {
  type GenerationDetail,
  isAllowed,
  jsonContent,
  type SubagentDetail,
  showContent,
  spanName,
  type ToolDetail,
  type TraceSpan,
  type TraceUsage,
  type TurnDetail,
  textContent,
  valueContent,
  type Wire,
  type WireSpan,
} from '../span/index.ts';
import { inputMessages, outputMessage, resultTexts } from './chat-messages.ts';
import {
  attributes,
  cacheWritesOf,
  clientValues,
  compactionEvents,
  count,
  isClientMessage,
  modelOf,
  originOf,
  type ProfileOptions,
  parametersOf,
  resourceOf,
  statusOf,
  tagsOf,
  type Values,
  wireIds,
  wireTimes,
} from './profile.ts';

export function toWire(spans: readonly TraceSpan[], options: ProfileOptions): Wire {
  showContent(spans, options);
  return {
    resource: resourceOf(spans, { 'openinference.project.name': options.projectName }),
    scope: { name: 'clew', version: ownVersion },
    spans: spans.map((span) => wireSpan(span, spans, options)),
  };
}

function wireSpan(span: TraceSpan, spans: readonly TraceSpan[], options: ProfileOptions): WireSpan {
  const { detail } = span;
  const times = wireTimes(span, spans, options);
  const status = statusOf(span, options);
  const values = {
    'openinference.span.kind': isClientMessage(span) ? 'CHAIN' : kinds[detail.kind],
    'session.id': span.sessionId,
    'user.id': options.userId,
    ...valuesOf(span, options),
    metadata: JSON.stringify(metadataOf(detail, options)),
    'tag.tags': tagsOf(options),
    ...clientValues(span),
  };
  const failure = attributes({ 'exception.type': span.error, 'exception.message': status.message });
  return {
    ...wireIds(span, options),
    name: spanName(span),
    kind: 1,
    ...times,
    attributes: attributes(values),
    events: [
      ...compactionEvents(span, times.startNs),
      ...(status.code === 0 ? [] : [{ name: 'exception', timeNs: times.endNs, attributes: failure }]),
    ],
    status,
  };
}

const kinds = { turn: 'AGENT', subagent: 'AGENT', generation: 'LLM', tool: 'TOOL' } as const;

function valuesOf(span: TraceSpan, options: ProfileOptions): Values {
  const { detail } = span;
  switch (detail.kind) {
    case 'turn':
    case 'subagent':
      return agentValues(detail, options);
    case 'generation':
      return { ...(isClientMessage(span) ? {} : requestValues(detail)), ...generationValues(detail, span, options) };
    case 'tool':
      return toolValues(detail, options);
    default:
      return detail satisfies never;
  }
}

function agentValues(detail: TurnDetail | SubagentDetail, options: ProfileOptions): Values {
  const origin = originOf(detail);
  return {
    'agent.name': detail.kind === 'turn' ? 'claude-code' : detail.agentType,
    ...withType('input', textContent(detail.input, origin, options), 'text/plain'),
    ...withType('output', textContent(detail.output, origin, options), 'text/plain'),
  };
}

function withType(side: 'input' | 'output', value: string | undefined, type: string): Values {
  return value === undefined ? {} : { [`${side}.value`]: value, [`${side}.mime_type`]: type };
}

function requestValues(detail: GenerationDetail): Values {
  return { 'llm.system': 'anthropic', 'llm.provider': 'anthropic', 'llm.model_name': modelOf(detail) };
}

function generationValues(detail: GenerationDetail, span: TraceSpan, options: ProfileOptions): Values {
  return {
    ...promptValues(detail, options),
    ...resultValues(detail, options),
    ...replyValues(detail, options),
    ...inputAndOutput(detail, options),
    'llm.finish_reason': detail.stopReason,
    'llm.cost.total': options.costOf?.(span),
    ...(detail.usage === undefined ? {} : usageValues(detail.usage)),
    'llm.invocation_parameters': parametersOf(detail.usage),
  };
}

/** Plain text, or JSON if there are results or calls. */
function inputAndOutput(detail: GenerationDetail, options: ProfileOptions): Values {
  const origin = originOf(detail);
  const messages = inputMessages(detail, options);
  const hasResults = messages.some(({ role }) => role === 'tool');
  const hasCalls = detail.toolCalls.length > 0;
  return {
    ...(hasResults
      ? withType('input', jsonContent(messages, origin, options), 'application/json')
      : withType('input', textContent(detail.input, origin, options), 'text/plain')),
    ...(hasCalls
      ? withType('output', jsonContent(outputMessage(detail, options), origin, options), 'application/json')
      : withType('output', textContent(detail.output, origin, options), 'text/plain')),
  };
}

function resultValues(detail: GenerationDetail, options: ProfileOptions): Values {
  const hasPrompt = detail.input !== undefined && isAllowed(originOf(detail), options.mode);
  const messages = resultTexts(detail.results, options).flatMap(([id, content], i) => {
    const message = `llm.input_messages.${i + (hasPrompt ? 1 : 0)}.message`;
    return [
      [`${message}.role`, 'tool'],
      [`${message}.tool_call_id`, id],
      [`${message}.content`, content],
    ];
  });
  return Object.fromEntries(messages);
}

function promptValues(detail: GenerationDetail, options: ProfileOptions): Values {
  const content = textContent(detail.input, originOf(detail), options);
  if (content === undefined) return {};
  const first = 'llm.input_messages.0.message';
  if (detail.images.length === 0) return { [`${first}.role`]: 'user', [`${first}.content`]: content };
  const parts = [content, ...detail.images.map((image) => JSON.stringify(image))];
  const texts = parts.map((text, i) => [
    [`${first}.contents.${i}.message_content.type`, 'text'],
    [`${first}.contents.${i}.message_content.text`, text],
  ]);
  return { [`${first}.role`]: 'user', ...Object.fromEntries(texts.flat()) };
}

function replyValues(detail: GenerationDetail, options: ProfileOptions): Values {
  const origin = originOf(detail);
  const first = 'llm.output_messages.0.message';
  const content = textContent(detail.output, origin, options);
  const calls = detail.toolCalls.flatMap(({ id, name, input }, i) => [
    [`${first}.tool_calls.${i}.tool_call.id`, id],
    [`${first}.tool_calls.${i}.tool_call.function.name`, name],
    [`${first}.tool_calls.${i}.tool_call.function.arguments`, jsonContent(input, 'tool', options)],
  ]);
  const thinking = textContent(detail.thinking, origin, options);
  const thought = thinking === undefined ? [] : [['reasoning', thinking] as const];
  const contents = [...thought, ...(content === undefined ? [] : [['text', content] as const])];
  const parts = contents.flatMap(([type, text], i) => [
    [`${first}.contents.${i}.message_content.type`, type],
    [`${first}.contents.${i}.message_content.text`, text],
  ]);
  return {
    [`${first}.role`]: 'assistant',
    ...(thinking === undefined ? { [`${first}.content`]: content } : Object.fromEntries(parts)),
    ...Object.fromEntries(calls),
  };
}

function usageValues(usage: TraceUsage): Values {
  const read = usage.cacheReadTokens ?? 0;
  const written = cacheWritesOf(usage) ?? 0;
  const prompt = usage.inputTokens + read + written;
  return {
    'llm.token_count.prompt': count(prompt),
    'llm.token_count.completion': count(usage.outputTokens),
    'llm.token_count.total': count(prompt + usage.outputTokens),
    'llm.token_count.prompt_details.cache_read': count(read),
    'llm.token_count.prompt_details.cache_write': count(written),
  };
}

function toolValues(detail: ToolDetail, options: ProfileOptions): Values {
  const input = jsonContent(detail.input, 'tool', options);
  const output = valueContent(detail.output, 'tool', options);
  return {
    'tool.name': detail.name,
    'tool.id': detail.toolUseId,
    'tool.parameters': input,
    ...withType('input', input, 'application/json'),
    ...withType('output', output, typeof detail.output === 'string' ? 'text/plain' : 'application/json'),
  };
}

function metadataOf(detail: TraceSpan['detail'], options: ProfileOptions): Readonly<Record<string, unknown>> {
  const place = (text: string | undefined) => (text === undefined ? undefined : options.redact(text));
  switch (detail.kind) {
    case 'turn':
      return {
        source: 'claude-code',
        turn_number: detail.number,
        version: detail.version,
        cwd: place(detail.cwd),
        git_branch: place(detail.gitBranch),
      };
    case 'generation':
      return { tool_count: detail.toolCalls.length, message_id: detail.messageId, request_id: detail.requestId };
    case 'tool':
      return { tool_name: detail.name, tool_id: detail.toolUseId };
    case 'subagent':
      return { agent_id: detail.agentId };
    default:
      return detail satisfies never;
  }
}
