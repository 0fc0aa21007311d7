// The attributes that the three kinds of servers publish, as far as a transcript has a value for them, copied by hand from
// their pages on the day that is named. `types` also lists what a profile may send and no span of a session must have.

/** `json`: a string that holds JSON. */
export type AttributeType = 'string' | 'json' | 'int' | 'double' | 'bool' | 'string[]';

export interface PublishedMapping {
  readonly source: string;
  readonly read: string;
  /** Names that belong to it: nothing else may begin with one of these. */
  readonly namespaces: RegExp;
  /** By name; `*` stands for an index or for a name of our own. */
  readonly types: Readonly<Record<string, AttributeType>>;
  /** What spans of a kind have where the transcript has the value. */
  readonly all: readonly string[];
  readonly turn: readonly string[];
  readonly generation: readonly string[];
  readonly tool: readonly string[];
  readonly subagent: readonly string[];
  readonly failedTool: readonly string[];
}

export const langfuse: PublishedMapping = {
  source: 'https://langfuse.com/integrations/native/opentelemetry#property-mapping',
  read: '2026-11-16',
  namespaces: /^(?:langfuse\.|user\.id$|session\.id$)/,
  types: {
    'langfuse.trace.name': 'string',
    'langfuse.trace.input': 'json',
    'langfuse.trace.output': 'json',
    'langfuse.trace.tags': 'string[]',
    'langfuse.trace.metadata.*': 'string',
    'langfuse.release': 'string',
    'langfuse.environment': 'string',
    'langfuse.observation.type': 'string',
    'langfuse.observation.level': 'string',
    'langfuse.observation.status_message': 'string',
    'langfuse.observation.metadata.*': 'string',
    'langfuse.observation.input': 'string',
    'langfuse.observation.output': 'string',
    'langfuse.observation.model.name': 'string',
    'langfuse.observation.model.parameters': 'json',
    'langfuse.observation.usage_details': 'json',
    'langfuse.observation.cost_details': 'json',
    // Not on the page: the SDK sets it on the root, and version 4 of the server reads it.
    'langfuse.internal.is_app_root': 'bool',
    'session.id': 'string',
    'user.id': 'string',
  },
  all: [
    ...['langfuse.observation.type', 'langfuse.trace.name', 'session.id', 'user.id', 'langfuse.release'],
    ...['langfuse.environment', 'langfuse.trace.tags', 'langfuse.observation.metadata.prompt_id'],
  ],
  turn: [
    ...['langfuse.trace.input', 'langfuse.trace.output', 'langfuse.observation.input', 'langfuse.observation.output'],
    ...['langfuse.trace.metadata.cwd', 'langfuse.trace.metadata.git_branch', 'langfuse.internal.is_app_root'],
  ],
  generation: [
    ...['langfuse.observation.input', 'langfuse.observation.output', 'langfuse.observation.model.name'],
    ...['langfuse.observation.model.parameters', 'langfuse.observation.usage_details'],
    ...['langfuse.observation.cost_details', 'langfuse.observation.metadata.request_id'],
  ],
  tool: ['langfuse.observation.input', 'langfuse.observation.output', 'langfuse.observation.metadata.tool_id'],
  subagent: ['langfuse.observation.input', 'langfuse.observation.output', 'langfuse.observation.metadata.agent_id'],
  failedTool: ['langfuse.observation.level', 'langfuse.observation.status_message'],
};

export const genai: PublishedMapping = {
  source: 'https://github.com/open-telemetry/semantic-conventions/tree/v1.41.0/docs/gen-ai',
  read: '2026-11-16',
  namespaces: /^(?:gen_ai\.|error\.|session\.id$|user\.id$)/,
  types: {
    'gen_ai.operation.name': 'string',
    'gen_ai.provider.name': 'string',
    'gen_ai.conversation.id': 'string',
    // In the conventions' own repository since, not in 1.41.0.
    'gen_ai.conversation.compacted': 'bool',
    'gen_ai.agent.name': 'string',
    'gen_ai.agent.id': 'string',
    'gen_ai.agent.version': 'string',
    'gen_ai.request.model': 'string',
    'gen_ai.response.model': 'string',
    'gen_ai.response.id': 'string',
    'gen_ai.response.finish_reasons': 'string[]',
    'gen_ai.usage.input_tokens': 'int',
    'gen_ai.usage.output_tokens': 'int',
    'gen_ai.usage.cache_read.input_tokens': 'int',
    'gen_ai.usage.cache_creation.input_tokens': 'int',
    'gen_ai.input.messages': 'json',
    'gen_ai.output.messages': 'json',
    'gen_ai.tool.name': 'string',
    'gen_ai.tool.type': 'string',
    'gen_ai.tool.call.id': 'string',
    'gen_ai.tool.call.arguments': 'json',
    'gen_ai.tool.call.result': 'string',
    'error.type': 'string',
    'session.id': 'string',
    'user.id': 'string',
  },
  all: ['gen_ai.conversation.id', 'session.id', 'user.id'],
  turn: [
    ...['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.agent.name', 'gen_ai.agent.version'],
    ...['gen_ai.request.model', 'gen_ai.input.messages', 'gen_ai.output.messages'],
  ],
  generation: [
    ...['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.response.model'],
    ...['gen_ai.response.id', 'gen_ai.response.finish_reasons', 'gen_ai.usage.input_tokens'],
    ...['gen_ai.usage.output_tokens', 'gen_ai.usage.cache_read.input_tokens'],
    ...['gen_ai.usage.cache_creation.input_tokens', 'gen_ai.input.messages', 'gen_ai.output.messages'],
  ],
  tool: [
    ...['gen_ai.operation.name', 'gen_ai.tool.name', 'gen_ai.tool.type', 'gen_ai.tool.call.id'],
    'gen_ai.tool.call.arguments',
  ],
  subagent: [
    ...['gen_ai.operation.name', 'gen_ai.provider.name', 'gen_ai.agent.name', 'gen_ai.agent.id'],
    ...['gen_ai.input.messages', 'gen_ai.output.messages'],
  ],
  failedTool: ['error.type'],
};

