// The command that makes a smaller copy of an image that is too large, for the model or the user to run.
import path from 'node:path';
import { shellQuote } from '../../base/text/shell-quote.ts';

export function smallerPictureCommand(file: string, side: number, platform: string = process.platform): string {
  const { dir, name, ext } = path.parse(file);
  const [from, to] = [file, path.join(dir, `${name}-small${ext}`)].map((each) =>
    shellQuote(each.startsWith('-') ? `./${each}` : each),
  );
  return platform === 'darwin'
    ? `sips -Z ${side} ${from} --out ${to}`
    : `magick ${from} -resize '${side}x${side}>' ${to}`;
}
