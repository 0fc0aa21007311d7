export { parseDay, parseMoment, parseTime, type TimeWords } from './times.ts';
