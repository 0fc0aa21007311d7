// A file that a call reads or writes → a ruling. The path counts as written and as the disk resolves it: a deny rule
// holds if either matches, an allow rule only if both match.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { followLinks, isWithin, realPath } from '../../base/files/index.ts';
import { foldName, matchesPath } from '../access/index.ts';
import type { PathPolicy, PermissionMode } from '../contract/index.ts';
import { allow, ask, fromRule, type Rule, type RuleKind, type Ruling } from './rule.ts';

export interface Places {
  readonly projectDir: string;
  readonly extraDirs: readonly string[];
  /** Readable without asking, never written: the agent's stored results. */
  readonly readableDirs: readonly string[];
  readonly home: string;
  /** The user's `.claude` folder, whatever its name. */
  readonly root: string | undefined;
  /** The project and the additional folders, as named and with links resolved. */
  readonly dirs: readonly string[];
}

/** `extraDirs` may change while the agent runs. */
export function makePlaces(named: Omit<Places, 'dirs'>): Places {
  let known: { readonly folders: readonly string[]; readonly dirs: readonly string[] } | undefined;
  return {
    ...named,
    get dirs() {
      const folders = [named.projectDir, ...named.extraDirs];
      if (known === undefined || known.folders.join('\0') !== folders.join('\0'))
        known = { folders, dirs: folders.flatMap(bothWays) };
      return known.dirs;
    },
  };
}

export interface PathUse {
  readonly access: 'read' | 'write';
  /** As documented: `Edit` rules apply to everything that writes. */
  readonly tools: readonly string[];
  readonly file: string;
  /** Every folder that a relative path may start from. */
  readonly cwds: readonly string[];
}

export interface PathContext {
  readonly places: Places;
  readonly rules: readonly Rule[];
  readonly mode: PermissionMode;
}

export function judgePath(use: PathUse, context: PathContext): Ruling {
  const isRead = use.access === 'read';
  if (use.file.includes('\0')) return ask('its path contains a NUL character', isRead);
  const forms = pathForms(use.file, use.cwds, context.places.home);
  const shown = forms[0] ?? use.file;
  const stop = findPathRule('deny', use, forms, context) ?? findPathRule('ask', use, forms, context);
  if (stop !== undefined) return fromRule(stop, shown, isRead);
  if (forms.includes(undefined)) return ask(`links lead in circles at ${use.file}`, isRead);
  const files = forms.filter((form) => form !== undefined);
  const special = protectionOf(files, use, context.places);
  const allowed = findPathRule('allow', use, files, context);
  const opens = allowed !== undefined && (special === undefined || (isRead && allowed.specifier !== undefined));
  if (opens) return fromRule(allowed, shown, isRead);
  const verb = isRead ? 'reads' : 'writes';
  if (special !== undefined) return ask(`${verb} ${shown}: ${special}`, isRead);
  return judgePlace(files, use, context, shown);
}

function judgePlace(files: readonly string[], use: PathUse, { places, mode }: PathContext, shown: string): Ruling {
  const isRead = use.access === 'read';
  const dirs = isRead ? [...places.dirs, ...places.readableDirs.flatMap(bothWays)] : places.dirs;
  const outside = files.find((file) => !dirs.some((dir) => isWithin(dir, file)));
  if (outside !== undefined) {
    const via = outside === shown ? shown : `${shown}, a link to ${outside}`;
    const rules = files.flatMap((file) => fileRule(isRead ? 'Read' : 'Edit', file));
    return ask(`${isRead ? 'reads' : 'writes'} outside the project: ${via}`, isRead, rules);
  }
  if (isRead) return allow('it reads in the project', true);
  if (mode === 'acceptEdits') return allow('edits in the project are accepted', false);
  const isOwn = files.every((file) => bothWays(places.projectDir).some((dir) => isWithin(dir, file)));
  return ask(`changes ${shown}`, false, isOwn ? ['Edit(/**)'] : files.flatMap((file) => fileRule('Edit', file)));
}

/** None for the root of the disk, and none for names that contain pattern characters. */
function fileRule(tool: string, file: string): readonly string[] {
  return file === '/' || /[*?[\]\\()]/.test(file) ? [] : [`${tool}(/${file})`];
}

function protectionOf(files: readonly string[], { access }: PathUse, places: Places): string | undefined {
  const isWrite = access === 'write';
  const roots = isWrite && places.root !== undefined ? bothWays(places.root) : [];
  if (files.some((file) => roots.some((root) => isWithin(root, file)))) return 'settings of the agent';
  const protection = isWrite ? changeProtection : readProtection;
  return files.map((file) => protection(namesOf(file, places))).find((what) => what !== undefined);
}

/** The project itself may be in a folder with a protected name: only the path below it counts. */
function namesOf(file: string, { dirs }: Places): readonly string[] {
  const dir = dirs.find((each) => isWithin(each, file));
  return (dir === undefined ? file : path.relative(dir, file)).split('/');
}