export const openinference: PublishedMapping = {
  source: 'https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md',
  read: '2026-11-16',
  namespaces:
    /^(?:llm\.|input\.|output\.|tool\.|agent\.|message\.|openinference\.|tag\.|metadata$|session\.id$|user\.id$)/,
  types: {
    'openinference.span.kind': 'string',
    'session.id': 'string',
    'user.id': 'string',
    metadata: 'json',
    'tag.tags': 'string[]',
    'agent.name': 'string',
    'input.value': 'string',
    'input.mime_type': 'string',
    'output.value': 'string',
    'output.mime_type': 'string',
    'llm.system': 'string',
    'llm.provider': 'string',
    'llm.model_name': 'string',
    'llm.finish_reason': 'string',
    'llm.invocation_parameters': 'json',
    'llm.token_count.prompt': 'int',
    'llm.token_count.completion': 'int',
    'llm.token_count.total': 'int',
    'llm.token_count.prompt_details.cache_read': 'int',
    'llm.token_count.prompt_details.cache_write': 'int',
    'llm.cost.total': 'double',
    'llm.input_messages.*.message.role': 'string',
    'llm.input_messages.*.message.content': 'string',
    'llm.input_messages.*.message.tool_call_id': 'string',
    'llm.input_messages.*.message.contents.*.message_content.type': 'string',
    'llm.input_messages.*.message.contents.*.message_content.text': 'string',
    'llm.output_messages.*.message.role': 'string',
    'llm.output_messages.*.message.content': 'string',
    'llm.output_messages.*.message.contents.*.message_content.type': 'string',
    'llm.output_messages.*.message.contents.*.message_content.text': 'string',
    'llm.output_messages.*.message.tool_calls.*.tool_call.id': 'string',
    'llm.output_messages.*.message.tool_calls.*.tool_call.function.name': 'string',
    'llm.output_messages.*.message.tool_calls.*.tool_call.function.arguments': 'json',
    'tool.name': 'string',
    'tool.id': 'string',
    'tool.parameters': 'json',
  },
  all: ['openinference.span.kind', 'session.id', 'user.id', 'metadata', 'tag.tags', 'input.value', 'output.value'],
  turn: ['agent.name', 'input.mime_type', 'output.mime_type'],
  generation: [
    ...['llm.system', 'llm.provider', 'llm.model_name', 'llm.finish_reason', 'llm.invocation_parameters'],
    ...['llm.token_count.prompt', 'llm.token_count.completion', 'llm.token_count.total', 'llm.cost.total'],
    ...['llm.token_count.prompt_details.cache_read', 'llm.token_count.prompt_details.cache_write'],
    ...['llm.input_messages.0.message.role', 'llm.output_messages.0.message.role'],
    ...['llm.input_messages.0.message.content', 'llm.output_messages.0.message.content'],
  ],
  tool: ['tool.name', 'tool.id', 'tool.parameters', 'input.mime_type', 'output.mime_type'],
  subagent: ['agent.name', 'input.mime_type', 'output.mime_type'],
  failedTool: [],
};

/** Claude Code's own telemetry: https://code.claude.com/docs/en/monitoring-usage, read on 2026-11-16. */
export const claudeCode: Readonly<Record<string, AttributeType>> = {
  'prompt.id': 'string',
  request_id: 'string',
  tool_use_id: 'string',
  agent_id: 'string',
  skill_name: 'string',
  command_name: 'string',
};

/** Of the event `claude_code.compaction`, on the same page. */
export const compactionEvent: Readonly<Record<string, AttributeType>> = { trigger: 'string', pre_tokens: 'int' };
