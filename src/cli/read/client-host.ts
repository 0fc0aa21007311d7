// Whether the client sends its requests to api.anthropic.com or to a gateway, by `--host`, the environment or the
// settings of Claude Code. What a resume sends depends on it.
import path from 'node:path';
import { UserError } from '../../base/errors/errors.ts';
import { readRegularText } from '../../base/files/regular-file.ts';
import { asObject, asString, parseJson } from '../../base/json/json.ts';
import type { ClientHost } from '../../session/resume/messages/model.ts';
import { type CommandInput, textFlag } from '../command/command.ts';
import { rootsOf } from '../input/session.ts';

export function clientHostOf(input: CommandInput): ClientHost {
  const named = textFlag(input.flags, 'host');
  if (named === 'anthropic' || named === 'gateway') return named;
  if (named !== undefined) {
    throw new UserError(`--host takes anthropic or gateway, not "${named}"`, 'for example --host gateway');
  }
  const urls = [input.io.env.ANTHROPIC_BASE_URL, ...rootsOf(input).map(baseUrlInSettings)];
  return urls.some(isGateway) ? 'gateway' : 'anthropic';
}

function isGateway(url: string | undefined): boolean {
  return url !== undefined && url !== '' && !/^https:\/\/api\.anthropic\.com\/?$/i.test(url);
}

/** Settings may set environment variables of the client. A file that cannot be read sets none. */
function baseUrlInSettings(root: string): string | undefined {
  try {
    const settings = asObject(parseJson(readRegularText(path.join(root, 'settings.json')).replace(/^\uFEFF/, '')));
    return asString(asObject(settings?.env)?.ANTHROPIC_BASE_URL);
  } catch {
    return undefined;
  }
}