/** All absolute paths that the text may mean; `undefined` for a loop of links. */
function pathForms(file: string, cwds: readonly string[], home: string): readonly (string | undefined)[] {
  const starts = /^~(?:\/|$)/.test(file) ? [`${home}${file.slice(1)}`] : [];
  const written = [...starts, ...cwds.map((cwd) => (file.startsWith('/') ? file : `${cwd}/${file}`))];
  const forms = written.flatMap((each) => [path.resolve(each), followLinks(each), followLinks(path.resolve(each))]);
  return [...new Set(forms)];
}

function findPathRule(
  kind: RuleKind,
  use: PathUse,
  forms: readonly (string | undefined)[],
  { places, rules }: PathContext,
): Rule | undefined {
  return rules.find((rule) => {
    if (rule.kind !== kind) return false;
    // A file that may not be read may not be changed either: an edit shows its content.
    const isHidden = kind === 'deny' && rule.tool === 'Read' && rule.specifier !== undefined;
    if (!use.tools.includes(rule.tool) && !isHidden) return false;
    if (rule.specifier === undefined) return true;
    const matches = fileMatcher(rule.specifier, kind, use.cwds, places);
    const hits = (file: string | undefined): boolean => file !== undefined && matches(file);
    return kind === 'allow' ? forms.every(hits) : forms.some(hits);
  });
}

/** `//x`: the root of the disk, `~/x`: home, `/x`: the project, `x` and `./x`: the working directory. */
function fileMatcher(
  specifier: string,
  kind: RuleKind,
  cwds: readonly string[],
  places: Places,
): (file: string) => boolean {
  const [bases, pattern] = anchorOf(specifier, kind === 'allow' ? [] : cwds, places);
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
  const isFloating =
    parts.length === 1 && !pattern.startsWith('/') && !pattern.startsWith('./') && !/^(?:\/\/|~)/.test(specifier);
  const ups = parts.findIndex((part) => part !== '..');
  const wanted = isFloating ? ['**', ...parts] : parts.slice(Math.max(ups, 0));
  const folders = bases
    .flatMap(bothWays)
    .map((base) => (ups > 0 ? path.resolve(base, ...parts.slice(0, ups)) : base).replace(/\/*$/, '/'));
  return (file) =>
    folders.some((folder) => {
      if (!`${file}/`.startsWith(folder)) return false;
      const names = file.slice(folder.length).split('/');
      return matchesPath(wanted, names[0] === '' ? [] : names, { ignoresCase: kind !== 'allow' });
    });
}

/** The same rules for what is not a call: what a sandbox hides and protects. */
/** `version`: a number that changes with the rules. */
export function makePolicy(places: Places, rules: readonly Rule[], version: () => number): PathPolicy {
  const matchers = new Map<Rule, (file: string) => boolean>();
  const matches = (rule: Rule, file: string): boolean => {
    const known = matchers.get(rule) ?? fileMatcher(rule.specifier ?? '', rule.kind, [], places);
    matchers.set(rule, known);
    return known(file);
  };
  const find = (kind: RuleKind, tools: readonly string[]): readonly Rule[] =>
    rules.filter((rule) => rule.kind === kind && tools.includes(rule.tool) && rule.specifier !== undefined);
  const isHit = (kind: RuleKind, tools: readonly string[], file: string): boolean =>
    find(kind, tools).some((rule) => matches(rule, file));
  const isDenied = (file: string): boolean => isHit('deny', ['Read'], file);
  return {
    version,
    isDenied,
    isHidden: (file) =>
      isDenied(file) || (readProtection(namesOf(file, places)) !== undefined && !isHit('allow', ['Read'], file)),
    isGuarded: (file) =>
      changeProtection(namesOf(file, places)) !== undefined || isHit('deny', ['Edit', 'Write'], file),
    deniesInProject: () => find('deny', ['Read']).some(({ specifier = '' }) => !isElsewhere(specifier)),
    deniedElsewhere: () =>
      find('deny', ['Read']).flatMap((rule) =>
        namedFiles(rule, places).filter((file) => matches(rule, file) || matches(rule, `${file}/\u0001`)),
      ),
  };
}

/** The files that a rule names by an absolute or home path: one file, or those of one folder. */
function namedFiles({ specifier = '' }: Rule, places: Places): readonly string[] {
  if (!isElsewhere(specifier)) return [];
  const [[base = '/'], pattern] = anchorOf(specifier, [], places);
  const file = path.join(base, pattern.replace(/\/\*\*$/, ''));
  const folder = path.dirname(file);
  if (!/[*?[]/.test(file)) return [file];
  return /[*?[]/.test(folder) ? [] : listNames(folder).map((name) => path.join(folder, name));
}

function isElsewhere(specifier: string): boolean {
  return /^(?:\/\/|~\/)/.test(specifier);
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function anchorOf(specifier: string, cwds: readonly string[], places: Places): readonly [readonly string[], string] {
  if (specifier.startsWith('//')) return [['/'], specifier.slice(1)];
  if (specifier.startsWith('~/')) return [[places.home], specifier.slice(1)];
  if (specifier.startsWith('/')) return [[places.projectDir], specifier];
  // A deny rule holds from every working directory; an allow rule only from the session's folder.
  return [[places.projectDir, ...cwds], specifier];
}

/** The folder as named and with links resolved: `/tmp` may be `/private/tmp`. */
function bothWays(folder: string): readonly string[] {
  return [...new Set([folder, realPath(folder)])];
}

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
