export {
  type AutoCompaction,
  autoCompactionOf,
  countingSnapshot,
  fullRequest,
  leftAfterCompaction,
} from './full-request.ts';
export {
  type ResumeOptions,
  type ResumeRequest,
  type ResumeSource,
  requestMessages,
  resumeLines,
  traceMessages,
} from './request.ts';
