// MCP servers inside the program that started Clew: their messages travel as `mcp_message` requests, both ways.
import type { HostConnection, HostServerSettings, HostServers } from '../../../agent/contract/index.ts';
import { asObject, type JsonObject } from '../../../base/json/index.ts';
import type { HostChannel } from './channel.ts';

export class ProgramServers implements HostServers {
  readonly servers: readonly HostServerSettings[];
  readonly #channel: HostChannel;
  readonly #receivers = new Map<string, (message: JsonObject) => void>();

  constructor(channel: HostChannel, servers: readonly HostServerSettings[]) {
    this.#channel = channel;
    this.servers = servers;
  }

  connect(name: string): HostConnection {
    let receiver: ((message: JsonObject) => void) | undefined;
    return {
      send: async (message, signal) => {
        const request = { subtype: 'mcp_message', server_name: name, message };
        const response = await this.#channel.request(request, signal);
        // A notification has no answer; the SDK sends an empty one.
        return 'id' in message && 'method' in message ? asObject(response.mcp_response) : undefined;
      },
      receive: (onMessage) => {
        receiver = onMessage;
        this.#receivers.set(name, onMessage);
      },
      close: () => {
        if (this.#receivers.get(name) === receiver) this.#receivers.delete(name);
      },
    };
  }

  /** Delivers a message of a server; returns a problem if there is no such server. */
  deliver(name: string, message: JsonObject): string | undefined {
    const receiver = this.#receivers.get(name);
    if (receiver === undefined) return `there is no connected SDK MCP server "${name}"`;
    receiver(message);
    return undefined;
  }
}
