// The known differences between the entries of our agent and those of client 2.1.325, each with its reason
// (docs/agent-sessions.md has the same list for readers). `*` stands for any text.

export interface KnownDifference {
  readonly reason: string;
  /** `KIND PATH: missing`, `ours`, `type`, `value` or `count` (entry-shape.ts). */
  readonly of: readonly string[];
  /** Only in these conversations (entry-scenarios.ts); absent: in all. */
  readonly in?: readonly string[];
  /** Depends on the order in which things happen to end. */
  readonly isRare?: true;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    reason: 'our own keys, which no client reads',
    of: ['* writtenBy: ours', '* clewPrefix: ours'],
  },
  {
    reason: 'a readable name of the session, which clients up to 2.1.45 write on every line; 2.1.325 only on some',
    of: ['* slug: ours', '* slug: value'],
  },
  {
    reason: 'the format that all clients resume in the same way (docs/agent-sessions.md)',
    of: ['* version: value'],
  },
  {
    reason: 'sessions of `clew -p` have no entrypoint: the session list of the client hides `sdk-cli`',
    of: ['* entrypoint: missing'],
  },
  {
    reason: 'outside a repository we write an empty branch, as clients up to 2.1.45 do, instead of HEAD',
    of: ['* gitBranch: value'],
  },
  {
    reason:
      'a line is on the disk when its block has ended; the client writes all lines of an answer after its end, with the final values, and a killed client loses them. Our last line has the final values',
    of: ['* message.stop_reason: type', '* message.usage.output_tokens: value'],
  },
  {
    reason: 'we store the usage as the API sends it; the client adds fields that were not sent',
    of: [
      '*usage.output_tokens_details: missing',
      '*usage.server_tool_use: missing',
      '*usage.inference_geo: missing',
      '*usage.iterations: missing',
      '*usage.speed: missing',
      '*usage.fallback_credit: missing',
      '*usage.cache_creation: missing',
      '*usage.service_tier: missing',
    ],
  },
  {
    reason: 'fields of the API that this answer did not have; the client adds them as null',
    of: [
      'assistant/* message.stop_details: missing',
      'agent assistant/* message.stop_details: missing',
      'assistant/error message.container: missing',
      'assistant/error message.context_management: missing',
      'assistant/error message.diagnostics: missing',
    ],
  },
  {
    reason: 'names a line of the log of requests, which we do not write',
    of: ['* requestRef: missing'],
  },
  {
    reason: 'the usage shows which cache was written; the marks are set after the request was described',
    of: ['* promptCacheRequested: missing'],
  },
  {
    reason: 'the effort of an answer is written as `effort`; the rest repeats the request',
    of: ['* perTurnEffort: missing', '* thinkingDisplay: missing'],
  },
  {
    reason: 'the log of requests takes 140 to 250 KB per run; `clew-prompt` and `clewPrefix` hold what a resume needs',
    of: ['*api-request: missing', '*api-request-blob: missing', '*api-request-shape: missing', '*clew-prompt: ours'],
  },
  {
    reason:
      'the environment and the instructions are one line with isMeta: older clients do not send attachments, and the texts of the client are its own',
    of: [
      'attachment/*: missing',
      'agent attachment/*: missing',
      'user/meta: ours',
      'agent user/meta: ours',
      'user/meta*',
    ],
  },
  {
    reason: 'lines about the state of the client: its latch, its mode, its cost, its list of used tools',
    of: ['atis-latch: missing', 'mode: missing', 'cost-state: missing', 'tools-used: missing'],
  },
  {
    reason: 'a prompt that did not wait was never in a queue',
    of: ['queue-operation: missing', 'user queueSkipAttachments: missing'],
  },
  {
    reason: 'we write the prompt and the end of the turn, the client also some moments in between',
    of: ['last-prompt: count', 'last-prompt lastPrompt: value', 'system/turn_duration: ours'],
  },
  {
    reason: 'file history is always on; a changed snapshot is a whole one, which older clients read too',
    of: ['file-history-snapshot*', 'file-history-delta: missing'],
  },
  {
    reason: 'the texts of our tools are our own; inputs and results have the shape of the client',
    of: [
      '*user/result * message.content[].content: value',
      '*user/result * message.content[].content[].text: value',
      '*user/result * message.content[].content: type',
      'user/result * toolUseResult: value',
      'user/result * toolUseResult.content[].text: value',
      'user/result Read toolUseResult.file.filePath: value',
    ],
  },
  {
    reason: 'a result without an error has no is_error; the client writes `false` for Bash',
    of: ['*user/result Bash message.content[].is_error: missing'],
  },
  {
    reason: 'the input of a call is stored as the model sent it; the client adds a default',
    of: ['assistant/tool_use message.content[].input.replace_all: missing'],
  },
  {
    reason: 'hints for the screen and for the background tasks of the client',
    of: [
      'user/result Agent toolUseResult.outputFile: value',
      'user/result Agent toolUseResult.canContinueAgent: missing',
      'user/result Agent toolUseResult.canReadOutputFile: missing',
      'user/result Agent toolUseResult.harness*: missing',
      'meta.json launchedWithDefaults: missing',
      'meta.json pickedEffortModel: missing',
      'user imagePasteIds: missing',
      '*attributionSkill: missing',
      '*serverClassifierRequest: missing',
      'assistant/error failedResponseHadNoToolCall: missing',
    ],
  },
  {
    reason: 'the names of errors are those of the API',
    of: ['assistant/error error: value', 'system/api_error error.*', 'system/api_error source: missing'],
  },
  {
    reason:
      'we know whether a rule, a hook or the user decided, not the words of the client for its rules; its check of an edit comes before the permission, ours after it; a stopped call keeps the permission it had',
    of: [
      'user/result * permissionDecision.*',
      'user/result * permissionDecision: ours',
      'user/result Bash toolDenialKind: missing',
      'user/result Write toolDenialKind: value',
      'user/result Bash sandboxed: ours',
    ],
  },
  {
    reason: 'the line of a slash command is a prompt like all others',
    of: ['user permissionMode: ours', 'user promptSource: ours'],
  },
  {
    reason: 'a prompt that a program sends as one block of text is stored as text, like a typed one',
    in: ['an interrupt in a tool', 'an interrupt in a text'],
    of: ['user message.content: type'],
  },
  {
    reason: 'a compaction leaves only our summary; the client keeps the last messages and compacted on demand',
    in: ['compaction'],
    of: [
      'system/compact_boundary*',
      'user/summary*',
      'user: count',
      'user message.content: type',
      'assistant/*: count',
      'assistant/* message.content[].*: value',
    ],
  },
  {
    reason:
      'our notice of the end of background work has other words and ids; the client also queues the prompt of the run',
    in: ['background agent'],
    of: [
      'queue-operation: count',
      'queue-operation content: value',
      'user origin.runId: value',
      'user message.content: value',
    ],
    isRare: true,
  },
  {
    reason:
      'our compaction begins in the turn that fills the context or before the next one, depending on what ends first',
    in: ['compaction'],
    of: ['user/result Read: count', 'user message.content: value'],
    isRare: true,
  },
  {
    reason: 'a run ends before the work of its background agent',
    in: ['background agent'],
    of: ['agent *: missing', 'agent *: count', 'agent * parentUuid: type', 'agent user message.content: type'],
    isRare: true,
  },
];

export function explains({ of, in: scope }: KnownDifference, difference: string, conversation: string): boolean {
  if (scope?.includes(conversation) === false) return false;
  return of.some((pattern) => matcherOf(pattern).test(difference));
}

function matcherOf(pattern: string): RegExp {
  const literal = pattern.replace(/[.[\]()?+^$|\\{}]/g, '\\$&');
  return new RegExp(`^${literal.replaceAll('*', '.*')}$`);
}
