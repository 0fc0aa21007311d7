// `--to` of an export → the storage it names. The code for S3 is loaded only for S3.
import type { Environment } from '../../../base/node/index.ts';
import { FolderStorage } from './folder-storage.ts';
import type { LakeStorage } from './lake-storage.ts';

/** `s3://BUCKET/PREFIX`, else an absolute folder. */
export async function openStorage(target: string, env: Environment): Promise<LakeStorage> {
  if (!target.startsWith('s3://')) return new FolderStorage(target);
  const { S3Storage } = await import('./s3-storage.ts');
  return S3Storage.open(target, env);
}
