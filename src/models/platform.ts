// The names of models on the platforms that serve them, and what an alias stands for there, as Claude Code 2.1.325 sends
// them (measured; docs/connections.md). The agent keeps Anthropic's own names and translates them in the request.
import { asksForLongContext, modelRowOf, resolveModelAlias, withoutModelDate } from './facts.ts';

export type Platform = 'anthropic' | 'bedrock' | 'vertex' | 'foundry';

type Variables = Readonly<Record<string, string | undefined>>;

/** The first variable that is set decides. */
export function platformOf(env: Variables): Platform {
  if (isOn(env.CLAUDE_CODE_USE_BEDROCK)) return 'bedrock';
  if (isOn(env.CLAUDE_CODE_USE_VERTEX)) return 'vertex';
  return isOn(env.CLAUDE_CODE_USE_FOUNDRY) ? 'foundry' : 'anthropic';
}

export function isOn(value: string | undefined): boolean {
  return /^(?:1|true|yes|on)$/i.test(value?.trim() ?? '');
}

/** New models come to the platforms later, so the client's aliases stand for others there. */
const aliasesOn: Readonly<Record<Platform, Readonly<Record<string, string>>>> = {
  anthropic: {},
  bedrock: { sonnet: 'claude-sonnet-4-5', opusplan: 'claude-sonnet-4-5', haiku: 'claude-haiku-4-5' },
  vertex: { sonnet: 'claude-sonnet-4-5', opusplan: 'claude-sonnet-4-5', haiku: 'claude-haiku-4-5' },
  foundry: {
    default: 'claude-sonnet-4-5',
    sonnet: 'claude-sonnet-4-5',
    opusplan: 'claude-sonnet-4-5',
    haiku: 'claude-haiku-4-5',
    opus: 'claude-opus-4-6',
    best: 'claude-opus-4-6',
  },
};

/** Resolves an alias by `ANTHROPIC_DEFAULT_*_MODEL` and the platform; other names are unchanged. */
export function resolveModel(name: string, env: Variables): string {
  const plain = name
    .trim()
    .toLowerCase()
    .replace(/\[1m\]$/, '');
  const isAlias = resolveModelAlias(plain) !== plain;
  if (!isAlias) return name;
  const resolved = aliasesOn[platformOf(env)][plain] ?? resolveModelAlias(plain);
  const line = modelRowOf(resolved)?.line.toUpperCase();
  const pinned = env[`ANTHROPIC_DEFAULT_${line}_MODEL`]?.trim() || resolved;
  return asksForLongContext(name) && !asksForLongContext(pinned) ? `${pinned}[1m]` : pinned;
}

/** For small tasks. Haiku may not be enabled in an account of Bedrock, so there it must be named. */
export function smallModel(main: string, env: Variables): string {
  const named = env.ANTHROPIC_DEFAULT_HAIKU_MODEL?.trim() || env.ANTHROPIC_SMALL_FAST_MODEL?.trim();
  if (named) return resolveModel(named, env);
  return platformOf(env) === 'bedrock' ? main : resolveModel('haiku', env);
}

/** What the platform calls a model; a name that is not Anthropic's own is unchanged. */
export function modelNameOn(model: string, env: Variables): string {
  const name = model.replace(/\[1m\]$/i, '');
  const row = /^claude-/.test(name) && !name.includes('@') ? modelRowOf(name) : undefined;
  if (row === undefined || row.line === 'mythos' || neverMapped.has(row.id)) return name;
  switch (platformOf(env)) {
    case 'bedrock':
      return `${geography(bedrockRegion(env))}.anthropic.${row.id}${bedrockVersion(row.id)}`;
    case 'vertex':
      return vertexNames[row.id] ?? row.id.replace(/-(20\d{6})$/, '@$1');
    case 'foundry':
    case 'anthropic':
      return name;
  }
}

/** The client passes these on as they are. */
const neverMapped: ReadonlySet<string> = new Set([
  ...['claude-3-5-sonnet-20240620', 'claude-3-opus-20240229', 'claude-3-sonnet-20240229', 'claude-3-haiku-20240307'],
]);
const vertexNames: Readonly<Record<string, string>> = {
  'claude-3-5-sonnet-20241022': 'claude-3-5-sonnet-v2@20241022',
};
const bedrockVersions: Readonly<Record<string, string>> = {
  'claude-opus-4-6': '-v1',
  'claude-3-5-sonnet-20241022': '-v2:0',
};

function bedrockVersion(id: string): string {
  return bedrockVersions[id] ?? (withoutModelDate(id) === id ? '' : '-v1:0');
}

export function bedrockRegion(env: Variables): string {
  return env.AWS_REGION?.trim() || env.AWS_DEFAULT_REGION?.trim() || 'us-east-1';
}

/** An inference profile of several regions. */
function geography(region: string): string {
  if (region.startsWith('us-gov-')) return 'us-gov';
  if (region.startsWith('us-')) return 'us';
  if (region.startsWith('eu-')) return 'eu';
  return region.startsWith('ap-') ? 'apac' : 'global';
}

/** `VERTEX_REGION_CLAUDE_HAIKU_4_5` or `VERTEX_REGION_CLAUDE_4_5_HAIKU` for one model, else `CLOUD_ML_REGION`. */
export function vertexRegion(model: string, env: Variables): string {
  const id = withoutModelDate(modelRowOf(model)?.id ?? '').replace(/^claude-/, '');
  const [, line = '', numbers = ''] = /^([a-z]+)-([\d-]+)$/.exec(id) ?? [];
  const names = [id, `${numbers}-${line}`].map((each) => `VERTEX_REGION_CLAUDE_${each.replaceAll('-', '_')}`);
  const own = names.map((name) => env[name.toUpperCase()]?.trim()).find((value) => value);
  return own || env.CLOUD_ML_REGION?.trim() || 'us-east5';
}
