// Reads server-sent events from a response body. `EventSource` cannot send a header, and the token is sent as one.

export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** Resolves at the end of the stream. Reads only what our server writes: `\n`, one line of data, comments as heartbeats. */
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: StreamEvent) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const blocks = (rest + decoder.decode(value, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = readBlock(block);
      if (event !== undefined) onEvent(event);
    }
  }
}

function readBlock(block: string): StreamEvent | undefined {
  const name = /^event: (.*)$/m.exec(block)?.[1];
  const data = /^data: (.*)$/m.exec(block)?.[1];
  return name === undefined || data === undefined ? undefined : { name, data };
}
