// Spans by the OpenTelemetry conventions for generative AI (`invoke_agent`, `chat`, `execute_tool`), in the release that
// `schemaUrl` names.
import { version as ownVersion } from '../../base/version/index.ts';
import {
  type ContentOrigin,
  type GenerationDetail,
  type ImagePlaceholder,
  isAllowed,
  jsonContent,
  type SubagentDetail,
  showContent,
  type ToolDetail,
  type TraceSpan,
  type TraceUsage,
  type TurnDetail,
  valueContent,
  type Wire,
  type WireSpan,
} from '../span/index.ts';
import { resultTexts } from './chat-messages.ts';
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
  providerOf,
  resourceOf,
  statusOf,
  tagsOf,
  type Values,
  wireIds,
  wireTimes,
} from './profile.ts';

/** The last release that includes generative AI, which now has its own repository. */
const schemaUrl = 'https://opentelemetry.io/schemas/1.41.0';

export function toWire(spans: readonly TraceSpan[], options: ProfileOptions): Wire {
  showContent(spans, options);
  return {
    resource: resourceOf(spans, { 'deployment.environment.name': options.environment }),
    scope: { name: 'clew', version: ownVersion },
    schemaUrl,
    spans: spans.map((span) => wireSpan(span, spans, options)),
  };
}

function wireSpan(span: TraceSpan, spans: readonly TraceSpan[], options: ProfileOptions): WireSpan {
  const times = wireTimes(span, spans, options);
  const values = {
    ...valuesOf(span, options),
    'gen_ai.conversation.id': span.sessionId,
    'session.id': span.sessionId,
    'user.id': options.userId,
    // The name of OpenInference, because the conventions have none for tags.
    'tag.tags': tagsOf(options),
    ...clientValues(span),
    'error.type': span.error,
  };
  return {
    ...wireIds(span, options),
    name: nameOf(span).toWellFormed(),
    kind: span.kind === 'generation' && !isClientMessage(span) ? 3 : 1,
    ...times,
    attributes: attributes(values),
    events: compactionEvents(span, times.startNs),
    status: statusOf(span, options),
  };
}

function nameOf(span: TraceSpan): string {
  const { detail } = span;
  switch (detail.kind) {
    case 'turn':
      return 'invoke_agent claude-code';
    case 'generation':
      if (isClientMessage(span)) return 'client message';
      return ['chat', ...(modelOf(detail) === undefined ? [] : [modelOf(detail)])].join(' ');
    case 'tool':
      return `execute_tool ${detail.name}`;
    case 'subagent':
      return `invoke_agent ${detail.agentType ?? 'unknown'}`;
    default:
      return detail satisfies never;
  }
}

function valuesOf(span: TraceSpan, options: ProfileOptions): Values {
  const { detail, error } = span;
  switch (detail.kind) {
    case 'turn':
      return turnValues(detail, options);
    case 'subagent':
      return subagentValues(detail, options);
    case 'generation':
      return { ...(isClientMessage(span) ? {} : requestValues(detail, options)), ...generationValues(detail, options) };
    case 'tool':
      return toolValues(detail, error !== undefined, options);
    default:
      return detail satisfies never;
  }
}

function turnValues(detail: TurnDetail, options: ProfileOptions): Values {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': providerOf(detail.model, options),
    'gen_ai.agent.name': 'claude-code',
    'gen_ai.agent.version': detail.version,
    'gen_ai.request.model': detail.model === '<synthetic>' ? undefined : detail.model,
    'gen_ai.input.messages': jsonContent([promptMessage(detail.input, detail.images)], 'talk', options),
    'gen_ai.output.messages': outputMessages([textPart(detail.output)], undefined, 'talk', options),
  };
}

function subagentValues(detail: SubagentDetail, options: ProfileOptions): Values {
  return {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.provider.name': providerOf(undefined, options),
    'gen_ai.agent.name': detail.agentType,
    'gen_ai.agent.id': detail.agentId,
    'gen_ai.input.messages': jsonContent([promptMessage(detail.input, [])], 'tool', options),
    'gen_ai.output.messages': outputMessages([textPart(detail.output)], undefined, 'tool', options),
  };
}

