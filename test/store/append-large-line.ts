// A program for append.test.ts: appends one line of 1 MB to the file it is given and prints how that was refused.
import { appendLines, identify } from '../../src/store/append.ts';
import { refusalOf } from '../support/refusal.ts';

const file = process.argv[2] ?? '';
const refusal = await refusalOf(appendLines(file, ['x'.repeat(1 << 20)], identify(file)));
console.log(refusal?.message ?? 'not refused');
