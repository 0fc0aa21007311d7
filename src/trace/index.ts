export { adviceFor, exampleSpans, exampleWire, sendExample } from './connection-test.ts';
