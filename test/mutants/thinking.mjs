// Preserved thinking: what the servers refuse, what the agent keeps, sends, leaves out and recovers from.
const check = 'src/api/server/thinking-check.ts';
const prefix = 'src/api/request/thinking-prefix.ts';
const fit = 'src/agent/session/thinking.ts';
const keeper = 'src/agent/session/frozen-prompt.ts';
const answer = 'src/agent/loop/answer.ts';
const facts = 'src/agent/session/conversation.ts';
const server = ['api/server/thinking-check'];
const agent = ['agent/preserved-thinking'];
const refused = ['agent/thinking-refused'];
const shared = ['agent/shared-session'];

export const mutants = [
  {
    id: 'check-forgets-tools',
    file: check,
    find: 'if (made.tools !== tools) return',
    replace: 'if (made.tools === "") return',
    tests: server,
  },
  {
    id: 'check-takes-a-hole',
    file: check,
    find: 'if (previous === undefined || made.previous === previous) return undefined;',
    replace: 'return undefined;',
    tests: server,
  },
  {
    id: 'check-drops-for-older-accounts',
    file: check,
    find: "reason === 'prefix_binding_mismatch' && !isEnforced ?",
    replace: "reason === '' && !isEnforced ?",
    tests: server,
  },
  {
    id: 'prefix-counts-cache-marks',
    file: prefix,
    find: "key !== 'cache_control'",
    replace: "key !== ''",
    tests: [...server, ...agent],
  },
  {
    id: 'prefix-counts-the-order-of-tools',
    file: prefix,
    find: 'JSON.stringify(normalForm(tool))).sort())',
    replace: 'JSON.stringify(normalForm(tool))))',
    tests: server,
  },
  {
    id: 'fit-ignores-the-prompt',
    file: fit,
    find: 'if (mark.prompt !== prompt) return',
    replace: 'if (mark.prompt === "") return',
    tests: agent,
  },
  {
    id: 'fit-ignores-the-messages',
    file: fit,
    find: 'if (mark.messages !== walk.hash) return',
    replace: 'if (mark.messages === "") return',
    tests: agent,
  },
  {
    id: 'fit-keeps-what-others-wrote',
    file: fit,
    find: 'if (mark === undefined) return isBinding(known?.model)',
    replace: 'if (mark === undefined) return !isBinding(known?.model ?? "claude-opus-5-5")',
    tests: shared,
  },
  {
    id: 'prompt-rebuilt-on-every-resume',
    file: keeper,
    find: 'if (kept !== undefined && !this.#isOutdated(kept)) return kept;\n    const made',
    replace: 'const made',
    tests: agent,
  },
  {
    id: 'tools-follow-a-server-that-is-gone',
    file: keeper,
    find: 'return this.#source.tools().some(({ name }) => !known.has(name));',
    replace: 'return this.#source.tools().length !== tools.length;',
    tests: agent,
  },
  {
    id: 'refusal-without-a-mark',
    file: answer,
    find: 'if (refusal !== undefined && !isStripped) await emitStripped(refusal, emit);',
    replace: '',
    tests: refused,
  },
  {
    id: 'refusal-tried-again-and-again',
    file: answer,
    find: 'if (refusal === undefined && isThinkingRefused(failure) && hasThinking(sent)) {',
    replace: 'if (refusal === undefined && hasThinking(sent)) {',
    tests: refused,
  },
  {
    id: 'our-thinking-on-the-chain-of-others',
    file: 'src/agent/session/said-lines.ts',
    find: 'return isShared && !isSidechain && isThinking(event.block)',
    replace: 'return isShared && isSidechain && isThinking(event.block)',
    tests: shared,
  },
  {
    id: 'thinking-beside-the-chain-is-lost-on-a-resume',
    file: facts,
    find: 'for (const draft of made) privateDrafts.add(draft);',
    replace: 'drafts.splice(0, 0);\n  drafts.splice(drafts.indexOf(made[0]), made.length);',
    tests: shared,
  },
  {
    id: 'a-prompt-of-a-stranger-is-sent',
    file: 'src/surgery/operations/fork.ts',
    find: "  'clew-prompt',\n",
    replace: '',
    tests: ['surgery/private-lines'],
  },
  {
    id: 'changes-are-sent-only-once',
    file: 'src/agent/prompt/situation.ts',
    find: 'const last = sent.findLast(',
    replace: 'const last = sent.find(',
    tests: ['agent/prompt/situation'],
  },
];
