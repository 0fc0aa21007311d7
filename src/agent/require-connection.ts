// Checks the connection before anything is shown or opened: a missing key is reported before the first prompt.
import { homedir } from 'node:os';
import { requireCredentials } from '../api/connection/index.ts';
import { makeFetch } from '../base/network/index.ts';
import type { AgentOptions } from './contract/index.ts';
import { mergeSettings, readSettingsFiles } from './settings/index.ts';

/**
 * Throws a `UserError` that says what to set. The project counts as trusted: whether it is may not be decided yet, and
 * the agent checks again with what is used.
 */
export async function requireConnection(
  options: Pick<AgentOptions, 'cwd' | 'root' | 'env' | 'settingSources' | 'settings'>,
): Promise<void> {
  const { cwd, root, env, settingSources, settings } = options;
  const place = { root, projectDir: cwd, env, settingSources };
  const read = await readSettingsFiles({ ...place, given: settings });
  const merged = mergeSettings(read, { ...place, home: homedir(), isProjectTrusted: true });
  const withSettings = { ...env, ...merged.env };
  requireCredentials(withSettings, merged.apiKeyHelper);
  makeFetch(withSettings);
}
