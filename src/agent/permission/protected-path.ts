// Which files are never changed, and which are never read, without a person's word: those that run code later (hooks,
// shell and editor settings, our own rules) and those that hold credentials.
import { foldName } from '../wildcard.ts';

const programs = [
  ['.git', 'the repository itself'],
  ['.claude', 'settings of the agent'],
  ['.claude.json', 'settings of the agent'],
  ['.mcp.json', 'servers that the agent starts'],
  ['.husky', 'hooks of the repository'],
  ['.githooks', 'hooks of the repository'],
  ['.gitconfig', 'settings of git'],
  ['.gitmodules', 'settings of git'],
  ['.vscode', 'settings of an editor'],
  ['.idea', 'settings of an editor'],
  ['.devcontainer', 'settings of an editor'],
  ['.envrc', 'a file the shell runs'],
  ['config.fish', 'a file the shell runs'],
  ['.ripgreprc', 'settings of a search'],
  ['.yarnrc', 'settings of a package manager'],
  ['.yarnrc.yml', 'settings of a package manager'],
  ['.pnp.cjs', 'settings of a package manager'],
] as const;

const shellFiles =
  /^\.(?:bash|zsh|ksh|csh|tcsh)(?:rc|env|_profile|_login|_logout|_aliases)$|^\.(?:profile|zprofile|zlogin|zlogout|login|logout|inputrc|xinitrc|xprofile)$/;

const secretNames = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.netrc',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.git-credentials',
  '.docker',
];
const secretFiles = /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|p12|pfx|key|keystore|jks))$/;
const exampleEnv = /\.(?:example|sample|template|dist|defaults?)$/;

const changes: ReadonlyMap<string, string> = new Map(programs);

/** What is special about changing the file, or `undefined`. */
export function changeProtection(names: readonly string[]): string | undefined {
  for (const name of names.map(foldName)) {
    const what = changes.get(name) ?? (shellFiles.test(name) ? 'a file the shell runs' : undefined);
    if (what !== undefined) return what;
  }
  return readProtection(names);
}

/** What is special about reading the file, or `undefined`. */
export function readProtection(names: readonly string[]): string | undefined {
  const folded = names.map(foldName);
  if (folded.some((name) => secretNames.includes(name))) return 'it may hold credentials';
  const last = folded.at(-1) ?? '';
  const isEnv = (last === '.env' || last.startsWith('.env.')) && !exampleEnv.test(last);
  return isEnv || secretFiles.test(last) ? 'it may hold credentials' : undefined;
}
