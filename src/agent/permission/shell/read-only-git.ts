// The uses of git that only read. Its configuration can name programs to run, so everything that picks another
// configuration or folder (-c, -C, --git-dir) is out, and so are the options that start one.
import { isAbbreviation } from './arguments.ts';

type GitCheck = (args: readonly string[]) => boolean;

const always: GitCheck = () => true;
const lists =
  /^(?:-[avrl]+|-vv|--(?:all|list|remotes|show-current|verbose|merged|no-merged|contains|sort=.*|format=.*|column|no-color))$/;

const commands: ReadonlyMap<string, GitCheck> = new Map<string, GitCheck>([
  ...['status', 'log', 'diff', 'show', 'rev-parse', 'describe', 'blame', 'shortlog', 'ls-files', 'ls-tree', 'grep'].map(
    named,
  ),
  ...['rev-list', 'merge-base', 'name-rev', 'show-ref', 'for-each-ref', 'count-objects', 'check-ignore', 'cherry'].map(
    named,
  ),
  ...['diff-tree', 'cat-file', 'show-branch', 'version', '--version'].map(named),
  ['branch', (args) => args.every((arg) => lists.test(arg)) || isListing(args)],
  ['tag', (args) => args.length === 0 || isListing(args)],
  ['remote', (args) => args.every((arg) => arg === '-v') || args[0] === 'get-url'],
  ['reflog', (args) => args.length === 0 || args[0] === 'show'],
  ['stash', (args) => args[0] === 'list' || args[0] === 'show'],
  ['worktree', (args) => args[0] === 'list'],
  ['config', (args) => /^(?:--get|--get-all|--get-regexp|--list|-l)$/.test(args[0] ?? '')],
]);

const starters = [
  'output',
  'output-directory',
  'ext-diff',
  'textconv',
  'filters',
  'batch-command',
  'open-files-in-pager',
  'exec',
  'upload-pack',
  'no-index',
  'file',
  'git-dir',
  'contents',
];

export function checkGit(args: readonly string[]): string | undefined {
  const first = args.findIndex((arg) => arg !== '--no-pager' && arg !== '--no-optional-locks');
  const name = args[first];
  const rest = args.slice(first + 1);
  if (name === undefined) return undefined;
  if (name.startsWith('-') && name !== '--version') return `git ${name} may run programs of another configuration`;
  const check = commands.get(name);
  if (check === undefined || !check(rest)) return `git ${name} may change the repository`;
  const bad = rest.find((arg) =>
    arg.startsWith('--') ? isAbbreviation(arg, starters) : name === 'grep' && /^-[a-zA-Z]*[Of]/.test(arg),
  );
  return bad === undefined ? undefined : `git ${name} ${bad} does more than read the repository`;
}

function isListing(args: readonly string[]): boolean {
  return (
    args.some((arg) => arg === '--list' || arg === '-l') && args.every((arg) => !arg.startsWith('-') || lists.test(arg))
  );
}

function named(name: string): [string, GitCheck] {
  return [name, always];
}
