// Files that are never changed or read without asking: those that run code later (hooks, shell and editor settings, our
// own rules) and those that contain credentials.
import { foldName } from '../access/wildcard.ts';

const programs = {
  'the repository itself': '.git',
  'settings of the agent': '.claude .claude.json',
  'servers that the agent starts': '.mcp.json',
  'hooks of the repository': '.husky .githooks',
  'settings of git': '.gitconfig .gitmodules',
  'settings of an editor': '.vscode .idea .devcontainer',
  'a file the shell runs': '.envrc config.fish',
  'settings of a search': '.ripgreprc',
  'settings of a package manager': '.yarnrc .yarnrc.yml .pnp.cjs',
};

const shellFiles =
  /^\.(?:bash|zsh|ksh|csh|tcsh)(?:rc|env|_profile|_login|_logout|_aliases)$|^\.(?:profile|zprofile|zlogin|zlogout|login|logout|inputrc|xinitrc|xprofile)$/;

const secretNames = '.ssh .gnupg .aws .azure .kube .netrc .npmrc .pypirc .pgpass .git-credentials .docker'.split(' ');
const secretFiles = /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|.*\.(?:pem|p12|pfx|key|keystore|jks))$/;
const exampleEnv = /\.(?:example|sample|template|dist|defaults?)$/;

const changes: ReadonlyMap<string, string> = new Map(
  Object.entries(programs).flatMap(([what, names]) => names.split(' ').map((name) => [name, what])),
);

/** Why changing the file is special, or `undefined`. */
export function changeProtection(names: readonly string[]): string | undefined {
  for (const name of names.map(foldName)) {
    const what = changes.get(name) ?? (shellFiles.test(name) ? 'a file the shell runs' : undefined);
    if (what !== undefined) return what;
  }
  return readProtection(names);
}

/** Why reading the file is special, or `undefined`. */
export function readProtection(names: readonly string[]): string | undefined {
  const folded = names.map(foldName);
  if (folded.some((name) => secretNames.includes(name))) return 'it may hold credentials';
  const last = folded.at(-1) ?? '';
  const isEnv = (last === '.env' || last.startsWith('.env.')) && !exampleEnv.test(last);
  return isEnv || secretFiles.test(last) ? 'it may hold credentials' : undefined;
}
