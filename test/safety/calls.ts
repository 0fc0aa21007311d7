// The calls that are watched, as lines: `{name}` is a session of the hostile place or one of its folders, `&&` separates
// calls that come before the watched one.

export interface WatchedLine {
  readonly line: string;
  readonly input?: string;
  /** It runs until it is stopped. */
  readonly isEndless?: boolean;
  readonly isInTerminal?: boolean;
  /** Stopped before it could do all that its row allows, or without the occasion to. */
  readonly isPartly?: boolean;
  /** The exit code, if not 0. */
  readonly status?: number;
}

/** At least one for every row of docs/safety.md; together they do everything that the row allows. */
/** Every tool, so that everything that they read is watched. */
const mcpInput = [
  {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'watch', version: '1' } },
  },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/call', params: { name: 'search', arguments: { query: 'a' } } },
  { id: 3, method: 'tools/call', params: { name: 'read', arguments: { reference: '{sound}' } } },
  { id: 4, method: 'tools/call', params: { name: 'outline', arguments: {} } },
  { id: 5, method: 'tools/call', params: { name: 'usage', arguments: {} } },
]
  .map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  .join('');

export const everyCall: readonly WatchedLine[] = [
  { line: 'rm {sound} --yes && why source.ts' },
  // The working folder is not in a repository.
  { line: 'log', status: 2, isPartly: true },
  { line: 'chat', input: 'hello\r', isEndless: true, isInTerminal: true, isPartly: true },
  { line: 'print Write.the.file --permission-mode acceptEdits --allowedTools Read' },
  'print Go.on --resume {sound}',
  { line: 'print Go --no-session-persistence', isPartly: true },
  { line: 'print Go --debug-file {out}/debug.log', isPartly: true },
  ...[
    'ls',
    'ls --expiring',
    'rm {sound} --yes && ls --deleted',
    'show {sound}',
    'ls && show {sound}',
    'context {sound}',
    'messages {sound}',
    'cat {sound}',
    'find first',
    'rm {sound} --yes && find --deleted use',
    'index',
    'usage daily',
  ],
  { line: 'find first --store postgres://ada@127.0.0.1:9/clew', isPartly: true, status: 1 },
  ...['prices', { line: 'prices update {input}/prices.json', isPartly: true }],
  'prices update {input}/prices.json --dry-run',
  ...['guard set --hard 5', 'guard set --hard 5 && guard status', 'guard set --hard 5 && guard off'],
  { line: 'guard --soft 0.01', input: '{"transcript_path":"{sound file}","hook_event_name":"PreToolUse"}' },
  { line: 'statusline', input: '{"transcript_path":"{sound file}","session_id":"{sound}"}' },
  ...['archive', 'archive --auto', 'archive && archive --list', 'archive && archive --verify', 'archive --dry-run'],
  ...['archive {sound}', 'archive {sound} && undo', 'rm {sound} --yes && undo', 'star {sound} && undo'],
  ...['star {sound}', 'star {sound} && star {sound} --remove', 'star'],
  ...['rm {sound} --yes && restore {sound}', 'archive && tag {sound} x && restore {sound} --force'],
  ...['archive && restore {sound} --to {out}/back', 'rm {sound} --yes && restore {sound} --dry-run'],
  ...['rm {sound} --yes --no-archive && recover {sound}', 'rm {sound} --yes && recover {sound} --output {out}/one.md'],
  'rm {sound} --yes --no-archive && recover {sound} --session',
  'rm {sound} --yes --no-archive && recover {sound} --session --dry-run',
  ...['rm {sound} --yes', 'rm --empty --yes', 'rm {sound} --yes --no-archive', 'rm {sound} --dry-run'],
  ...['fork {sound}', 'fork {sound} --at 1 --to {out} --title new', 'fork {sound} --dry-run'],
  ...['strip {sound}', 'strip {sound} --tools', 'strip {sound} --tools --in-place', 'strip {sound} --tools --dry-run'],
  ...['strip {sound} --tools --in-place --dry-run', 'compress {sound} --keep-turns 1 --in-place --dry-run'],
  ...['rewind {sound} --to 1 --in-place --dry-run', 'redact {sound} --in-place --dry-run'],
  'doctor {hostile names} --fix --yes --in-place --dry-run',
  ...[
    'compress {sound} --keep-turns 1 --summary-file {input}/summary.md',
    'compress {sound} --keep-turns 1 --in-place',
  ],
  ...['compress {sound} --keep-turns 1 --dry-run', 'compress {sound} --keep-turns 1 --api'],
  'compress {sound} --keep-turns 1 --api --in-place',
  ...[
    'move {work} {out}',
    'move {sound} --to {out}',
    'move {sound} --to {out} --copy',
    'move {sound} --to {out} --dry-run',
  ],
  ...['rewind {sound} --to 1', 'rewind {sound} --to 1 --in-place', 'rewind {sound} --to 1 --dry-run'],
  ...[
    'graft {sound} {twin}',
    'graft {sound} {twin} --dry-run',
    'merge {sound} {twin}',
    'merge {sound} {twin} --dry-run',
  ],
  ...['split {sound} --at 1', 'split {sound} --at 1 --dry-run', 'rename {sound} new', 'rename {sound} new --dry-run'],
  ...['tag {sound} new', 'tag {sound} new --dry-run'],
  ...['bundle {sound} --output {out}/one.clew', 'bundle {sound} --output {out}/one.clew --dry-run'],
  // The copies of files of this session are not for an import without --all-files.
  { line: 'bundle {sound} --output {input}/one.clew && import {input}/one.clew', isPartly: true },
  'bundle {sound} --output {input}/one.clew && import {input}/one.clew --dry-run',
  ...['redact {sound} --rules {input}/rules.json', 'redact {sound} --dry-run', 'redact --check --all'],
  ...['archive && redact {sound} --in-place'],
  { line: 'ls && archive && strip {sound} --thinking --in-place && redact {sound} --in-place --no-backup', status: 1 },
  'redact {sound} --in-place --no-backup --dry-run',
  { line: 'archive && redact {sound} --in-place && redact --prove', status: 1 },
  { line: 'archive && redact {sound} --in-place && redact --prove --output {out}/proof.json', status: 1 },
  ...['fork {sound} && undo', 'redact {sound} --in-place && undo', 'fork {sound} && undo --dry-run'],
  ...['ls && archive && fork {sound} && fsck', 'ls && archive && fork {sound} && fsck --dry-run'],
  ...['fork {sound} && history', 'doctor {sound}', 'doctor --all', 'doctor {hostile names} --fix --yes'],
  ...['doctor {hostile names} --fix --yes --in-place', 'doctor {hostile names} --fix --yes --dry-run'],
  'doctor --client {input}/claude',
  // No session here has thinking that the API would refuse, so there is nothing to mark.
  { line: 'doctor {sound} --fix --mark --yes', isPartly: true },
  ...['export {sound}', 'export {sound} --output {out}/one.md', 'export --all --format parquet --output {out}/tables'],
  // There is no store at the address.
  {
    line: 'export --format parquet --store postgres://ada@127.0.0.1:9/clew --to {out}/lake',
    isPartly: true,
    status: 1,
  },
  {
    line: 'export --format parquet --store postgres://ada@127.0.0.1:9/clew --to {out}/lake --purge',
    isPartly: true,
    status: 1,
  },
  // Only after an interrupted call it deletes something.
  { line: 'setup --yes', isPartly: true },
  ...['setup --dry-run', 'setup --yes && setup --remove --yes', 'setup --status'],
  'setup --yes && setup --remove --dry-run',
  // There is no store at the address.
  { line: 'team status --to postgres://ada@127.0.0.1:9/clew', isPartly: true, status: 1 },
  { line: 'open --no-browser --store postgres://ada@127.0.0.1:9/clew', isPartly: true, status: 1 },
  { line: 'team forget ada --dry-run --to postgres://ada@127.0.0.1:9/clew', isPartly: true, status: 1 },
  ...['ls', 'usage', 'stats', 'show {sound}', 'messages {sound}', 'cat {sound}', 'export {sound}']
    .concat('export {sound} --output {out}/one.md', 'restore {sound}', 'restore {sound} --dry-run')
    .map((line) => ({ line: `${line} --store postgres://ada@127.0.0.1:9/clew`, isPartly: true, status: 1 })),
  ...['stats', 'trace', 'trace install', 'trace install --dry-run', 'trace install && trace uninstall'],
  ...['trace install && trace uninstall --dry-run', 'trace backfill', 'trace backfill --dry-run'],
  ...['trace backfill --compat', 'trace backfill && trace flush', 'trace explain {sound}', 'completion bash'],
  ...['trace test', 'trace mute {sound}', 'trace mute {sound} && trace unmute {sound}'],
  { line: 'trace hook', input: '{"hook_event_name":"Stop","session_id":"{sound}","transcript_path":"{sound file}"}' },
  { line: 'archive && mcp --all-projects', input: mcpInput },
  { line: 'mcp --all-projects --store postgres://ada@127.0.0.1:9/clew', input: mcpInput, isPartly: true },
  ...['watch', 'tail', 'replay {sound}'].map((line) => ({ line, isEndless: true })),
  { line: 'trace retry', isPartly: true },
  // Nobody listens there: the tests of the gateway have a store.
  ...['', ' status', ' retry', ' key list', ' --forward http://127.0.0.1:2'].map((rest) => ({
    line: `team gateway${rest} --to postgres://ada@127.0.0.1:9/clew`,
    status: 1,
    isPartly: true,
  })),
  // Nothing is shared, so that nothing is opened; test/team/push.slow.test.ts has a store.
  ...['push', 'push --dry-run', 'push --auto'].map((line) => ({
    line: `${line} --to postgres://ada@127.0.0.1:9/clew`,
    isPartly: true,
  })),
  // Without a page that asks for a dry run or an archived session.
  ...['open --no-browser', 'open --no-browser --allow-changes', 'trace follow'].map((line) => ({
    line,
    isEndless: true,
    isPartly: true,
  })),
].map((each): WatchedLine => (typeof each === 'string' ? { line: each } : each));

/** One for each way in which a session is written, copied or deleted; SESSION is filled in. The last one deletes it. */
export const changingCalls: readonly string[] = [
  'fork SESSION',
  'tag SESSION new',
  'rename SESSION new',
  'strip SESSION --tools --in-place',
  'compress SESSION --keep-turns 1 --in-place',
  'rewind SESSION --to 1 --in-place',
  'doctor SESSION --fix --yes --in-place',
  'redact SESSION --in-place',
  'undo',
  'graft SESSION {twin}',
  'bundle SESSION --output {out}/one.clew',
  'import {out}/one.clew',
  'export SESSION --output {out}/one.html --format html',
  'move SESSION --to {out}',
  'archive',
  'archive SESSION',
  'star SESSION',
  'restore SESSION --force',
  'rm SESSION --yes',
  'restore SESSION',
  'redact SESSION --in-place --no-backup',
  'rm SESSION --yes --no-archive',
];
