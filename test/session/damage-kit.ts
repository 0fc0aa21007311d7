import path from 'node:path';
import { readAndSerialise } from '../../src/cli/read/cat.ts';
import { recordings } from '../support/transcripts.ts';

export const sample: string = path.join(recordings, 'safe-profile/3f2b8c1e-6a5d-4e7f-9b0a-1c2d3e4f5a6b.jsonl');

export function serialised(file: string): Buffer {
  return Buffer.concat([...readAndSerialise(file)]);
}
