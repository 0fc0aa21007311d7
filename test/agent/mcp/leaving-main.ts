// A program that leaves without closing its servers: `node leaving-main.js FOLDER`. It prints the process that the
// server has started.
import { connectServers } from '../../../src/agent/mcp/servers.ts';
import { callTool, optionsIn, rude } from './mcp-kit.ts';

const flags = [JSON.stringify({ mcpServers: { parent: rude('parent') } })];
const servers = await connectServers({ ...optionsIn(process.argv[2] ?? ''), flags });
const { content } = await callTool(servers, 'mcp__parent__it');
process.stdout.write((content as readonly { readonly text: string }[])[0]?.text ?? '', () => process.exit(0));
