// Whether a disk of a few kilobytes can be mounted without rights: in a user namespace.
import { spawnSync } from 'node:child_process';

export const noSmallDisk: string | false =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
    ? false
    : 'no user namespace to mount a small disk in';
