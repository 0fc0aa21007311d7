// Text of a transcript within the page's own sentences.
import { neutralise } from '../../../../base/text/index.ts';

/** For names, paths and lines in the page's own sentences. */
export function Words({ text }: { readonly text: string }) {
  return <bdi>{neutralise(text)}</bdi>;
}
