// Flags of `clew -p` and `clew chat` → options of the agent. Files that a flag names are read here, so that a mistake
// is reported before a session is touched.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  type AgentOptions,
  isPermissionMode,
  type PermissionMode,
  permissionModes,
  type SettingSource,
  settingSources,
} from '../../agent/contract/index.ts';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { isObject, type JsonObject, parseJson } from '../../base/json/index.ts';
import { type CommandInput, type FlagValues, listFlag, textFlag } from '../command/index.ts';
import { unsupportedFlags } from '../flags/index.ts';
import { type ModelOptions, modelOptions } from './model-options.ts';

type FlagOptions = Pick<
  AgentOptions,
  | 'agent'
  | 'agents'
  | 'addDirs'
  | 'allowedTools'
  | 'appendSystemPrompt'
  | 'betas'
  | 'builtInTools'
  | 'disallowedTools'
  | 'isMcpStrict'
  | 'mcpConfig'
  | 'mode'
  | 'model'
  | 'settings'
  | 'settingSources'
  | 'systemPrompt'
  | 'title'
> &
  ModelOptions;

export function agentOptions({ flags, io }: CommandInput): FlagOptions {
  refuseUnsupported(flags);
  const text = (name: string) => textFlag(flags, name);
  return {
    allowedTools: splitRules(listFlag(flags, 'allowedTools')),
    disallowedTools: splitRules(listFlag(flags, 'disallowedTools')),
    addDirs: listFlag(flags, 'add-dir'),
    mcpConfig: listFlag(flags, 'mcp-config'),
    ...given('model', text('model')),
    ...given('mode', modeOf(flags)),
    ...given('systemPrompt', promptText('system-prompt', flags, io.cwd)),
    ...given('appendSystemPrompt', promptText('append-system-prompt', flags, io.cwd)),
    ...given('builtInTools', toolNames(flags)),
    ...given('agents', jsonFlag('agents', flags, io.cwd)),
    ...given('agent', text('agent')),
    ...given('settings', jsonFlag('settings', flags, io.cwd)),
    ...given('settingSources', sourcesOf(text('setting-sources'))),
    ...(flags['strict-mcp-config'] === true ? { isMcpStrict: true } : {}),
    ...given('title', text('name')),
    ...given('betas', betasOf(flags)),
    ...modelOptions(flags),
  };
}

function refuseUnsupported(flags: FlagValues): void {
  for (const { flag, instead } of unsupportedFlags) {
    const value = flags[flag.name.replace(/^--/, '')];
    if (value !== undefined && value !== false) throw new UserError(`Clew does not support ${flag.name}`, instead);
  }
}

function modeOf(flags: FlagValues): PermissionMode | undefined {
  const named = textFlag(flags, 'permission-mode');
  if (flags['dangerously-skip-permissions'] === true) return 'bypassPermissions';
  if (named === undefined || isPermissionMode(named)) return named;
  // The name that the client's help gives the default mode.
  if (named === 'manual') return 'default';
  const choices = permissionModes.join(', ');
  if (named === 'auto')
    throw new UserError('Clew does not support --permission-mode auto: no model approves calls', `choose ${choices}`);
  throw new UserError(`--permission-mode does not know "${named}"`, `choose ${choices}`);
}

/** `undefined` if the flag is not given; "default" is every tool. */
function toolNames(flags: FlagValues): readonly string[] | undefined {
  if (flags.tools === undefined) return undefined;
  const names = splitRules(listFlag(flags, 'tools'));
  return names.includes('default') ? undefined : names;
}

function sourcesOf(list: string | undefined): readonly SettingSource[] | undefined {
  if (list === undefined) return undefined;
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.map((name) => {
    const source = settingSources.find((each) => each === name);
    if (source !== undefined) return source;
    throw new UserError(`--setting-sources does not know "${name}"`, `choose ${settingSources.join(', ')}, or ""`);
  });
}

/** The beta that the client accepts from a user with an API key. */
const knownBetas = ['context-1m-2025-08-07'];

function betasOf(flags: FlagValues): readonly string[] | undefined {
  if (flags.betas === undefined) return undefined;
  return splitRules(listFlag(flags, 'betas')).map((beta) => {
    if (knownBetas.includes(beta)) return beta;
    throw new UserError(`--betas does not know "${beta}"`, `choose ${knownBetas.join(', ')}, or leave it out`);
  });
}

/** The text of `--NAME`, or of the file of `--NAME-file`. */
function promptText(name: string, flags: FlagValues, cwd: string): string | undefined {
  const text = textFlag(flags, name);
  const file = textFlag(flags, `${name}-file`);
  if (text !== undefined && file !== undefined)
    throw new UserError(`--${name} and --${name}-file exclude each other`, 'use one of them');
  return file === undefined ? text : readFlagFile(`--${name}-file`, file, cwd);
}

/** The JSON object of a flag, written out or in a file. */
export function jsonFlag(name: string, flags: FlagValues, cwd: string): JsonObject | undefined {
  const value = textFlag(flags, name);
  if (value === undefined) return undefined;
  const isJson = value.trimStart().startsWith('{');
  const parsed = parseJson((isJson ? value : readFlagFile(`--${name}`, value, cwd)).replace(/^\uFEFF/, ''));
  if (isObject(parsed)) return parsed;
  const what = isJson ? 'the value' : value;
  throw new UserError(`${what} of --${name} is not a JSON object`, `check it, for example with \`jq . FILE\``);
}

const maxFileBytes = 4 * 1024 * 1024;

function readFlagFile(flag: string, file: string, cwd: string): string {
  try {
    const bytes = readFileSync(path.resolve(cwd, file));
    if (bytes.length <= maxFileBytes) return bytes.toString('utf8');
  } catch (error) {
    throw new UserError(
      `cannot read ${file} (${systemErrorCode(error) ?? String(error)})`,
      `check the path of ${flag}`,
    );
  }
  throw new UserError(`${file} is larger than 4 MB`, `give ${flag} a smaller file`);
}

/** An option that was not given is absent, not undefined. */
export function given<K extends string, V>(key: K, value: V | undefined): { readonly [k in K]?: V } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [k in K]: V }); // one computed key
}

export function splitRules(words: readonly string[]): readonly string[] {
  return words.flatMap(splitWord);
}

function splitWord(word: string): string[] {
  const rules: string[] = [];
  let rule = '';
  let depth = 0;
  for (const character of word) {
    if (character === '(') depth++;
    if (character === ')') depth = Math.max(0, depth - 1);
    if (depth === 0 && /[\s,]/.test(character)) {
      rules.push(rule);
      rule = '';
    } else rule += character;
  }
  return [...rules, rule].filter((each) => each !== '');
}
