// Whether the user trusts a folder. Clew keeps one file per trusted folder in its state folder; a folder that Claude
// Code recorded as trusted counts too.

import { createHash } from 'node:crypto';
import path from 'node:path';
import { UserError } from '../../base/errors/index.ts';
import {
  asObject,
  asString,
  isArray,
  isObject,
  type JsonObject,
  type JsonValue,
  parseJson,
} from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { shellQuote } from '../../base/text/index.ts';
import { stateFolder, writeNewFile } from '../../store/index.ts';
import { readText, realPath } from '../access/index.ts';
import { type Command, inlineCommandsOf, loadMemory, loadProjectAgents, loadProjectCommands } from '../prompt/index.ts';
import { findUserConfig, isGuardedVariable, type SettingsFiles, type SettingsSource } from '../settings/index.ts';

export interface TrustPlace {
  readonly cwd: string;
  /** The user's `.claude` folder. */
  readonly root: string;
  readonly home: string;
  readonly env: Environment;
}

const maxConfigBytes = 32 * 1024 * 1024;

/** Only this folder: trusting a folder does not trust the folders in it. */
export async function isFolderAccepted(place: TrustPlace): Promise<boolean> {
  const folder = await realPath(place.cwd);
  const own = asObject(parseJson((await readText(acceptanceFile(folder, place.env), maxConfigBytes)) ?? ''));
  if (own?.folder === folder) return true;
  const config = (await readText(findUserConfig(place.root, place.home), maxConfigBytes)) ?? '';
  const projects = asObject(asObject(parseJson(config))?.projects);
  return asObject(projects?.[folder])?.hasTrustDialogAccepted === true;
}

export async function acceptFolder({ cwd, env }: TrustPlace, now: Date): Promise<void> {
  const folder = await realPath(cwd);
  const content = `${JSON.stringify({ folder, acceptedAt: now.toISOString() })}\n`;
  try {
    await writeNewFile(acceptanceFile(folder, env), Buffer.from(content));
  } catch (error) {
    // Another session accepted it in the meantime.
    if (!(error instanceof UserError) || !(await isFolderAccepted({ cwd, env, root: cwd, home: cwd }))) throw error;
  }
}

function acceptanceFile(folder: string, env: Environment): string {
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 32);
  return path.join(stateFolder(env), 'trusted-folders', `${name}.json`);
}

// Lists what a folder contains that takes effect only after the user trusts it: programs that run, rules that allow,
// values that change how the agent works. The user sees this list before they decide.

export type OfferKind =
  | 'hook'
  | 'MCP server'
  | 'allow rule'
  | 'permission mode'
  | 'variable'
  | 'additional directory'
  | 'status line'
  | 'API key helper'
  | 'setting'
  | 'skill'
  | 'command'
  | 'agent'
  | 'import';

export interface OfferItem {
  readonly kind: OfferKind;
  /** The complete command, rule or value. */
  readonly text: string;
  /** Relative to the folder. */
  readonly source: string;
  /** Not accepted with the folder: the user is asked when it is needed. */
  readonly isAskedApart?: boolean;
}

const maxFileBytes = 4 * 1024 * 1024;

export async function readProjectOffer(place: TrustPlace, settings: SettingsFiles): Promise<readonly OfferItem[]> {
  const { cwd, root } = place;
  // In the home folder `.claude` is the user's own.
  const isHome = (await realPath(path.join(cwd, '.claude'))) === (await realPath(root));
  const sources = isHome ? [] : settings.sources;
  return [
    ...sources.filter(({ isOwn }) => !isOwn).flatMap((source) => settingsItems(source, cwd)),
    ...(await serverFileItems(cwd)),
    ...(isHome ? [] : await definitionItems(cwd)),
    ...(await importItems(place)),
  ];
}

/** `hooks (2), MCP servers (1)`. */
export function summariseOffer(items: readonly OfferItem[]): string {
  const kinds = [...new Set(items.map(({ kind }) => kind))];
  return kinds.map((kind) => `${pluralOf(kind)} (${items.filter((item) => item.kind === kind).length})`).join(', ');
}

function pluralOf(kind: OfferKind): string {
  return kind === 'additional directory' ? 'additional directories' : `${kind}s`;
}

