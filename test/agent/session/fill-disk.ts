// A program for disk.test.ts: records turns into the library below the folder it is given, until the disk is full, and
// prints how that was refused.
import { mkdirSync } from 'node:fs';
import { openRun, placeIn } from '../../support/agent-run.ts';

const place = placeIn(process.argv[2] ?? '', { env: { CLEW_HOME: process.argv[3] } });
mkdirSync(place.cwd, { recursive: true });
const run = await openRun({ kind: 'new', sessionId: '11111111-1111-4111-8111-111111111111' }, place);
try {
  for (let turn = 0; turn < 100; turn++) {
    await run.prompt(`Prompt ${turn}`);
    await run.calls(['Read', 'Bash'], undefined, 'x'.repeat(3000));
    await run.answer('y'.repeat(1000));
    await run.endTurn();
  }
  console.log('not refused');
} catch (error) {
  console.log(error instanceof Error ? error.message : String(error));
}
await run.close();
