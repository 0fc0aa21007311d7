// Star and unstar, which change only Clew's own state.
import { isStarred, starSession } from '../../../surgery/keep/index.ts';
import { type ActionAsked, nothingPlanned, type PreparedAction } from './prepared.ts';

export function prepareStar({ action, session }: ActionAsked): PreparedAction {
  const isRemoved = action === 'unstar';
  const was = isStarred(session.id);
  const isNoop = was !== isRemoved;
  return {
    state: was,
    dryRun: async () => ({
      ...nothingPlanned,
      isNoop,
      summary: isRemoved ? 'removes the star; the session is not changed' : 'stars the session, which is not changed',
    }),
    run: async (group) => {
      const place = { sessionId: session.id, path: session.path };
      const operation = await starSession(place, { isRemoved, ...(group === undefined ? {} : { group }) });
      return { operation, summary: isRemoved ? 'removed the star' : 'starred', to: [place], notes: [] };
    },
  };
}
