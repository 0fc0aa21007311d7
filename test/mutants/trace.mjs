// Tracing: ids, turns, usage, copies, durable files, delivery, profiles, encodings, content, settings and the hook.
const ids = 'src/trace/ids.ts';
const draft = 'src/trace/draft.ts';
const turnReader = 'src/trace/turn-reader.ts';
const cursor = 'src/trace/cursor.ts';
const usage = 'src/trace/usage.ts';
const spans = 'src/trace/spans.ts';
const spool = 'src/trace/spool-turns.ts';
const ledger = 'src/trace/ledger.ts';
const durable = 'src/trace/durable.ts';
const outbox = 'src/trace/outbox.ts';
const session = 'src/trace/trace-session.ts';
const send = 'src/trace/send.ts';
const post = 'src/trace/post.ts';
const content = 'src/trace/content.ts';
const settings = 'src/trace/settings.ts';
const hook = 'src/trace/hook.ts';
const noLock = '((_folder, _options, work) => work())';

export const mutants = [
  // Ids
  {
    id: 'generation-id-by-place',
    file: ids,
    find: 'hexDigits(messageId === undefined ?',
    replace: 'hexDigits(true ?',
    tests: ['trace/spans'],
  },
  {
    id: 'agent-scope-of-turn',
    file: ids,
    find: 'agentScope(traceId: string, agentId: string): string {\n  return',
    replace: 'agentScope(traceId: string, agentId: string): string {\n  return traceId ??',
    tests: ['trace/agents'],
  },
  {
    id: 'turn-key-by-prompt',
    file: turnReader,
    find: 'return draft.firstMessageId ?? draft.prompt?.uuid ??',
    replace: 'return draft.prompt?.uuid ?? draft.firstMessageId ??',
    tests: ['trace/spans'],
  },
  {
    id: 'trace-seed-ignored',
    file: spool,
    find: 'traceSeed === undefined ?',
    replace: 'true ?',
    tests: ['trace/sent'],
  },
  {
    id: 'forks-share-traces',
    file: spans,
    find: 'context.keepForks === true ?',
    replace: 'false ?',
    tests: ['trace/copies'],
  },

  // Turns, however a transcript is cut into runs
  {
    id: 'cursor-passes-unfinished-turn',
    file: cursor,
    find: '...(unfinished ?? end),',
    replace: '...end,',
    tests: ['trace/splits'],
  },
  {
    id: 'torn-line-is-read',
    file: cursor,
    find: 'options.isOver !== true || scanRecord(line.bytes) === undefined',
    replace: 'scanRecord(line.bytes) === undefined',
    tests: ['trace/cursor'],
  },
  {
    id: 'message-ends-at-prompt',
    file: turnReader,
    find: 'if (this.#rules.strictSeed || id === undefined) return false;',
    replace: 'return false;',
    tests: ['trace/splits'],
  },
  {
    id: 'replayed-history-is-new',
    file: turnReader,
    find: 'draft.isReplay = this.state.seen.has(shortKey(id));',
    replace: 'draft.isReplay = false;',
    tests: ['trace/splits'],
  },
  {
    id: 'stop-sends-calls-that-wait',
    file: turnReader,
    find: 'new Set(isEnd ? [] : draft.unanswered()',
    replace: 'new Set(true ? [] : draft.unanswered()',
    tests: ['trace/cursor'],
  },
  {
    id: 'turn-made-again-after-stop',
    file: spans,
    find: 'turn.isContinuation ? [] : [turnSpan(',
    replace: 'false ? [] : [turnSpan(',
    tests: ['trace/splits'],
  },
  {
    id: 'background-agents-lost-at-end',
    file: turnReader,
    find: 'isOver || draft.finished.has(agent.agentId);',
    replace: 'draft.finished.has(agent.agentId);',
    tests: ['trace/cursor'],
  },
  {
    id: 'meta-lines-open-turns',
    file: turnReader,
    find: 'if (line.head.isMeta && (strictSeed || !hasResults(line))) return undefined;',
    replace: '',
    tests: ['trace/seed-example'],
  },
  {
    id: 'late-line-not-reported',
    file: draft,
    find: 'if (calls.length < blocks.length) this.lateLines.push(line.number);',
    replace: '',
    tests: ['trace/cursor'],
  },
  {
    id: 'requests-of-one-id-merged',
    file: draft,
    find: 'return before === undefined || line.head.requestId === undefined || before === line.head.requestId;',
    replace: 'return true;',
    tests: ['trace/spans'],
  },
  {
    id: 'repeated-blocks-kept',
    file: draft,
    find: 'return blocks.filter((block) => !message.known.has(blockKey(block)));',
    replace: 'return blocks;',
    tests: ['trace/spans'],
  },
  {
    id: 'agent-run-takes-all-lines',
    file: 'src/trace/agent-spans.ts',
    find: 'timeMs === undefined || ((sinceMs === undefined || timeMs > sinceMs) && timeMs <= (untilMs ?? timeMs)),',
    replace: 'true || timeMs === sinceMs || timeMs === untilMs,',
    tests: ['trace/agents'],
  },

  {
    id: 'second-result-wins',
    file: draft,
    find: 'if (id === undefined || this.results.has(id) || this.#sentCalls.has(id)) continue;',
    replace: 'if (id === undefined || this.#sentCalls.has(id)) continue;',
    tests: ['trace/spans'],
  },
  {
    id: 'spans-run-backwards',
    file: spans,
    find: 'endMs < startMs ? startMs : endMs',
    replace: 'endMs',
    tests: ['trace/spans'],
  },
  {
    id: 'failed-server-call-is-fine',
    file: spans,
    find: 'block.content.error_code !== undefined',
    replace: 'false',
    tests: ['trace/spans'],
  },
  {
    id: 'hook-sends-agents-that-no-call-started',
    file: session,
    find: 'isWhole && run.fromStart &&',
    replace: 'isWhole &&',
    tests: ['trace/sent'],
  },

  // Usage
  {
    id: 'cache-writes-twice',
    file: usage,
    find: 'cacheWriteTokens: !hasSplit && hasWrites',
    replace: 'cacheWriteTokens: hasWrites',
    tests: ['trace/spans'],
  },
  {
    id: 'lines-without-id-counted-once',
    file: usage,
    find: 'others.reduce(addTraced, first)',
    replace: 'first',
    tests: ['trace/spans'],
  },

  // Copies
  {
    id: 'copies-known-by-span-id-only',
    file: spool,
    find: "if (detail.kind === 'generation' && detail.messageId?.startsWith('msg_') === true)",
    replace: 'if (false)',
    tests: ['trace/copies'],
  },
  {
    id: 'any-id-taken-for-one-of-the-api',
    file: spool,
    find: "detail.messageId?.startsWith('msg_') === true",
    replace: 'detail.messageId !== undefined',
    tests: ['trace/copies'],
  },
  {
    id: 'turn-of-a-copy-sent',
    file: spool,
    find: 'return turn.some(isGeneration) && !own.some(isGeneration)',
    replace: 'return false',
    tests: ['trace/copies'],
  },
  {
    id: 'every-session-owns-a-span',
    file: ledger,
    find: 'if (found === 0n || found === owner) mine.add(key);',
    replace: 'if ((found & 1n) === 0n) mine.add(key);',
    tests: ['trace/state'],
  },
  {
    id: 'spooled-span-is-claimed-again',
    file: ledger,
    find: 'const spooled = ownerOf(sessionId) | 1n;',
    replace: 'const spooled = ownerOf(sessionId);',
    tests: ['trace/state', 'trace/hook'],
  },
  {
    id: 'torn-ledger-record-kept',
    file: ledger,
    find: 'if (whole !== size) ftruncateSync(handle, whole);',
    replace: '',
    tests: ['trace/state'],
  },
  {
    id: 'compat-state-ignored',
    file: session,
    find: 'return readCompat(compatFile(env), run.sessionId);',
    replace: 'return undefined;',
    tests: ['trace/state'],
  },

  // Durable files and locks
  {
    id: 'file-not-synced',
    file: durable,
    find: '      fsyncSync(handle);\n    } finally {\n      closeSync(handle);\n    }\n    renameSync(temp, file);',
    replace: '    } finally {\n      closeSync(handle);\n    }\n    renameSync(temp, file);',
    tests: ['trace/durable'],
  },
  {
    id: 'folder-not-synced-after-write',
    file: durable,
    find: '  syncFolder(folder);\n}',
    replace: '}',
    tests: ['trace/durable'],
  },
  {
    id: 'folder-not-synced-after-rename',
    file: durable,
    find: 'syncFolder(path.dirname(to));',
    replace: '',
    tests: ['trace/durable'],
  },
  {
    id: 'ledger-not-synced',
    file: ledger,
    find: 'fsyncSync(handle);',
    replace: '',
    tests: ['trace/durable'],
  },
  {
    id: 'ledger-not-locked',
    file: ledger,
    find: 'return withLock(folder,',
    replace: `return ${noLock}(folder,`,
    tests: ['trace/durable'],
  },
  {
    id: 'session-not-locked',
    file: session,
    find: 'return withLock(context.places.sessions,',
    replace: `return ${noLock}(context.places.sessions,`,
    tests: ['trace/durable'],
  },
  {
    id: 'senders-not-locked',
    file: send,
    find: 'await withLock(places.folder, lock,',
    replace: `await ${noLock}(places.folder, lock,`,
    tests: ['trace/durable'],
  },
  {
    id: 'released-before-recorded',
    file: session,
    find: 'await ledgerFor(context, destination).record(info.ledgerKeys, state.sessionId);',
    replace:
      'releaseBatch(places, destination, name, key); await ledgerFor(context, destination).record(info.ledgerKeys, state.sessionId);',
    tests: ['trace/durable'],
  },
  {
    id: 'uncommitted-batches-kept',
    file: outbox,
    find: "if (found?.[2] === owner && !kept.has(found[1] ?? ''))",
    replace: 'if (false)',
    tests: ['trace/state'],
  },
  {
    id: 'killed-tracer-not-recovered',
    file: 'src/trace/recover.ts',
    find: 'if (file === undefined) continue;',
    replace: 'continue;',
    tests: ['trace/state'],
  },
  {
    id: 'replaced-transcript-goes-on',
    file: 'src/trace/state.ts',
    find: 'now.sizeBytes >= before.sizeBytes &&\n    now.headHash === before.headHash',
    replace: 'now.sizeBytes >= before.sizeBytes',
    tests: ['trace/hook'],
  },

  // Delivery
  {
    id: 'answer-429-is-final',
    file: post,
    find: 'status === 408 || status === 429 || status >= 500',
    replace: 'status === 408 || status >= 500',
    tests: ['trace/post'],
  },
  {
    id: 'answer-500-is-final',
    file: post,
    find: 'status === 408 || status === 429 || status >= 500',
    replace: 'status === 408 || status === 429 || status > 500',
    tests: ['trace/post'],
  },
  {
    id: 'gateway-timeout-is-certain',
    file: post,
    find: 'status === 502 || status === 504',
    replace: 'status === 502',
    tests: ['trace/post'],
  },
  {
    id: 'sender-waits-ten-seconds',
    file: 'src/trace/config-values.ts',
    find: 'const defaultTimeoutMs = 60_000;',
    replace: 'const defaultTimeoutMs = 10_000;',
    tests: ['trace/timeout'],
  },
  {
    id: 'timeout-of-the-settings-ignored',
    file: send,
    find: 'timeoutMs = this.#destination.timeoutMs',
    replace: 'timeoutMs = 60_000',
    tests: ['trace/timeout'],
  },
  {
    id: 'general-timeout-beats-that-for-traces',
    file: 'src/trace/config-values.ts',
    find: "['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'OTEL_EXPORTER_OTLP_TIMEOUT']",
    replace: "['OTEL_EXPORTER_OTLP_TIMEOUT', 'OTEL_EXPORTER_OTLP_TRACES_TIMEOUT']",
    tests: ['trace/timeout'],
  },
  {
    id: 'retry-after-ignored',
    file: send,
    find: 'Math.max(retryAfterMs ?? 0, steps * (0.5 + random() / 2))',
    replace: 'steps * (0.5 + random() / 2)',
    tests: ['trace/send'],
  },
  {
    id: 'pauses-do-not-double',
    file: send,
    find: 'retryBaseMs * 2 ** Math.min(20, failures - 1)',
    replace: 'retryBaseMs * failures',
    tests: ['trace/send'],
  },
  {
    id: 'last-byte-not-held-back',
    file: post,
    find: 'body.subarray(0, -1)',
    replace: 'body',
    tests: ['trace/post'],
  },
  {
    id: 'marked-as-sending-too-late',
    file: post,
    find: '        beforeLastByte();\n        outgoing.end(body.subarray(-1));',
    replace: '        outgoing.end(body.subarray(-1));\n        beforeLastByte();',
    tests: ['trace/post'],
  },
  {
    id: 'failing-batch-blocks-others',
    file: send,
    find: 'outcome.isOfBatch ? row.push(batch) : row.unshift(batch)',
    replace: 'row.unshift(batch)',
    tests: ['trace/send'],
  },
  {
    id: 'killed-senders-not-counted',
    file: send,
    find: 'readStatus(places, name).uncertainBatches + 1',
    replace: 'readStatus(places, name).uncertainBatches',
    tests: ['trace/send'],
  },
  {
    id: 'patience-ends-while-batches-are-taken',
    file: send,
    find: 'this.moved++;\n    this.#movedMs = Date.now();',
    replace: 'this.moved++;',
    tests: ['trace/send'],
  },
  {
    id: 'counted-again-after-a-kill',
    file: send,
    find: 'if (status.lastBatch !== batch) {',
    replace: 'if (true) {',
    tests: ['trace/send'],
  },
  {
    id: 'spooled-while-sending-is-left',
    file: send,
    find: 'if (!hasMore || sender.moved === before || Date.now() >= endMs) return true;',
    replace: 'return true;',
    tests: ['trace/send'],
  },
  {
    id: 'flush-waits-for-the-pause',
    file: send,
    find: 'isUrgent === true && isFirst ? 0',
    replace: 'isUrgent === true && !isFirst ? 0',
    tests: ['trace/send'],
  },
  {
    id: 'partial-success-not-counted',
    file: send,
    find: 'readStatus(places, name).rejectedSpans + rejectedSpans',
    replace: 'readStatus(places, name).rejectedSpans',
    tests: ['trace/send'],
  },
  {
    id: 'keys-in-messages',
    file: post,
    find: "clean = clean.replaceAll(secret, '***')",
    replace: 'clean = String(clean)',
    tests: ['trace/send'],
  },

  // Profiles
  {
    id: 'langfuse-total-with-cache',
    file: 'src/trace/profiles/langfuse.ts',
    find: 'total: usage.inputTokens + usage.outputTokens,',
    replace: 'total: usage.inputTokens + usage.outputTokens + (usage.cacheReadTokens ?? 0),',
    tests: ['trace/profiles/langfuse'],
  },
  {
    id: 'langfuse-trace-values-on-children',
    file: 'src/trace/profiles/langfuse.ts',
    find: '...(isRoot && !hasWrapper ? traceValues(span, options) : {}),',
    replace: '...(!hasWrapper ? traceValues(span, options) : {}),',
    tests: ['trace/profiles/langfuse'],
  },
  {
    id: 'genai-input-without-cache',
    file: 'src/trace/profiles/genai.ts',
    find: "'gen_ai.usage.input_tokens': count(",
    replace: "'gen_ai.usage.input_tokens': count(usage.inputTokens) ?? count(",
    tests: ['trace/profiles/genai'],
  },
  {
    id: 'openinference-no-exception',
    file: 'src/trace/profiles/openinference.ts',
    find: 'events: status.code === 0 ? []',
    replace: 'events: status.code !== 1 ? []',
    tests: ['trace/profiles/openinference'],
  },
  {
    id: 'missing-time-is-now-in-a-backfill',
    file: 'src/trace/profiles/profile.ts',
    find: '(options.isBackfill === true ? timeNear(span, spans) : undefined)',
    replace: 'undefined',
    tests: ['trace/profiles/langfuse'],
  },
  {
    id: 'strict-seed-opens-like-others',
    file: turnReader,
    find: "strictSeed ? input.kind !== 'results' : input.prompt !== undefined",
    replace: 'input.prompt !== undefined',
    tests: ['trace/seed-example'],
  },

  // Encodings
  {
    id: 'protobuf-negative-integers',
    file: 'src/trace/protobuf.ts',
    find: 'let rest = BigInt.asUintN(64, value);',
    replace: 'let rest = value < 0n ? -value : value;',
    tests: ['trace/otlp'],
  },
  {
    id: 'protobuf-parent-field',
    file: 'src/trace/otlp.ts',
    find: "bytes(4, Buffer.from(parentSpanId, 'hex'))",
    replace: "bytes(3, Buffer.from(parentSpanId, 'hex'))",
    tests: ['trace/otlp'],
  },
  {
    id: 'json-integers-as-numbers',
    file: 'src/trace/otlp.ts',
    find: '{ intValue: String(value) }',
    replace: '{ intValue: Number(value) }',
    tests: ['trace/otlp'],
  },
  {
    id: 'batches-without-limit',
    file: 'src/trace/otlp.ts',
    find: 'if (last === undefined || size > room) {',
    replace: 'if (last === undefined) {',
    tests: ['trace/otlp'],
  },

  // Content
  {
    id: 'cut-before-redaction',
    file: content,
    find: 'return cut(rules.redact(text), rules.maxChars ?? defaultMaxChars);',
    replace: 'return rules.redact(cut(text, rules.maxChars ?? defaultMaxChars));',
    tests: ['trace/content'],
  },
  {
    id: 'no-tool-content-sends-tools',
    file: content,
    find: "(mode === 'no-tool-content' && origin === 'talk')",
    replace: "mode === 'no-tool-content'",
    tests: ['trace/content'],
  },
  {
    id: 'agents-talk-is-no-tool-content',
    file: 'src/trace/profiles/profile.ts',
    find: "detail.kind === 'generation' && detail.agentId === undefined ? 'talk' : 'tool'",
    replace: "detail.kind === 'generation' ? 'talk' : 'tool'",
    tests: ['trace/content'],
  },
  {
    id: 'secrets-shown-late',
    file: content,
    find: 'rules.redact(JSON.stringify(detail));',
    replace: '',
    tests: ['trace/secrets'],
  },
  {
    id: 'thinking-always-sent',
    file: 'src/trace/encode-batches.ts',
    find: 'hasThinking ? spans : spans.map(withoutThinking)',
    replace: 'spans',
    tests: ['trace/sent'],
  },
  {
    id: 'redaction-off',
    file: spool,
    find: 'destination.isRedacted ? await loadRedact()',
    replace: '!destination.isRedacted ? await loadRedact()',
    tests: ['trace/secrets-delivery'],
  },
  {
    id: 'images-sent',
    file: 'src/trace/placeholder.ts',
    find: 'if (placeholder !== undefined) return { ...placeholder };',
    replace: '',
    tests: ['trace/spans'],
  },

  {
    id: 'rules-of-the-user-ignored',
    file: 'src/trace/redaction.ts',
    find: 'rulesFile === undefined ?',
    replace: 'true ?',
    tests: ['trace/sent'],
  },
  {
    id: 'projects-left-out-are-traced',
    file: session,
    find: 'turns.filter((turn) => isTraced(config, turn.prompt?.cwd))',
    replace: 'turns.filter(() => true)',
    tests: ['trace/sent'],
  },

  // Settings and configuration
  {
    id: 'hooks-of-others-removed',
    file: settings,
    find: 'const hooks = listOf(group.hooks).filter((hook) => !isOurs(hook));',
    replace: 'const hooks: readonly JsonValue[] = [];',
    tests: ['trace/settings'],
  },
  {
    id: 'unknown-events-for-old-clients',
    file: settings,
    find: 'if (!isAtLeast(2, 0, 50)) return [stop];',
    replace: '',
    tests: ['trace/settings'],
  },
  {
    id: 'broken-settings-overwritten',
    file: settings,
    find: 'if (settings === undefined)\n',
    replace: 'if (settings === undefined) return {};\n  if (settings === undefined)\n',
    tests: ['trace/settings'],
  },
  {
    id: 'unknown-setting-accepted',
    file: 'src/trace/config-values.ts',
    find: 'if (kind === undefined) throw',
    replace: 'if (kind === undefined) continue;\n    if (kind === undefined) throw',
    tests: ['trace/config'],
  },
  {
    id: 'first-project-rule-decides',
    file: 'src/trace/projects.ts',
    find: 'for (const entry of projects) {',
    replace: 'for (const entry of [...projects].reverse()) {',
    tests: ['trace/config'],
  },
  {
    id: 'langfuse-keys-alone-start-tracing',
    file: 'src/trace/config.ts',
    find: "told === undefined ? env.CLEW_TRACE_PROFILE === 'langfuse' : isYes(told, 'TRACE_TO_LANGFUSE')",
    replace: "told === undefined ? true : isYes(told, 'TRACE_TO_LANGFUSE')",
    tests: ['trace/config'],
  },

  {
    id: 'labels-of-cc-langfuse-ignored',
    file: 'src/trace/config.ts',
    find: 'env.CLEW_TRACE_USER ?? env.CC_LANGFUSE_USER_ID ?? env.LANGFUSE_USER_ID ??',
    replace: 'env.CLEW_TRACE_USER ??',
    tests: ['trace/sent'],
  },

  // The hook
  {
    id: 'hook-fails-the-client',
    file: hook,
    find: 'logFailure(places.log, name, error, nowMs);',
    replace: 'throw error;',
    tests: ['trace/hook'],
  },
  {
    id: 'log-fails-the-client',
    file: 'src/trace/log.ts',
    find: '  } catch (problem) {',
    replace: '  } catch (problem) {\n    throw problem;',
    tests: ['trace/hook'],
  },
  {
    id: 'session-end-idle-after-stop',
    file: hook,
    find: "if (name === 'SessionEnd' && state.atEnd !== 'session') return false;",
    replace: '',
    tests: ['trace/hook'],
  },
  {
    id: 'last-line-not-waited-for',
    file: 'src/trace/settle.ts',
    find: 'return isAssistant && textOf(message).trim().endsWith(lastAnswer.trim().slice(-2000));',
    replace: 'return isAssistant;',
    tests: ['trace/hook'],
  },
  {
    id: 'stop-does-not-wait',
    file: 'src/trace/answer-hook.ts',
    find: 'if (isStop) await settle(',
    replace: 'if (!isStop) await settle(',
    tests: ['trace/hook'],
  },
  {
    id: 'any-path-is-a-previous-session',
    file: 'src/trace/previous-session.ts',
    find: ' || !/^[\\w-]{1,100}$/.test(id)',
    replace: '',
    tests: ['trace/hook'],
  },
  {
    id: 'previous-session-blocks',
    file: 'src/trace/answer-hook.ts',
    find: 'logFailure(context.places.log,',
    replace: 'throw error;\n    logFailure(context.places.log,',
    tests: ['trace/hook'],
  },
];
