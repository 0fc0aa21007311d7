// Agent: what may run, what is written before it is heard, and what is ended, closed or refused.
const judge = 'src/agent/permission/judge.ts';
const judgeTool = 'src/agent/permission/judge-tool.ts';
const pathJudge = 'src/agent/permission/path-judge.ts';
const protectedPath = 'src/agent/permission/protected-path.ts';
const permitCall = 'src/agent/permit-call.ts';
const writer = 'src/agent/session/transcript-writer.ts';
const recorder = 'src/agent/session/recorder.ts';
const history = 'src/agent/session/file-history.ts';
const rewind = 'src/agent/session/rewind.ts';
const repair = 'src/agent/session/repair-request.ts';

const permission = [
  {
    id: 'permission-bypass-beats-deny',
    file: judge,
    find: "if (kind === 'deny') return { kind, why };",
    replace: "if (kind === 'deny' && mode !== 'bypassPermissions') return { kind, why };",
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-plan-mode-keeps-allow-rules',
    file: judge,
    find: "if (mode === 'plan' && !ruling.isRead)",
    replace: "if (mode === 'plan' && !ruling.isRead && kind !== 'allow')",
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-meaningless-specifier-denies-nothing',
    file: judgeTool,
    find: "if (tool !== 'Task' && tool !== 'Skill') return kind !== 'allow';",
    replace: "if (tool !== 'Task' && tool !== 'Skill') return false;",
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-server-tool-is-believed',
    file: judgeTool,
    find: "if (name.startsWith('mcp__'))",
    replace: "if (name.startsWith('mcp__') && !context.isReadOnly)",
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-allow-matches-one-form',
    file: pathJudge,
    find: "return kind === 'allow' ? forms.every(hits) : forms.some(hits);",
    replace: 'return forms.some(hits);',
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-deny-matches-all-forms',
    file: pathJudge,
    find: "return kind === 'allow' ? forms.every(hits) : forms.some(hits);",
    replace: 'return forms.every(hits);',
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-read-deny-permits-changes',
    file: pathJudge,
    find: "const isHidden = kind === 'deny' && rule.tool === 'Read' && rule.specifier !== undefined;",
    replace: 'const isHidden = false;',
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-bare-read-rule-opens-secrets',
    file: pathJudge,
    find: '(isRead && allowed.specifier !== undefined));',
    replace: 'isRead);',
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-allow-follows-the-shell',
    file: pathJudge,
    find: "anchorOf(specifier, kind === 'allow' ? [] : cwds, places)",
    replace: 'anchorOf(specifier, cwds, places)',
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-readable-folders-are-writable',
    file: pathJudge,
    find: '...(isRead ? places.readableDirs : [])]',
    replace: '...places.readableDirs]',
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-links-are-not-followed',
    file: 'src/agent/permission/real-path.ts',
    find: 'return lstatSync(file).isSymbolicLink() ? readlinkSync(file) : undefined;',
    replace: 'return lstatSync(file).isSymbolicLink() ? undefined : undefined;',
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-devcontainer-unprotected',
    file: protectedPath,
    find: "  ['.devcontainer', 'settings of an editor'],\n",
    replace: '',
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-gnupg-unprotected',
    file: protectedPath,
    find: "  '.gnupg',\n",
    replace: '',
    tests: ['agent/permission/judge'],
  },
  {
    id: 'permission-hook-beats-deny-rule',
    file: permitCall,
    find: "if (decision.kind === 'deny') return",
    replace: "if (decision.kind === 'deny' && permission?.decision !== 'allow') return",
    tests: ['agent/permit-call'],
  },
  {
    id: 'permission-judges-input-before-hook-changed-it',
    file: permitCall,
    find: 'judgeCall({ ...view, input: updated.input }, tool',
    replace: 'judgeCall(view, tool',
    tests: ['agent/permit-call'],
  },
  {
    id: 'settings-project-switches-permissions-off',
    file: 'src/agent/settings.ts',
    find: "if (mode !== 'bypassPermissions' || !isOfProject) return mode;",
    replace: 'return mode;',
    tests: ['agent/settings'],
  },
  {
    id: 'permission-shell-one-part-is-enough',
    file: 'src/agent/permission/ruling.ts',
    find: '(strictness[kind] > strictness[worst] ? kind : worst)',
    replace: "(strictness[kind] > strictness[worst] && kind === 'deny' ? kind : worst)",
    tests: ['agent/permission/judge'],
  },
];

