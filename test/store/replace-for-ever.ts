// A program for replace.test.ts, made to be killed: replaces the file it is given again and again, in turn by 4 MB
// of "a" lines and 4 MB of "b" lines, and prints a line after each time. With "half", it kills itself halfway.
import { replaceFile } from '../../src/store/replace.ts';

const [file = '', mode] = process.argv.slice(2);
for (let round = 0; ; round++) {
  await replaceFile(file, pieces(round % 2 === 0 ? 'b' : 'a'));
  console.log(round);
}

function* pieces(letter: string): Generator<Buffer> {
  const line = Buffer.from(`${letter.repeat(1023)}\n`);
  for (let count = 0; count < 4096; count++) {
    if (mode === 'half' && count === 2048) process.kill(process.pid, 'SIGKILL');
    yield line;
  }
}
