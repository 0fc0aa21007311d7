// The context of every page: the client, the events and the status of the server.
import { createContext, useContext, useEffect } from 'react';
import type { Client } from '../../client/index.ts';
import type { Events, Status } from '../../wire/index.ts';
import type { PageEvents } from './page-events.ts';

export interface PageServices {
  readonly client: Client;
  readonly events: PageEvents;
  /** Reads an address of the API before the call returns: only for printing. */
  readNow(address: string, as: 'text' | 'bytes'): string;
}

export const ServicesContext: React.Context<PageServices | null> = createContext<PageServices | null>(null);
/** `null` until the first `hello` event. */
export const StatusContext: React.Context<Status | null> = createContext<Status | null>(null);

export function useServices(): PageServices {
  const services = useContext(ServicesContext);
  if (services === null) throw new Error('no ServicesContext around this page');
  return services;
}

export function useStatus(): Status | null {
  return useContext(StatusContext);
}

export function useEvent<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): void {
  const { events } = useServices();
  useEffect(() => events.on(name, listener), [events, name, listener]);
}
