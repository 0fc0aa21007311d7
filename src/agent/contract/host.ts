// What a program that drives the agent brings with it: MCP servers that run inside the program itself.
import type { JsonObject } from '../../base/json/index.ts';

/** The MCP servers of the program that runs the agent. A configuration file cannot name one. */
export interface HostServers {
  /** Servers that are connected when the agent opens. */
  readonly servers: readonly HostServerSettings[];
  connect(name: string): HostConnection;
}

/** A server of the program that runs the agent. */
export interface HostServerSettings {
  readonly name: string;
  /** How long a call may take. */
  readonly callTimeoutMs?: number;
}

/** A connection to such a server. */
export interface HostConnection {
  /** Delivers one JSON-RPC message. Resolves to the answer, if the message is a request. */
  send(message: JsonObject, signal: AbortSignal): Promise<JsonObject | undefined>;
  /** Called for the server's own requests and notifications. */
  receive(onMessage: (message: JsonObject) => void): void;
  close(): void;
}

/** The MCP servers of a running agent. Every failure is an error with one readable line. */
export interface McpControl {
  readonly servers: readonly McpServerView[];
  /** Replaces the servers of the last call, and those of the program that runs the agent. */
  setServers(servers: JsonObject): Promise<McpServerChange>;
  reconnect(name: string): Promise<void>;
  toggle(name: string, isEnabled: boolean): Promise<void>;
  /** Calls a tool by the name that the model would use, and resolves to its content. */
  call(tool: string, input: JsonObject, signal: AbortSignal): Promise<string | readonly JsonObject[]>;
}

/** An MCP server and its state. */
export interface McpServerView {
  readonly name: string;
  readonly status: 'connected' | 'failed' | 'needs-auth' | 'needs-approval' | 'disabled';
  readonly scope: string;
  readonly transport: string;
  readonly problem?: string;
  readonly info?: { readonly name: string; readonly version: string };
  /** With the names that the server uses. */
  readonly toolDescriptions: readonly JsonObject[];
}

/** What `setServers` changed. */
export interface McpServerChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** The reason for each server that did not connect. */
  readonly errors: Readonly<Record<string, string>>;
}