function settingsItems({ scope, file, values }: SettingsSource, cwd: string): readonly OfferItem[] {
  const source = path.relative(cwd, file);
  const item = (kind: OfferKind, text: string): OfferItem => ({ kind, text, source });
  const permissions = asObject(values.permissions) ?? {};
  return Object.entries(values).flatMap(([key, value]): readonly OfferItem[] => {
    switch (key) {
      case 'hooks':
        return hookTexts(value).map((text) => item('hook', text));
      case 'mcpServers':
        return serverTexts(value).map((text) => item('MCP server', text));
      case 'env':
        return Object.entries(asObject(value) ?? {})
          .filter(([name]) => !isGuardedVariable(name))
          .map(([name, text]) => item('variable', `${name}=${shown(text)}`));
      case 'permissions':
        return [
          ...textsOf(permissions.allow).map((text) => item('allow rule', text)),
          ...textsOf(permissions.additionalDirectories).map((text) => item('additional directory', text)),
          ...(permissions.defaultMode === undefined ? [] : [item('permission mode', shown(permissions.defaultMode))]),
        ];
      case 'statusLine':
        return [item('status line', asString(asObject(value)?.command) ?? shown(value))];
      case 'apiKeyHelper':
        return [item('API key helper', shown(value))];
      case 'enabledMcpjsonServers':
      case 'enableAllProjectMcpServers':
        // Only in the local file it starts servers without a question.
        return scope === 'local' ? [item('setting', `${key}: ${shown(value)}`)] : [];
      case 'disabledMcpjsonServers':
      case '$schema':
        return [];
      default:
        return [item('setting', `${key}: ${shown(value)}`)];
    }
  });
}

function hookTexts(hooks: JsonValue | undefined): readonly string[] {
  return Object.entries(asObject(hooks) ?? {}).flatMap(([event, groups]) =>
    (isArray(groups) ? groups : []).flatMap((group) => {
      const { matcher, hooks: each } = asObject(group) ?? {};
      const when = typeof matcher === 'string' && matcher !== '' ? `${event} ${matcher}` : event;
      return (isArray(each) ? each : [group]).map(
        (hook) => `${when}: ${asString(asObject(hook)?.command) ?? shown(hook)}`,
      );
    }),
  );
}

function serverTexts(servers: JsonValue | undefined): readonly string[] {
  return Object.entries(asObject(servers) ?? {}).map(([name, value]) => `${name}: ${serverText(value)}`);
}

function serverText(value: JsonValue | undefined): string {
  const { command, args, url }: JsonObject = isObject(value) ? value : {};
  if (typeof url === 'string') return url;
  if (typeof command === 'string') return [command, ...textsOf(args)].map(shellQuote).join(' ');
  return shown(value);
}

async function serverFileItems(cwd: string): Promise<readonly OfferItem[]> {
  const source = '.mcp.json';
  const value = asObject(parseJson((await readText(path.join(cwd, source), maxFileBytes)) ?? ''));
  // Each server is still asked for by name before it starts.
  return serverTexts(value?.mcpServers).map((text) => ({ kind: 'MCP server', text, source }));
}

async function definitionItems(cwd: string): Promise<readonly OfferItem[]> {
  const { commands } = await loadProjectCommands(cwd);
  const { agents } = await loadProjectAgents(cwd);
  const folder = path.join('.claude', 'agents');
  return [
    ...commands.map((command): OfferItem => {
      const source = path.relative(cwd, command.file);
      return { kind: command.kind, text: commandText(command), source };
    }),
    ...agents.map(({ name }): OfferItem => ({ kind: 'agent', text: name, source: folder })),
  ];
}

function commandText({ name, body, allowedTools }: Command): string {
  const shell = inlineCommandsOf(body);
  return [
    name,
    ...(shell.length === 0 ? [] : [`runs ${shell.map((each) => `\`${each}\``).join(', ')}`]),
    ...(allowedTools.length === 0 ? [] : [`allows ${allowedTools.join(', ')}`]),
  ].join('; ');
}

/** Instruction files count without trust; their imports from elsewhere do not. */
async function importItems({ cwd, root, home }: TrustPlace): Promise<readonly OfferItem[]> {
  const items: OfferItem[] = [];
  const allowImport = async (file: string, by: string): Promise<boolean> => {
    items.push({ kind: 'import', text: file, source: path.relative(cwd, by), isAskedApart: true });
    return false;
  };
  await loadMemory({ cwd, root, home, allowImport });
  return items;
}

function textsOf(value: JsonValue | undefined): readonly string[] {
  return isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

function shown(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}
