// A program for transcript.test.ts: loads the transcript it is given and prints what was found and the peak of memory.
import { loadTranscript } from '../../../src/session/transcript/transcript.ts';

const { nodes, diagnostics, sizeBytes } = loadTranscript(process.argv[2] ?? '', {
  strict: process.argv.includes('--strict'),
});
console.log(
  JSON.stringify({
    sizeBytes,
    nodes: nodes.map(({ uuid, line, offset }) => [uuid, line, offset]),
    diagnostics: diagnostics.map(({ code, line, offset }) => [code, line, offset]),
    peakBytes: process.resourceUsage().maxRSS * 1024,
  }),
);