const hooksAndServers = [
  {
    id: 'hooks-exit-2-does-not-block-precompact',
    file: 'src/agent/hooks/hook-answer.ts',
    find: "  'SubagentStop',\n  'PreCompact',\n]);",
    replace: "  'SubagentStop',\n]);",
    tests: ['agent/hooks/hook-runner'],
  },
  {
    id: 'hooks-last-verdict-wins',
    file: 'src/agent/hooks/hook-answer.ts',
    find: 'strictness[each.decision] > strictness[worst.decision] ? each',
    replace: 'true ? each',
    tests: ['agent/hooks/hook-runner'],
  },
  {
    id: 'hooks-timeout-leaves-children',
    file: 'src/agent/hooks/hook-process.ts',
    find: "if (ended !== undefined) hook.signal('SIGKILL');",
    replace: '',
    tests: ['agent/hooks/hook-runner'],
  },
  {
    id: 'mcp-project-approves-its-own-servers',
    file: 'src/agent/mcp/approval.ts',
    find: "settings.filter(({ scope }) => scope !== 'project')",
    replace: 'settings',
    tests: ['agent/mcp/config'],
  },
  {
    id: 'mcp-server-sees-the-auth-token',
    file: 'src/agent/mcp/connection.ts',
    find: 'const { ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ...rest } = env;',
    replace: 'const { ANTHROPIC_API_KEY, ...rest } = env;',
    tests: ['agent/mcp/servers'],
  },
  {
    id: 'mcp-repeats-the-call-the-server-died-in',
    file: 'src/agent/mcp/connection.ts',
    find: 'if (signal.aborted || !wasOpen || !hasNotArrived(error)) throw',
    replace: 'if (signal.aborted || !wasOpen) throw',
    tests: ['agent/mcp/servers'],
  },
  {
    id: 'mcp-follows-redirects-to-other-hosts',
    file: 'src/agent/mcp/bounded-fetch.ts',
    find: 'await fetch(url, init);',
    replace: "await fetch(url, { ...init, redirect: 'follow' });",
    tests: ['agent/mcp/hostile'],
  },
  {
    id: 'mcp-result-images-unlimited',
    file: 'src/agent/mcp/result.ts',
    find: 'if (++images <= limits.images) kept.push(block);',
    replace: '++images;\n      kept.push(block);',
    tests: ['agent/mcp/result'],
  },
];

