// A project folder with a workspace, and calls of the real tools in it; the test plays the agent loop.
import assert from 'node:assert/strict';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { CallContext, CallProgress, Tool, ToolOutcome, Workspace } from '../../../src/agent/contract/tool.ts';
import { makeTools, type ToolOptions } from '../../../src/agent/tools/all.ts';
import { makeWorkspace } from '../../../src/agent/tools/shell/background.ts';
import type { JsonObject, JsonValue } from '../../../src/base/json/json.ts';
import { temporaryFolder, writeTree } from '../../support/temp-folder.ts';

export interface ToolBench {
  readonly folder: string;
  readonly sessionDir: string;
  readonly workspace: Workspace;
  readonly kept: string[];
  readonly progress: CallProgress[];
  file(name: string): string;
  tool(name: string): Tool;
  call(name: string, input: JsonObject, more?: Partial<CallContext>): Promise<ToolOutcome>;
  /** The text for the model of a call that must succeed. */
  text(name: string, input: JsonObject, more?: Partial<CallContext>): Promise<string>;
  /** The text for the model of a call that must fail. */
  refusal(name: string, input: JsonObject, more?: Partial<CallContext>): Promise<string>;
}

export function makeBench(
  context: TestContext,
  files: Readonly<Record<string, string | Buffer>> = {},
  options: ToolOptions = {},
): ToolBench {
  const root = temporaryFolder(context);
  const folder = path.join(root, 'project');
  const sessionDir = path.join(root, 'session');
  writeTree(folder, { '.keep': '', ...files });
  const workspace = makeWorkspace({ projectDir: folder, sessionDir, env: process.env });
  context.after(() => workspace.background.close());
  const tools = makeTools(options);
  const kept: string[] = [];
  const progress: CallProgress[] = [];
  const find = (name: string): Tool => {
    const tool = tools.find((one) => one.name === name);
    assert.ok(tool, name);
    return tool;
  };
  let calls = 0;
  const call: ToolBench['call'] = async (name, input, more = {}) => {
    const parsed = find(name).parse(input);
    if ('problem' in parsed) return { content: parsed.problem, isError: true, stored: `Error: ${parsed.problem}` };
    return find(name).run(parsed.input, {
      callId: `toolu_${++calls}`,
      confinement: 'open',
      isApproved: false,
      mayTouch: () => true,
      signal: new AbortController().signal,
      workspace,
      progress: (update) => void progress.push(update),
      keepFile: async (file) => void kept.push(file),
      askUser: async () => undefined,
      askModel: async () => ({ problem: 'no model in this test' }),
      startAgent: async () => assert.fail('no agent in this test'),
      ...more,
    });
  };
  const said = async (isError: boolean, ...args: Parameters<ToolBench['call']>): Promise<string> => {
    const outcome = await call(...args);
    assert.equal(outcome.isError, isError, JSON.stringify(outcome.content).slice(0, 500));
    assert.ok(typeof outcome.content === 'string');
    if (isError) assert.equal(outcome.stored, `Error: ${outcome.content}`);
    return outcome.content;
  };
  return {
    folder,
    sessionDir,
    workspace,
    kept,
    progress,
    file: (name) => path.join(folder, name),
    tool: find,
    call,
    text: (...args) => said(false, ...args),
    refusal: (...args) => said(true, ...args),
  };
}

/** Overrides one of the limits during a test. */
export function setLimit<K extends string>(
  context: TestContext,
  group: Readonly<Record<K, number>>,
  name: K,
  value: number,
): void {
  const limits = group as Record<K, number>; // writable only for a test
  const before = limits[name];
  limits[name] = value;
  context.after(() => {
    limits[name] = before;
  });
}

export function storedOf(outcome: ToolOutcome): JsonObject {
  const stored: JsonValue = outcome.stored;
  assert.ok(typeof stored === 'object' && stored !== null && !Array.isArray(stored), JSON.stringify(outcome.content));
  return stored as JsonObject; // not an array, see above
}
