// ListMcpResourcesTool and ReadMcpResourceTool: they list and read the resources of MCP servers. They exist only if a
// connected server has resources.
import { asObject, asString, isArray, isObject, type JsonObject, type JsonValue } from '../../base/json/index.ts';
import { type CallContext, failedOutcome, type ParsedInput, type Tool, type ToolOutcome } from '../contract/index.ts';
import type { ServerConnection } from './connection.ts';
import { describeBlob, type ResultLimits, toOutcome } from './result.ts';
import { saveBelow } from './result-file.ts';

export function makeResourceTools(connections: readonly ServerConnection[], limits: ResultLimits): readonly Tool[] {
  const able = connections.filter((each) => each.hasResources);
  if (able.length === 0) return [];
  return [makeListTool(connections, able, limits), makeReadTool(connections, able, limits)];
}

const nameSchema = (description: string): JsonObject => ({ type: 'string', description });

function makeListTool(all: readonly ServerConnection[], able: readonly ServerConnection[], limits: ResultLimits): Tool {
  return makeTool({
    name: 'ListMcpResourcesTool',
    description: 'Lists the resources of the MCP servers, each with its server and uri. ReadMcpResourceTool reads one.',
    properties: { server: nameSchema('Only the resources of this server') },
    required: [],
    run: async ({ server }, context) => {
      const wanted = server === undefined ? able : [findServer(all, able, server)];
      const resources: JsonObject[] = [];
      for (const connection of wanted) {
        const listed = await connection.listResources(context);
        resources.push(...listed.map((resource) => describeResource(resource, connection.config.name)));
      }
      if (resources.length === 0) return { content: 'No resources found.', isError: false, stored: [] };
      const text = { type: 'text', text: JSON.stringify(resources) };
      const shown = await toOutcome(
        { content: [text] },
        limits,
        saveBelow(context.workspace.sessionDir, ['resources']),
      );
      return { ...shown, stored: resources };
    },
  });
}

function makeReadTool(all: readonly ServerConnection[], able: readonly ServerConnection[], limits: ResultLimits): Tool {
  return makeTool({
    name: 'ReadMcpResourceTool',
    description: 'Reads one resource of an MCP server. What is not text is saved to a file, and the result names it.',
    properties: { server: nameSchema('The server'), uri: nameSchema('The uri of the resource') },
    required: ['server', 'uri'],
    run: async ({ server = '', uri = '' }, context) => {
      const connection = findServer(all, able, server);
      const save = saveBelow(context.workspace.sessionDir, [connection.config.name, 'resource']);
      const answer = await connection.readResource(uri, context);
      const contents = (isArray(answer.contents) ? answer.contents.filter(isObject) : []).map((content) => {
        const mimeType = asString(content.mimeType);
        const text = asString(content.text) ?? describeBlob('resource', asString(content.blob), mimeType, save);
        const blobSavedTo = /, saved to (.+)\]$/.exec(asString(content.text) === undefined ? text : '')?.[1];
        return {
          uri: asString(content.uri) ?? uri,
          ...(mimeType === undefined ? {} : { mimeType }),
          ...(blobSavedTo === undefined ? {} : { blobSavedTo }),
          text: text.toWellFormed(),
        };
      });
      const stored: JsonObject = { contents };
      const shown = await toOutcome({ content: [{ type: 'text', text: JSON.stringify(stored) }] }, limits, save);
      return { ...shown, stored };
    },
  });
}

function describeResource(resource: JsonObject, server: string): JsonObject {
  const keep = (key: string): JsonObject => {
    const value = asString(resource[key]);
    return value === undefined ? {} : { [key]: value.toWellFormed() };
  };
  return { ...keep('name'), ...keep('uri'), ...keep('description'), ...keep('mimeType'), server };
}

class UnknownServer extends Error {}

function findServer(
  all: readonly ServerConnection[],
  able: readonly ServerConnection[],
  name: string,
): ServerConnection {
  const found = able.find(({ config }) => config.name === name);
  if (found !== undefined) return found;
  const names = able.map(({ config }) => config.name).join(', ');
  const why = all.some(({ config }) => config.name === name) ? 'has no resources' : 'is not there';
  throw new UnknownServer(`The server ${JSON.stringify(name)} ${why}. Servers with resources: ${names}.`);
}

interface ResourceTool {
  readonly name: string;
  readonly description: string;
  readonly properties: JsonObject;
  readonly required: readonly string[];
  run(input: Readonly<Record<string, string | undefined>>, context: CallContext): Promise<ToolOutcome>;
}

function makeTool({ name, description, properties, required, run }: ResourceTool): Tool {
  const parse = (input: JsonValue | undefined): ParsedInput => {
    const given = asObject(input);
    const wrong = Object.entries(given ?? {}).find(([key, value]) => !(key in properties) || typeof value !== 'string');
    const missing = required.find((key) => given?.[key] === undefined);
    if (given === undefined || wrong !== undefined)
      return { problem: `${name} takes ${Object.keys(properties).join(' and ')}, each a string.` };
    return missing === undefined ? { input: given } : { problem: `${name} needs ${missing}.` };
  };
  return {
    name,
    description,
    inputSchema: { type: 'object', properties, ...(required.length === 0 ? {} : { required }) },
    parse,
    isReadOnly: () => true,
    run: async (input, context) => {
      const parsed = parse(input);
      if ('problem' in parsed) return failedOutcome(parsed.problem);
      try {
        return await run(parsed.input as Readonly<Record<string, string>>, context); // checked by `parse`
      } catch (error) {
        if (context.signal.aborted) return failedOutcome('The call was interrupted; the server was told to stop.');
        return failedOutcome(error instanceof Error ? error.message : String(error));
      }
    },
  };
}
