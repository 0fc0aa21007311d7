// JSON → changes of the permissions, from a program that uses the agent or from a hook.
import { asObject, isArray, isObject, type JsonValue } from '../../base/json/index.ts';
import { isPermissionMode } from './confinement.ts';
import { type PermissionUpdate, permissionPlaces } from './permission.ts';

const maxUpdates = 4096;

/**
 * `undefined` if one of them is not valid: applying only the others could allow more than was meant. `canBypass`: a
 * change may switch all questions off.
 */
export function readPermissionUpdates(value: JsonValue, canBypass: boolean): readonly PermissionUpdate[] | undefined {
  if (!isArray(value) || value.length > maxUpdates) return undefined;
  const updates = value.map((each) => readUpdate(each, canBypass));
  return updates.every((each) => each !== undefined) ? updates : undefined;
}

function readUpdate(value: JsonValue, canBypass: boolean): PermissionUpdate | undefined {
  if (!isObject(value)) return undefined;
  const destination = permissionPlaces.find((place) => place === (value.destination ?? 'session'));
  if (destination === undefined) return undefined;
  switch (value.type) {
    case 'setMode': {
      const { mode } = value;
      if (!isPermissionMode(mode) || (mode === 'bypassPermissions' && !canBypass)) return undefined;
      return { type: 'setMode', mode, destination };
    }
    case 'addDirectories':
    case 'removeDirectories': {
      const directories = textsOf(value.directories);
      return directories === undefined ? undefined : { type: value.type, directories, destination };
    }
    case 'addRules':
    case 'replaceRules':
    case 'removeRules': {
      const behavior = (['allow', 'deny', 'ask'] as const).find((each) => each === value.behavior);
      const rules = readRules(value.rules);
      return behavior === undefined || rules === undefined
        ? undefined
        : { type: value.type, rules, behavior, destination };
    }
    default:
      return undefined;
  }
}

function readRules(value: JsonValue | undefined): readonly { toolName: string; ruleContent?: string }[] | undefined {
  if (!isArray(value) || value.length > maxUpdates) return undefined;
  const rules = value.map((each) => {
    const { toolName, ruleContent } = asObject(each) ?? {};
    if (typeof toolName !== 'string' || !/^[A-Za-z*][\w.:*-]*$/.test(toolName)) return undefined;
    if (ruleContent === undefined || ruleContent === null) return { toolName };
    return typeof ruleContent === 'string' ? { toolName, ruleContent } : undefined;
  });
  return rules.every((each) => each !== undefined) ? rules : undefined;
}

function textsOf(value: JsonValue | undefined): readonly string[] | undefined {
  if (!isArray(value) || value.length > maxUpdates) return undefined;
  return value.every((each) => typeof each === 'string') ? value : undefined;
}
