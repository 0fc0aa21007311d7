// The bytes of server-sent events → their names and data, one by one. `EventSource` cannot send a header, and the key to
// the server is one; so the page reads the stream itself.

export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** Resolves at the end of the stream. As our server writes them: `\n`, one line of data, comments as beats. */
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
