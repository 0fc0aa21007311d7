// What every page is given: the server's client, its events, and how the server is.
import { createContext, useContext, useEffect } from 'react';
import type { Client } from '../client.ts';
import type { Events, Status } from '../wire.ts';
import type { PageEvents } from './page-events.ts';

export interface PageServices {
  readonly client: Client;
  readonly events: PageEvents;
}

export const ServicesContext: React.Context<PageServices | null> = createContext<PageServices | null>(null);
/** `null` until the server has said hello. */
export const StatusContext: React.Context<Status | null> = createContext<Status | null>(null);

export function useServices(): PageServices {
  const services = useContext(ServicesContext);
  if (services === null) throw new Error('a page stands outside of the shell');
  return services;
}

export function useStatus(): Status | null {
  return useContext(StatusContext);
}

export function useEvent<Name extends keyof Events>(name: Name, listener: (value: Events[Name]) => void): void {
  const { events } = useServices();
  useEffect(() => events.on(name, listener), [events, name, listener]);
}
