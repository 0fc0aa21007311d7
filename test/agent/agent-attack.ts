// One attack on the tools of the agent, and short names for the calls that it is made of. {project}, {outside}, {home} and
// {port} are replaced by folders of the test (see attack-place.ts).
import type { JsonObject } from '../../src/base/json/json.ts';

export type AttackCall = readonly [name: string, input: JsonObject];

export interface AgentAttack {
  readonly name: string;
  /** Below the test folder: `project/…`, `outside/…`, `home/…`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Links below the test folder → their targets. */
  readonly links?: Readonly<Record<string, string>>;
  /** Rules of the user. */
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  /** Holds only in the sandbox: without one, a rule of the user lets the command do it. */
  readonly needsSandbox?: true;
  /** The user trusts the folder. */
  readonly isTrusted?: boolean;
  /** Variables of the agent itself. */
  readonly env?: Readonly<Record<string, string>>;
  /** A shell text that the test runs after the call with this number was permitted, and before it runs. */
  readonly swap?: readonly [call: number, text: string];
  /** The calls of each answer of the model. */
  readonly answers: readonly (readonly AttackCall[])[];
}

export function bash(command: string, more: JsonObject = {}): AttackCall {
  return ['Bash', { command, timeout: 8000, ...more }];
}

export function read(file: string): AttackCall {
  return ['Read', { file_path: file }];
}

export function write(file: string): AttackCall {
  return ['Write', { file_path: file, content: 'made\n' }];
}

export function edit(file: string, old = ''): AttackCall {
  return ['Edit', { file_path: file, old_string: old, new_string: 'made\n' }];
}

export function grep(more: JsonObject): AttackCall {
  return ['Grep', { pattern: '.', output_mode: 'content', ...more }];
}

export function glob(pattern: string, more: JsonObject = {}): AttackCall {
  return ['Glob', { pattern, ...more }];
}
