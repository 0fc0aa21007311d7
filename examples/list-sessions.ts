// Lists all sessions with their turns and cost, the newest first: node list-sessions.js [ROOT…]
import { openLibrary } from 'clew';

const roots = process.argv.slice(2);
const library = openLibrary({ ...(roots.length > 0 ? { roots } : {}), state: 'memory' });
library.update({ withoutText: true });

const costs = new Map(library.usage({ by: 'session' }).rows.map((row) => [row.key, row.costMicroUsd]));
for (const { sessionId, title, turns } of (await library.sessions()).sessions) {
  const costMicroUsd = costs.get(sessionId);
  const cost = costMicroUsd === undefined ? 'no price' : `$${(costMicroUsd / 1_000_000).toFixed(2)}`;
  console.log(`${sessionId.slice(0, 8)}  ${cost}  ${turns} turns  ${title ?? '(no title)'}`);
}
library.close();
