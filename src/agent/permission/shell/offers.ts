// A command that had to be asked for → the rule that would allow its like: the command with its subcommand where that
// says what it does, and the very text where the name alone would open too much.
import { allowText, isHarmless } from './command-text.ts';
import { isLiteral, type ShellCommand } from './script.ts';

const withSubcommand: ReadonlySet<string> = new Set([
  ...[
    'git',
    'npm',
    'pnpm',
    'yarn',
    'bun',
    'deno',
    'cargo',
    'go',
    'docker',
    'kubectl',
    'pip',
    'pip3',
    'poetry',
    'uv',
    'gh',
  ],
  ...[
    'dotnet',
    'mvn',
    'gradle',
    'terraform',
    'helm',
    'brew',
    'apt',
    'apt-get',
    'systemctl',
    'aws',
    'gcloud',
    'az',
    'npx',
    'pnpx',
    'make',
    'just',
    'bundle',
    'rails',
    'composer',
    'mix',
    'swift',
    'flutter',
    'rustup',
    'nix',
    'conda',
  ],
]);
const runsScripts: ReadonlySet<string> = new Set([
  'npm run',
  'pnpm run',
  'yarn run',
  'bun run',
  'npm exec',
  'uv run',
  'poetry run',
  'docker compose',
  'cargo run',
  'bundle exec',
  'go run',
]);
/** Their first word says nothing about what they will do. */
const tooBroad: ReadonlySet<string> = new Set([
  ...[
    'bash',
    'sh',
    'zsh',
    'dash',
    'ksh',
    'fish',
    'python',
    'python3',
    'node',
    'perl',
    'ruby',
    'php',
    'lua',
    'osascript',
    'awk',
    'sed',
  ],
  ...[
    'sudo',
    'doas',
    'su',
    'env',
    'xargs',
    'eval',
    'exec',
    'find',
    'ssh',
    'scp',
    'rsync',
    'curl',
    'wget',
    'nc',
    'rm',
    'dd',
    'chmod',
    'chown',
    'mv',
    'cp',
    'ln',
    'tee',
    'source',
    '.',
    'trap',
    'alias',
    'export',
    'watch',
    'kill',
    'pkill',
    'killall',
    'setsid',
    'parallel',
    'flock',
    'script',
  ],
]);

export function offerRules(command: ShellCommand): readonly string[] {
  const words = command.words.map(({ value }) => value);
  const [name = '', second = '', third = ''] = words;
  if (!command.words.every(isLiteral) || !command.assignments.every(isHarmless)) return exactRule(command);
  const isSub = (word: string): boolean => /^[a-z][\w:.-]*$/i.test(word);
  if (!/^[\w./+-]+$/.test(name) || tooBroad.has(name.replace(/^.*\//, ''))) return exactRule(command);
  if (!withSubcommand.has(name)) return [`Bash(${name}:*)`];
  if (runsScripts.has(`${name} ${second}`))
    return isSub(third) ? [`Bash(${name} ${second} ${third}:*)`] : exactRule(command);
  return isSub(second) ? [`Bash(${name} ${second}:*)`] : exactRule(command);
}

/** None where the text would be read as a pattern, or could be mistaken for two rules. */
function exactRule(command: ShellCommand): readonly string[] {
  const text = allowText(command);
  return /[*()\n]/.test(text) || text.length > 300 ? [] : [`Bash(${text})`];
}
