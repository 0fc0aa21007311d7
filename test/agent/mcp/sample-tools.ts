// The tools of the sample server and what each answers: one for every kind of answer. Two servers offer them: one made
// with the official SDK (sample-server.ts), and one without it, which starts faster (stdio-main.ts).
import { tinyImage } from '../../support/tiny-images.ts';

/** What a call may ask of its server. */
export interface SampleCall {
  readonly signal: AbortSignal;
  /** Writes a line to the journal. */
  note(line: string): void;
  progress(update: { readonly progress: number; readonly total: number; readonly message: string }): Promise<void>;
  /** Asks the client. */
  listRoots(): Promise<readonly { readonly name?: string | undefined }[]>;
}

export const sampleInfo = { name: 'sample', version: '1.0.0' };
export const sampleInstructions = '  Be gentle.  ';

const image = tinyImage('png', 4, 4).toString('base64');
const anything = { type: 'object', properties: {}, additionalProperties: true } as const;

const tools: readonly object[] = [
  {
    name: 'echo',
    description: 'Says it again.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    annotations: { readOnlyHint: true },
  },
  ...['pictures', 'resources', 'structured', 'fail', 'wait', 'die', 'huge', 'progress', 'environment'].map((name) => ({
    name,
    description: name,
    inputSchema: anything,
  })),
];

/** Two pages, so that both are asked for. */
export function listSampleTools(cursor: string | undefined): {
  readonly tools: readonly object[];
  nextCursor?: string;
} {
  return cursor === undefined ? { tools: tools.slice(0, 3), nextCursor: 'more' } : { tools: tools.slice(3) };
}

export async function answerSample(
  name: string,
  input: Readonly<Record<string, unknown>>,
  { signal, note, progress, listRoots }: SampleCall,
): Promise<object> {
  note(`call ${name}`);
  const text = (words: string) => ({ type: 'text', text: words });
  switch (name) {
    case 'echo':
      return { content: [text(String(input.text))] };
    case 'pictures':
      return {
        content: [
          { type: 'image', data: image, mimeType: 'image/jpeg' },
          { type: 'image', data: 'AAAA', mimeType: 'image/png' },
          { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' },
        ],
      };
    case 'resources':
      return {
        content: [
          { type: 'resource', resource: { uri: 'a://b', text: 'inside' } },
          { type: 'resource', resource: { uri: 'a://c', blob: image, mimeType: 'image/png' } },
          { type: 'resource', resource: { uri: 'a://d', blob: 'AAAA', mimeType: 'application/zip' } },
          { type: 'resource_link', uri: 'a://e', name: 'link', description: 'far away' },
        ],
      };
    case 'structured':
      return { content: [], structuredContent: { a: [1, { b: true }] } };
    case 'fail':
      return { content: [text('it broke')], isError: true };
    case 'huge':
      return {
        content: [
          text('h'.repeat(150_000)),
          text('more'),
          ...Array(25).fill({ type: 'image', data: image, mimeType: 'image/png' }),
        ],
      };
    case 'progress': {
      await progress({ progress: 1, total: 2, message: 'half way' });
      // A question back and its answer, by which the client has heard of the progress too.
      const roots = await listRoots();
      return { content: [text(`done in ${roots.map(({ name }) => name)}`)] };
    }
    case 'environment':
      return { content: [text(JSON.stringify({ env: process.env, args: process.argv.slice(2), pid: process.pid }))] };
    case 'die':
      process.exit(3);
      break;
    case 'wait':
      note('waiting');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      note('cancelled');
  }
  return { content: [] };
}
