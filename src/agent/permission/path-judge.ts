// A file that a call would read or write → a ruling. A path is looked at as written and as the disk resolves it: a rule
// that forbids holds for either, a rule that allows must hold for both.
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { PathPolicy } from '../confinement.ts';
import type { PermissionMode } from '../permission-mode.ts';
import { matchesPath } from '../wildcard.ts';
import { changeProtection, readProtection } from './protected-path.ts';
import { followLinks, isWithin } from './real-path.ts';
import type { Rule, RuleKind } from './rule.ts';
import { allow, ask, deny, type Ruling } from './ruling.ts';

export interface Places {
  readonly projectDir: string;
  readonly extraDirs: readonly string[];
  /** Read without asking, never written: what the agent itself put away for the model. */
  readonly readableDirs: readonly string[];
  readonly home: string;
  /** The user's `.claude` folder, whatever its name. */
  readonly root: string | undefined;
}

export interface PathUse {
  readonly access: 'read' | 'write';
  /** Whose rules apply, as the documentation has it: `Edit` rules for everything that writes. */
  readonly tools: readonly string[];
  readonly file: string;
  /** Every folder a relative path may be seen from. */
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
  const denied = findPathRule('deny', use, forms, context);
  if (denied !== undefined) return deny(`${shown} is denied by the rule ${denied.text} (${denied.source})`);
  const asked = findPathRule('ask', use, forms, context);
  if (asked !== undefined) return ask(`the rule ${asked.text} (${asked.source}) asks for ${shown}`, isRead);
  if (forms.includes(undefined)) return ask(`links lead in circles at ${use.file}`, isRead);
  const files = forms.filter((form) => form !== undefined);
  const special = protectionOf(files, use, context.places);
  const allowed = findPathRule('allow', use, files, context);
  const opens = allowed !== undefined && (special === undefined || (isRead && allowed.specifier !== undefined));
  if (opens) return allow(`the rule ${allowed.text} (${allowed.source}) allows it`, isRead);
  const verb = isRead ? 'reads' : 'writes';
  if (special !== undefined) return ask(`${verb} ${shown}: ${special}`, isRead);
  return judgePlace(files, use, context, shown);
}

function judgePlace(files: readonly string[], use: PathUse, { places, mode }: PathContext, shown: string): Ruling {
  const isRead = use.access === 'read';
  const dirs = [places.projectDir, ...places.extraDirs, ...(isRead ? places.readableDirs : [])].flatMap(bothWays);
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

/** None for the root of the disk, and none for names that a pattern would read as something else. */
function fileRule(tool: string, file: string): readonly string[] {
  return file === '/' || /[*?[\]\\()]/.test(file) ? [] : [`${tool}(/${file})`];
}

function protectionOf(files: readonly string[], { access }: PathUse, places: Places): string | undefined {
  const dirs = [places.projectDir, ...places.extraDirs].flatMap(bothWays);
  for (const file of files) {
    if (access === 'write' && places.root !== undefined && bothWays(places.root).some((root) => isWithin(root, file)))
      return 'settings of the agent';
    // A project may itself live in a folder with such a name; what counts is the way from there.
    const home = dirs.find((dir) => isWithin(dir, file));
    const names = (home === undefined ? file : path.relative(home, file)).split('/');
    const special = access === 'write' ? changeProtection(names) : readProtection(names);
    if (special !== undefined) return special;
  }
  return undefined;
}

/** Every absolute path that the text may stand for; `undefined` for one that leads in circles. */
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
    // Who may not see a file may not change it either: an edit shows what was there.
    const isHidden = kind === 'deny' && rule.tool === 'Read' && rule.specifier !== undefined;
    if (!use.tools.includes(rule.tool) && !isHidden) return false;
    if (rule.specifier === undefined) return true;
    const matches = fileMatcher(rule.specifier, kind, use.cwds, places);
    const hits = (file: string | undefined): boolean => file !== undefined && matches(file);
    return kind === 'allow' ? forms.every(hits) : forms.some(hits);
  });
}

/** `//x` from the root of the disk, `~/x` from home, `/x` from the project, `x` and `./x` from the working folder. */
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

/** The same rules for everything that does not come as a call: what a sandbox hides and protects. */
export function makePolicy(places: Places, rules: readonly Rule[]): PathPolicy {
  const compile = (kind: RuleKind, tools: readonly string[]) =>
    rules.flatMap(({ specifier, ...rule }) =>
      rule.kind === kind && tools.includes(rule.tool) && specifier !== undefined
        ? [{ specifier, matches: fileMatcher(specifier, kind, [], places) }]
        : [],
    );
  const compileAll = () => ({
    version: rules.length,
    denied: compile('deny', ['Read']),
    fixed: compile('deny', ['Edit', 'Write']),
    opened: compile('allow', ['Read']),
  });
  let compiled = compileAll();
  const current = (): typeof compiled => {
    if (compiled.version !== rules.length) compiled = compileAll();
    return compiled;
  };
  const dirs = [places.projectDir, ...places.extraDirs].flatMap(bothWays).sort((a, b) => b.length - a.length);
  const namesOf = (file: string): readonly string[] =>
    file.slice(dirs.find((dir) => isWithin(dir, file))?.length ?? 0).split('/');
  const isDenied = (file: string): boolean => current().denied.some(({ matches }) => matches(file));
  const isOpened = (file: string): boolean => current().opened.some(({ matches }) => matches(file));
  return {
    version: () => rules.length,
    isDenied,
    isHidden: (file) => isDenied(file) || (readProtection(namesOf(file)) !== undefined && !isOpened(file)),
    isGuarded: (file) =>
      changeProtection(namesOf(file)) !== undefined || current().fixed.some(({ matches }) => matches(file)),
    deniedElsewhere: () =>
      current().denied.flatMap(({ specifier, matches }) =>
        namedFiles(specifier, places).filter((file) => matches(file) || matches(`${file}/\u0001`)),
      ),
  };
}

/** The files that a rule from the root of the disk or from home names: one, or those of one folder. */
function namedFiles(specifier: string, places: Places): readonly string[] {
  if (!/^(?:\/\/|~\/)/.test(specifier)) return [];
  const [[base = '/'], pattern] = anchorOf(specifier, [], places);
  const file = path.join(base, pattern.replace(/\/\*\*$/, ''));
  if (!/[*?[]/.test(file)) return [file];
  const folder = path.dirname(file);
  return /[*?[]/.test(folder) ? [] : listNames(folder).map((name) => path.join(folder, name));
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
  // What forbids holds wherever the shell stands; what allows only from where the session began.
  return [[places.projectDir, ...cwds], specifier];
}

/** A folder as named and as it really is: `/tmp` may be `/private/tmp`. */
function bothWays(folder: string): readonly string[] {
  const real = followLinks(folder);
  return real === undefined || real === folder ? [folder] : [folder, real];
}