const session = [
  {
    id: 'writer-times-may-be-equal',
    file: writer,
    find: 'lastMs = Math.max(at.getTime(), lastMs + 1);',
    replace: 'lastMs = Math.max(at.getTime(), lastMs);',
    tests: ['agent/session/recorder'],
  },
  {
    id: 'writer-moves-on-before-the-disk',
    file: writer,
    find: 'const texts = made.map(({ text }) => text);',
    replace: 'const texts = made.map(({ text }) => text);\n    this.#leafUuid = leafUuid;',
    tests: ['agent/session/recorder'],
  },
  {
    id: 'writer-progress-joins-the-chain',
    file: writer,
    find: "if (line.kind === 'chain') leafUuid = line.uuid;",
    replace: "if (line.kind !== 'loose') leafUuid = line.kind === 'chain' ? line.uuid : leafUuid + 'x';",
    tests: ['agent/session/recorder'],
  },
  {
    id: 'writer-trusts-a-changed-file',
    file: writer,
    find: 'await appendLines(this.file, texts, this.#identity).catch(',
    replace:
      "await appendLines(this.file, texts, this.#identity === 'absent' ? 'absent' : (await import('../../store/append.js')).identify(this.file)).catch(",
    tests: ['agent/session/recorder'],
  },
  {
    id: 'writer-abandons-without-a-pin',
    file: writer,
    find: 'if (leafUuid !== null && sessionId !== undefined)',
    replace: 'if (leafUuid === null && sessionId !== undefined)',
    tests: ['agent/session/recorder'],
  },
  {
    id: 'bus-listeners-hear-before-the-file',
    file: 'src/agent/event-bus.ts',
    find: '      await this.#recorder(event);\n      for (const listen of this.#listeners) await listen(event);',
    replace: '      for (const listen of this.#listeners) await listen(event);\n      await this.#recorder(event);',
    tests: ['agent/event-bus'],
  },
  {
    id: 'recorder-closes-lost-calls-at-every-prompt',
    file: recorder,
    find: '    this.#openCalls = [];\n',
    replace: '',
    tests: ['agent/session/open-session'],
  },
  {
    id: 'open-keeps-the-lock-when-refused',
    file: 'src/agent/session/open-session.ts',
    find: '    await release();\n    throw error;',
    replace: '    throw error;',
    tests: ['agent/session/open-session'],
  },
  {
    id: 'history-keeps-a-file-again-in-the-same-turn',
    file: history,
    find: 'if (snapshot === undefined || snapshot.tracked.has(key)) return undefined;',
    replace: 'if (snapshot === undefined) return undefined;',
    tests: ['agent/session/rewind'],
  },
  {
    id: 'history-overwrites-a-copy-of-a-killed-run',
    file: history,
    find: ', { throwIfNoEntry: false }) !== undefined) version++;',
    replace: ', { throwIfNoEntry: false }) !== undefined && false) version++;',
    tests: ['agent/session/file-history'],
  },
  {
    id: 'history-copy-not-synced-before-its-name',
    file: history,
    find: '    await syncPath(temp);\n',
    replace: '',
    tests: ['agent/session/file-history'],
  },
  {
    id: 'rewind-loses-the-present-content',
    file: rewind,
    find: 'if (now !== undefined) await open.history.keepVersion(key);',
    replace: '',
    tests: ['agent/session/rewind'],
  },
  {
    id: 'rewind-touches-git',
    file: rewind,
    find: "if (inside.split(path.sep).includes('.git')) throw new Error('it belongs to git');",
    replace: '',
    tests: ['agent/session/rewind'],
  },
  {
    id: 'rewind-takes-the-newest-backup',
    file: rewind,
    find: 'if (!targets.has(key)) targets.set(key, backup);',
    replace: 'targets.set(key, backup);',
    tests: ['agent/session/rewind'],
  },
  {
    id: 'repair-keeps-orphan-results-as-results',
    file: repair,
    find: '} else if (!used.has(id)) others.push(text(orphanText(block)));',
    replace: '}',
    tests: ['agent/session/repair-request'],
  },
  {
    id: 'repair-results-after-the-words',
    file: repair,
    find: 'return [...open.map((id) => answers.get(id) ?? resultFor(id, texts.interrupted)), ...others];',
    replace: 'return [...others, ...open.map((id) => answers.get(id) ?? resultFor(id, texts.interrupted))];',
    tests: ['agent/session/repair-request'],
  },
];

const loop = [
  {
    id: 'loop-interrupt-leaves-calls-open',
    file: 'src/agent/loop.ts',
    find: 'await closeCalls(calls, interruptedText, this.#emit);',
    replace: '',
    tests: ['agent/loop'],
  },
  {
    id: 'loop-retries-once-too-often',
    file: 'src/agent/answer.ts',
    find: 'attempt > maxRetries)',
    replace: 'attempt > maxRetries + 1)',
    tests: ['agent/loop'],
  },
  {
    id: 'loop-runs-a-call-that-was-cut',
    file: 'src/agent/answer.ts',
    find: "if (this.#held?.block.type === 'tool_use' && this.#stopReason === 'max_tokens')",
    replace: 'if (false)',
    tests: ['agent/loop'],
  },
  {
    id: 'loop-budget-ten-times-too-large',
    file: 'src/agent/loop.ts',
    find: 'maxBudgetUsd * 1_000_000)',
    replace: 'maxBudgetUsd * 10_000_000)',
    tests: ['agent/loop'],
  },
  {
    id: 'cost-forgets-side-requests',
    file: 'src/agent/cost-meter.ts',
    find: '      sum += this.#prices.costOf(model, usage) ?? 0;\n    return sum;\n  }\n\n  costOfModel',
    replace:
      '      if (!this.#side.some((each) => each.usage === usage)) sum += this.#prices.costOf(model, usage) ?? 0;\n    return sum;\n  }\n\n  costOfModel',
    tests: ['agent/cost-meter'],
  },
  {
    id: 'cost-counts-every-line',
    file: 'src/agent/cost-meter.ts',
    find: 'const before = this.#messages.get(id);',
    replace: "const before = undefined;\n    if (this.#messages.has(id)) id += ' again';",
    tests: ['agent/cost-meter'],
  },
  {
    id: 'retry-ignores-the-longest-wait',
    file: 'src/agent/retry.ts',
    find: 'Math.min(Math.ceil(failure.retryAfterMs), longestAskedDelayMs)',
    replace: 'Math.ceil(failure.retryAfterMs)',
    tests: ['agent/retry'],
  },
  {
    id: 'compaction-reserve-off-by-one',
    file: 'src/agent/compaction.ts',
    find: 'usedTokens >= windowTokens - Math.min',
    replace: 'usedTokens > windowTokens - Math.min',
    tests: ['agent/compaction'],
  },
  {
    id: 'compaction-keeps-the-first-words',
    file: 'src/agent/compaction.ts',
    find: '.slice(-keptPrompts)',
    replace: '.slice(0, keptPrompts)',
    tests: ['agent/compaction'],
  },
  {
    id: 'compaction-takes-a-cut-summary',
    file: 'src/agent/compaction.ts',
    find: "if (stopReason === 'max_tokens') return { problem: 'the summary did not fit' };",
    replace: '',
    tests: ['agent/compaction'],
  },
  {
    id: 'sub-agent-may-start-agents',
    file: 'src/agent/sub-agent.ts',
    find: "new Set(['Task', 'Agent', 'AskUserQuestion', 'ExitPlanMode'])",
    replace: "new Set(['AskUserQuestion', 'ExitPlanMode'])",
    tests: ['agent/agent'],
  },
];

