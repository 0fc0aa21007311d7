// fetch with a limit on the size of a single message. A stream of events may be endless; the limit is on what must be
// kept in memory at once.
import type { FetchLike } from '@modelcontextprotocol/sdk/shared/transport.js';

export function boundFetch(maxBytes: number): FetchLike {
  return async (url, init) => {
    const response = await fetch(url, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.includes('text/event-stream') ?? false;
    const bounded = new Response(response.body.pipeThrough(countBytes(maxBytes, isStream)), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
    // The SDK compares the URL with the requested one to detect redirects.
    Object.defineProperty(bounded, 'url', { value: response.url });
    return bounded;
  };
}

function countBytes(maxBytes: number, isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const lineEnd = isStream ? chunk.lastIndexOf(10) : -1;
      bytes = lineEnd < 0 ? bytes + chunk.length : chunk.length - lineEnd;
      if (bytes > maxBytes) controller.error(new Error(`the answer is longer than ${maxBytes} bytes`));
      else controller.enqueue(chunk);
    },
  });
}
