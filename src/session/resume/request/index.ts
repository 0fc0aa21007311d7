export {
  type AutoCompaction,
  autoCompactionOf,
  type ClientWindow,
  clientWindow,
  countingSnapshot,
  fullRequest,
  leftAfterCompaction,
  usualWindow,
} from './full-request.ts';
export {
  type ResumeOptions,
  type ResumeRequest,
  type ResumeSource,
  requestMessages,
  resumeLines,
  traceMessages,
} from './request.ts';