const tools = [
  {
    id: 'tools-edit-of-a-changed-file',
    file: 'src/agent/tools/change-file.ts',
    find: 'if (seen.sha256 !== sha256(bytes))',
    replace: 'if (seen.sha256.length !== sha256(bytes).length)',
    tests: ['agent/tools/edit'],
  },
  {
    id: 'tools-file-kept-after-the-change',
    file: 'src/agent/tools/change-file.ts',
    find: '  await context.keepFile(found.realPath);\n  await replaceFile(found.realPath, bytes, { expected: identity });',
    replace:
      '  await replaceFile(found.realPath, bytes, { expected: identity });\n  await context.keepFile(found.realPath);',
    tests: ['agent/tools/edit'],
  },
  {
    id: 'tools-edit-overwrites-a-newer-file',
    file: 'src/agent/tools/change-file.ts',
    find: 'bytes, { expected: identity });',
    replace: 'bytes);',
    tests: ['agent/tools/edit'],
  },
  {
    id: 'web-home-network-is-public',
    file: 'src/agent/tools/private-address.ts',
    find: "  ['192.168.0.0', 16],\n",
    replace: '',
    tests: ['agent/tools/web'],
  },
  {
    id: 'web-6to4-is-public',
    file: 'src/agent/tools/private-address.ts',
    find: "  ['2002::', 16],\n",
    replace: '',
    tests: ['agent/tools/web'],
  },
  {
    id: 'web-looks-at-the-first-address-only',
    file: 'src/agent/tools/fetch-page.ts',
    find: 'addresses.find(({ address }) => isPrivateAddress(address))',
    replace: 'addresses.slice(0, 1).find(({ address }) => isPrivateAddress(address))',
    tests: ['agent/tools/web'],
  },
  {
    id: 'web-follows-redirects-to-other-ports',
    file: 'src/agent/tools/fetch-page.ts',
    find: '(isUpgrade || (from.protocol === to.protocol && from.port === to.port))',
    replace: 'true',
    tests: ['agent/tools/web'],
  },
  {
    id: 'web-page-twice-the-limit',
    file: 'src/agent/tools/fetch-page.ts',
    find: 'const decoded = decompress(response);',
    replace: 'const decoded = decompress(response);\n  size = -limits.web.bodyBytes;',
    tests: ['agent/tools/web'],
  },
  {
    id: 'background-close-forgets-what-commands-left',
    file: 'src/agent/tools/background.ts',
    find: 'for (const shell of adopted) shell.kill();',
    replace: 'for (const shell of adopted) this.adopted.delete(shell);\n    adopted.length = 0;',
    tests: ['agent/tools/bash'],
  },
  {
    id: 'background-watcher-does-not-kill',
    file: 'src/agent/guarded-process.ts',
    find: 'read -r line <&3 || kill -s KILL -- -$$;',
    replace: 'read -r line <&3 || true;',
    tests: ['agent/tools/left-behind'],
  },
  {
    id: 'skill-commands-run-where-they-would-be-asked-for',
    file: 'src/agent/inline-shell.ts',
    find: ".kind !== 'allow') return undefined;",
    replace: ".kind === 'deny') return undefined;",
    tests: ['agent/inline-shell'],
  },
  {
    id: 'instructions-from-a-folder-open-to-all',
    file: 'src/agent/context/memory.ts',
    find: '& 0o002) !== 0;',
    replace: '& 0o002) < 0;',
    tests: ['agent/context/memory'],
  },
];

export const mutants = [...permission, ...hooksAndServers, ...session, ...loop, ...tools];
