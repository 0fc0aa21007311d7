export { useFollowing } from './following.ts';
export { FileNotices, LiveBadge, RunningTime, usePresence } from './presence.tsx';
export { runningFrom } from './running.ts';
