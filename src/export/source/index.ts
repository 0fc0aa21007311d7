export {
  type ExportSource,
  exportFileName,
  exportSource,
  modelsOf,
  openSourceAgent,
  type SecretCount,
} from './source.ts';
