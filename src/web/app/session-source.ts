// The data source of the session page, with changes from the page's event stream.
import type { PageServices } from './page/page-context.ts';
import { httpSource } from './session/http/http-source.ts';
import type { SessionSource } from './session/source/source.ts';

export function sessionSource({ client, events }: PageServices, key: string): SessionSource {
  return httpSource(client, key, {
    watch: (onChange) => {
      const ends = [
        events.want({ watch: [key] }),
        events.onMissed(() => onChange({ agentId: null, fromPart: 0 })),
        events.on('append', (grown) => {
          if (grown.key === key) onChange({ agentId: grown.agentId, fromPart: grown.fromPart });
        }),
      ];
      return () => {
        for (const end of ends) end();
      };
    },
  });
}
