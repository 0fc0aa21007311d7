// Tracing: what spans carry to each kind of server, and what must be asked for before it is sent.
const langfuse = 'src/trace/profiles/langfuse.ts';
const genai = 'src/trace/profiles/genai.ts';
const openinference = 'src/trace/profiles/openinference.ts';
const profile = 'src/trace/profiles/profile.ts';
const chat = 'src/trace/profiles/chat-messages.ts';
const destinations = 'src/trace/config/destinations.ts';
const draft = 'src/trace/read/draft.ts';
const reader = 'src/trace/read/turn-reader.ts';
const root = 'src/trace/read/turn-root.ts';
const mute = 'src/trace/state/mute.ts';
const wanted = 'src/trace/session/trace-session.ts';

export const mutants = [
  // Inputs, outputs and totals
  {
    id: 'langfuse-total-always',
    file: langfuse,
    find: 'strictSeed === true ? usage.inputTokens + usage.outputTokens :',
    replace: 'true ? usage.inputTokens + usage.outputTokens :',
    tests: ['trace/profiles/langfuse'],
  },
  {
    id: 'langfuse-calls-left-out',
    file: chat,
    find: 'detail.toolCalls.length === 0 ? reply :',
    replace: 'true ? reply :',
    tests: ['trace/profiles/langfuse'],
  },
  {
    id: 'calls-with-arguments-without-tool-content',
    file: chat,
    find: "jsonContent(input ?? {}, 'tool', rules)",
    replace: "jsonContent(input ?? {}, 'talk', rules)",
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'strict-seed-with-calls',
    file: langfuse,
    find: "if (detail.kind === 'generation' && options.strictSeed !== true)\n    return jsonContent(outputMessage",
    replace: "if (detail.kind === 'generation')\n    return jsonContent(outputMessage",
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'strict-seed-with-results',
    file: langfuse,
    find: "if (detail.kind === 'generation' && options.strictSeed !== true)\n    return messagesJson(",
    replace: "if (detail.kind === 'generation')\n    return messagesJson(",
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'results-without-tool-content',
    file: chat,
    find: "return typeof content === 'string' ? textContent(content, 'tool', rules)",
    replace: "return typeof content === 'string' ? textContent(content, 'talk', rules)",
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'results-each-as-long-as-one-text',
    file: chat,
    find: '/ Math.max(1, results.length)',
    replace: '/ 1',
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'openinference-results-over-prompt',
    file: openinference,
    find: 'i + (hasPrompt ? 1 : 0)',
    replace: 'i',
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'genai-no-results',
    file: genai,
    find: '[...(hasPrompt ? [promptMessage(input, images)] : []), ...answers]',
    replace: '[...(hasPrompt ? [promptMessage(input, images)] : [])]',
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'results-given-to-two-generations',
    file: draft,
    find: 'const answers = this.#answers;\n    this.#answers = [];',
    replace: 'const answers = this.#answers;',
    tests: ['trace/span-facts'],
  },
  {
    id: 'results-before-a-stop-forgotten',
    file: draft,
    find: 'this.#answers = [...(open?.answers ?? [])];',
    replace: 'this.#answers = [];',
    tests: ['trace/span-facts'],
  },
  {
    id: 'compaction-before-a-cut-forgotten',
    file: reader,
    find: 'this.#current === undefined ? this.#pendingCompaction() : this.#compactionBefore;',
    replace: 'undefined;',
    tests: ['trace/span-facts'],
  },
  {
    id: 'prompt-id-after-a-stop-forgotten',
    file: root,
    find: 'about: aboutOf(line ?? firstLine),',
    replace: 'about: { ...aboutOf(line ?? firstLine), promptId: undefined },',
    tests: ['trace/span-facts'],
  },
  {
    id: 'folder-after-a-stop-forgotten',
    file: root,
    find: 'about: aboutOf(line ?? firstLine),',
    replace: 'about: { ...aboutOf(line ?? firstLine), cwd: undefined },',
    tests: ['trace/sent'],
  },
  {
    id: 'background-agent-without-type',
    file: reader,
    find: 'agentType: typeOfAgent(turn.blocks, toolUseId),',
    replace: 'agentType: undefined,',
    tests: ['trace/span-facts'],
  },

  // Names and ids
  {
    id: 'trace-name-on-the-turn-only',
    file: langfuse,
    find: "...(isNamed ? { 'langfuse.trace.name': span.traceName } : {}),",
    replace: '',
    tests: ['trace/profiles/langfuse'],
  },
  {
    id: 'synthetic-is-a-model',
    file: profile,
    find: 'return isClientReply(detail) ? undefined : detail.model;',
    replace: 'return detail.model;',
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'client-message-is-a-generation',
    file: profile,
    find: 'return isClientReply(detail) && error === undefined;',
    replace: 'return false;',
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'no-prompt-id',
    file: profile,
    find: "'prompt.id': promptId,",
    replace: '',
    tests: ['trace/profiles/genai'],
  },
  {
    id: 'no-request-id',
    file: profile,
    find: "request_id: detail.kind === 'generation' ? detail.requestId : undefined,",
    replace: '',
    tests: ['trace/profiles/openinference'],
  },
  {
    id: 'no-tool-use-id',
    file: profile,
    find: "tool_use_id: detail.kind === 'tool' ? detail.toolUseId : undefined,",
    replace: '',
    tests: ['trace/profiles/langfuse'],
  },
  {
    id: 'genai-no-tags',
    file: genai,
    find: "'tag.tags': tagsOf(options),",
    replace: '',
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'compaction-is-no-event',
    file: profile,
    find: "if (detail.kind !== 'generation') return [];",
    replace: 'if (detail.kind !== undefined) return [];',
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'parent-only-of-the-turn',
    file: profile,
    find: 'traceId: parent?.traceId ?? traceId,',
    replace: 'traceId,',
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'trace-of-another-program-renamed',
    file: langfuse,
    find: 'if (options.parent !== undefined)\n    return',
    replace: 'if (options.parent === null)\n    return',
    tests: ['trace/profiles/shared'],
  },
  {
    id: 'parent-of-the-clients-own-traces',
    file: 'src/trace/config/config.ts',
    find: '(hasOwnTraces(env) ? undefined : parseTraceparent(env.TRACEPARENT))',
    replace: 'parseTraceparent(env.TRACEPARENT)',
    tests: ['trace/sent-settings'],
  },

  // Consent
  {
    id: 'metrics-collector-gets-content',
    file: destinations,
    find: "whole === undefined ? 'metadata' : 'full'",
    replace: "'full'",
    tests: ['trace/sent-settings'],
  },
  {
    id: 'any-environment-to-langfuse',
    file: 'src/trace/config/config.ts',
    find: 'if (name === undefined || ',
    replace: 'if (name !== undefined || ',
    tests: ['trace/sent-settings'],
  },
  {
    id: 'costs-unasked',
    file: 'src/trace/session/spool-turns.ts',
    find: 'destination.cost === undefined ? undefined : (await loadCosts()).of(destination.cost)',
    replace: "(await loadCosts()).of(destination.cost ?? ['*'])",
    tests: ['trace/sent-settings'],
  },
  {
    id: 'costs-of-all-models',
    file: 'src/trace/session/costs.ts',
    find: '|| !patterns.some((pattern) => pattern.test(model))',
    replace: '',
    tests: ['trace/sent-settings'],
  },

  // Muted sessions and folders
  {
    id: 'muted-turns-are-sent',
    file: wanted,
    find: 'traced.filter((turn) => !isMutedTurn(mutes, turn))',
    replace: 'traced',
    tests: ['trace/state/mute'],
  },
  {
    id: 'background-agents-of-muted-turns-are-sent',
    file: wanted,
    find: 'agent.startMs ?? turn.startMs',
    replace: 'turn.startMs',
    tests: ['trace/state/mute'],
  },
  {
    id: 'background-agents-of-a-folder-left-out-are-sent',
    file: wanted,
    find: 'agent.cwd ?? turn.about.cwd',
    replace: 'turn.about.cwd',
    tests: ['trace/state/mute'],
  },
  {
    id: 'muted-turns-are-sent-after-unmute',
    file: mute,
    find: 'return startMs < mute.untilMs && (endMs ?? startMs) >= mute.sinceMs;',
    replace: 'return false;',
    tests: ['trace/state/mute'],
  },
  {
    id: 'turn-that-was-muted-halfway-is-sent',
    file: mute,
    find: '(endMs ?? startMs) >= mute.sinceMs',
    replace: 'startMs >= mute.sinceMs',
    tests: ['trace/state/mute'],
  },
  {
    id: 'loose-agents-of-a-muted-session-are-sent',
    file: 'src/trace/session/trace-session.ts',
    find: '!wasMuted(mutes, { ...run, cwd })',
    replace: 'true',
    tests: ['trace/state/mute'],
  },
  {
    id: 'loose-agents-of-muted-turns-are-sent',
    file: 'src/trace/session/trace-session.ts',
    find: "run.atEnd === 'session' && !hasMutedTurns;",
    replace: "run.atEnd === 'session';",
    tests: ['trace/state/mute'],
  },
  {
    id: 'muted-folder-by-its-first-letters',
    file: mute,
    find: "return inside !== '..' && ",
    replace: "return cwd.startsWith(name) || inside === '' && ",
    tests: ['trace/state/mute'],
  },
  {
    id: 'broken-list-of-mutes-is-empty',
    file: mute,
    find: 'if (!isArray(list) || !list.every(isMute))\n    throw',
    replace: 'if (!isArray(list) || !list.every(isMute)) return [];\n  if (list === null)\n    throw',
    tests: ['trace/state/mute'],
  },
  {
    id: 'advice-of-keys-for-every-refusal',
    file: 'src/trace/connection-test.ts',
    find: 'if (status === 401 || status === 403) return keyAdvice(headers);',
    replace: 'if (status >= 400) return keyAdvice(headers);',
    tests: ['cli/trace-habits'],
  },
  {
    id: 'rejected-spans-are-fine',
    file: 'src/trace/connection-test.ts',
    find: 'if (outcome.rejectedSpans === 0) return undefined;',
    replace: 'if (outcome.rejectedSpans >= 0) return undefined;',
    tests: ['cli/trace-habits'],
  },
];