function requestValues(detail: GenerationDetail, options: ProfileOptions): Values {
  const model = modelOf(detail);
  return {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': providerOf(model, options),
    'gen_ai.request.model': model,
    'gen_ai.response.model': model,
  };
}

function generationValues(detail: GenerationDetail, options: ProfileOptions): Values {
  const origin = originOf(detail);
  const input = inputMessages(detail, options);
  return {
    'gen_ai.response.id': detail.messageId,
    'gen_ai.response.finish_reasons': detail.stopReason === undefined ? undefined : [detail.stopReason],
    ...(detail.usage === undefined ? {} : usageValues(detail.usage)),
    // The conventions do not allow false.
    'gen_ai.conversation.compacted': detail.compactions.length > 0 ? true : undefined,
    'gen_ai.input.messages': input.length === 0 ? undefined : jsonContent(input, origin, options),
    'gen_ai.output.messages': outputMessages(outputParts(detail, options), detail.stopReason, origin, options),
  };
}

/** The conventions count cached tokens as input, and report them separately as well. */
function usageValues(usage: TraceUsage): Values {
  const written = cacheWritesOf(usage);
  return {
    'gen_ai.usage.input_tokens': count(usage.inputTokens + (usage.cacheReadTokens ?? 0) + (written ?? 0)),
    'gen_ai.usage.output_tokens': count(usage.outputTokens),
    'gen_ai.usage.cache_read.input_tokens': count(usage.cacheReadTokens),
    'gen_ai.usage.cache_creation.input_tokens': count(written),
    'anthropic.cache_creation.ephemeral_5m_input_tokens': count(usage.cacheWrite5mTokens),
    'anthropic.cache_creation.ephemeral_1h_input_tokens': count(usage.cacheWrite1hTokens),
  };
}

function toolValues(detail: ToolDetail, hasFailed: boolean, options: ProfileOptions): Values {
  return {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': detail.name,
    'gen_ai.tool.call.id': detail.toolUseId,
    'gen_ai.tool.type': detail.isExternal ? 'extension' : 'function',
    'gen_ai.tool.call.arguments': jsonContent(detail.input, 'tool', options),
    // Only of a successful call; the status has the error.
    'gen_ai.tool.call.result': hasFailed ? undefined : valueContent(detail.output, 'tool', options),
  };
}

interface Part {
  readonly type: string;
  readonly [key: string]: unknown;
}

function textPart(content: string): Part {
  return { type: 'text', content };
}

interface Message {
  readonly role: string;
  readonly parts: readonly object[];
}

function promptMessage(text: string, images: readonly ImagePlaceholder[]): Message {
  return { role: 'user', parts: [...(text === '' && images.length > 0 ? [] : [textPart(text)]), ...images] };
}

function inputMessages(detail: GenerationDetail, options: ProfileOptions): readonly Message[] {
  const { input, images, results } = detail;
  const hasPrompt = input !== undefined && isAllowed(originOf(detail), options.mode);
  const answers = resultTexts(results, options).map(([id, response]) => ({
    role: 'tool',
    parts: [{ type: 'tool_call_response', id, response }],
  }));
  return [...(hasPrompt ? [promptMessage(input, images)] : []), ...answers];
}

function outputMessages(
  parts: readonly Part[],
  stopReason: string | undefined,
  origin: ContentOrigin,
  options: ProfileOptions,
): string | undefined {
  return jsonContent([{ role: 'assistant', parts, finish_reason: finishReason(stopReason) }], origin, options);
}

function outputParts(detail: GenerationDetail, options: ProfileOptions): readonly Part[] {
  const withInput = isAllowed('tool', options.mode);
  return [
    ...(detail.thinking === undefined ? [] : [{ type: 'reasoning', content: detail.thinking }]),
    ...(detail.output === '' ? [] : [textPart(detail.output)]),
    ...detail.toolCalls.map(({ id, name, input }) => ({
      type: 'tool_call',
      id,
      name,
      ...(withInput ? { arguments: input } : {}),
    })),
  ];
}

function finishReason(stopReason: string | undefined): string {
  switch (stopReason) {
    case 'max_tokens':
    case 'model_context_window_exceeded':
      return 'length';
    case 'tool_use':
      return 'tool_call';
    case 'refusal':
      return 'content_filter';
    default:
      return 'stop';
  }
}
