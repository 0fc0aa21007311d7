export { compactionJson, exportJson, promptJson } from './json.ts';
export { exportAnthropic, exportOpenai } from './requests.ts';
