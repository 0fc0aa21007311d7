// `team.json` and the environment → the store of the team, the name of this machine, and the level that the user chose for
// each project. The user writes the file; Clew only reads it.
import { readFileSync } from 'node:fs';
import { homedir, hostname } from 'node:os';
import path from 'node:path';
import { systemErrorCode, UserError } from '../../base/errors/index.ts';
import { asObject, asString, isArray, type JsonObject, type JsonValue, parseJson } from '../../base/json/index.ts';
import type { Environment } from '../../base/node/index.ts';
import { type Level, levels } from '../contract/index.ts';

/** `none`: nothing of the project leaves this machine. */
export type ProjectLevel = Level | 'none';

export interface ProjectChoice {
  /** Absolute. The choice holds for the folder and those below it. */
  readonly folder: string;
  readonly level: ProjectLevel;
}

export interface TeamConfig {
  /** `postgres://…` or the https address of a gateway; `undefined` if no store is set up. */
  readonly store: string | undefined;
  /** The key for a gateway. */
  readonly key: string | undefined;
  readonly machine: string;
  /** For projects without a choice of their own. */
  readonly level: ProjectLevel;
  readonly projects: readonly ProjectChoice[];
  /** The user's own rules for secrets. */
  readonly rulesFile: string | undefined;
}

export function teamConfigPath(env: Environment = process.env): string {
  if (env.CLEW_HOME) return path.join(env.CLEW_HOME, 'team.json');
  return path.join(env.XDG_CONFIG_HOME || path.join(env.HOME || homedir(), '.config'), 'clew', 'team.json');
}

/** `store` is a gateway or a database. */
export function isGatewayAddress(store: string): boolean {
  return /^https?:\/\//i.test(store);
}

/** Without a file nothing is pushed: the default level is `none`. */
export function readTeamConfig(env: Environment = process.env): TeamConfig {
  const file = teamConfigPath(env);
  const values = readValues(file);
  return {
    store: env.CLEW_STORE || asString(values.store),
    key: env.CLEW_TEAM_KEY || asString(values.key),
    machine: env.CLEW_MACHINE || asString(values.machine) || hostname(),
    level: levelOf(values.level ?? 'none', file),
    projects: projectsOf(values.projects, file, env),
    rulesFile: asString(values.rules),
  };
}

const settings = ['store', 'key', 'machine', 'level', 'projects', 'rules'];

/** A misspelled setting must not be ignored: more would be sent than the user wants. */
function readValues(file: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return {};
    throw new UserError(`${file} cannot be read`, 'check its permissions');
  }
  const values = asObject(parseJson(text));
  if (values === undefined)
    throw new UserError(`${file} is not a JSON object`, 'correct it; docs/team.md has an example');
  const unknown = Object.keys(values).find((name) => !settings.includes(name));
  if (unknown !== undefined)
    throw new UserError(`${file} has an unknown setting "${unknown}"`, `use ${settings.join(', ')}`);
  for (const name of ['store', 'key', 'machine', 'rules'])
    if (values[name] !== undefined && asString(values[name]) === undefined)
      throw new UserError(`"${name}" in ${file} is not a string`, 'correct it');
  return values;
}

function levelOf(value: JsonValue, file: string): ProjectLevel {
  const known = (['none', ...levels] as const).find((each) => each === value);
  if (known !== undefined) return known;
  throw new UserError(`${file} has an unknown level ${JSON.stringify(value)}`, `use none, ${levels.join(', ')}`);
}

/** `{"~/work/acme": "text"}`. */
function projectsOf(value: JsonValue | undefined, file: string, env: Environment): readonly ProjectChoice[] {
  const choices = asObject(value);
  if (value !== undefined && (choices === undefined || isArray(value)))
    throw new UserError(`"projects" in ${file} is not an object`, 'write {"/work/acme": "text"}');
  return Object.entries(choices ?? {}).map(([name, level]) => {
    const folder = name.replace(/^~(?=$|\/)/, env.HOME || homedir());
    if (!path.isAbsolute(folder))
      throw new UserError(`${file} names the folder "${name}", which is not absolute`, 'begin it with / or ~/');
    return { folder: path.resolve(folder), level: levelOf(level as JsonValue, file) };
  });
}

/** The choice for the longest folder that contains the session's; a session without a folder has the default level. */
export function levelFor(
  { level, projects }: Pick<TeamConfig, 'level' | 'projects'>,
  cwd: string | undefined,
): ProjectLevel {
  if (cwd === undefined) return level;
  const [nearest] = projects
    .filter(({ folder }) => cwd === folder || cwd.startsWith(folder === '/' ? '/' : `${folder}${path.sep}`))
    .sort((a, b) => b.folder.length - a.folder.length);
  return nearest?.level ?? level;
}
