// The public surface of the library: open a session, walk through it, count it, know what a resume will send; and ask
// about all sessions at once, keep copies of them, follow them as they are written; run the agent (docs/library.md).
// Everything here keeps to one promise: bad data gives diagnostics, never an exception.
export { openAgent } from './agent/agent.ts';
export type {
  AgentEvent,
  AgentFinished,
  AgentHappening,
  AgentMark,
  AgentStarted,
  AnswerAbandoned,
  AnswerFinished,
  AnswerHead,
  BlockFinished,
  CallFinished,
  CallProgressed,
  CallStarted,
  Compacted,
  Compacting,
  EventSink,
  FileKept,
  HookRan,
  Interrupted,
  ModeChanged,
  Notice,
  PartArrived,
  PromptFrozen,
  PromptGiven,
  PromptQueued,
  PromptTaken,
  RequestFailed,
  RequestSent,
  RetryPlanned,
  SessionOpened,
  ThinkingReported,
  ThinkingStripped,
  ToolCallView,
  TurnEnded,
} from './agent/event.ts';
export type {
  Agent,
  AgentOptions,
  AgentState,
  RewindPoint,
  RewindReport,
  RunPrice,
  SessionChoice,
} from './agent/handle.ts';
export type { Approval, Approve, RuleOffer } from './agent/parts.ts';
export type { PermissionMode } from './agent/permission-mode.ts';
export { permissionModes } from './agent/permission-mode.ts';
export type { CallProgress, Todo, ToolOutcome, UserAnswer, UserQuestion } from './agent/tool.ts';
export { apiRules } from './api/api-rules.ts';
export { checkRequest } from './api/check-request.ts';
export type { ModelFailure } from './api/client/model.ts';
export type { ImageSize, ImageType } from './api/image-size.ts';
export { decodedByteLength, readImageSize } from './api/image-size.ts';
export type { BlockView, CheckableRequest, ImageView, MessageView, Place, RequestView } from './api/request-view.ts';
export { viewRequest } from './api/request-view.ts';
export type { ApiRule, Violation } from './api/rule.ts';
export type { MessagesServer, ServerOptions } from './api/server/messages-server.ts';
export type { Mismatch } from './api/server/mismatch.ts';
export type { ReplayCounts, ReplayOptions, ReplayServer, Served } from './api/server/replay-server.ts';
export { startReplayServer } from './api/server/replay-server.ts';
export type { ServedRequest } from './api/server/request-log.ts';
export type {
  ApiError,
  ReplyBlock,
  Script,
  ScriptedError,
  ScriptedHang,
  ScriptedReply,
  ScriptStep,
  StreamFault,
} from './api/server/script.ts';
export type { ScriptedServerOptions } from './api/server/scripted-server.ts';
export { startScriptedServer } from './api/server/scripted-server.ts';
export { isSideRequest } from './api/server/side-request.ts';
export type { AccountKind } from './api/server/thinking-check.ts';
export type { Diagnostic } from './base/diagnostic.ts';
export { UserError } from './base/errors.ts';
export type { JsonObject, JsonValue } from './base/json.ts';
export type { Bytes, Environment } from './base/node-types.ts';
export { version } from './base/version.ts';
export type { PlacedViolation } from './doctor/api.ts';
export type { DiagnoseOptions, Diagnosis } from './doctor/diagnose.ts';
export { diagnoseSession } from './doctor/diagnose.ts';
export type { DamageClass, DamageCode, Finding, Severity } from './doctor/finding.ts';
export { damageClasses, damageCodes } from './doctor/finding.ts';
export type { FolderOptions } from './doctor/folder.ts';
export type { RepairOptions } from './doctor/repair/repair.ts';
export { planRepair } from './doctor/repair/repair.ts';
export type { Strategy } from './doctor/repair/sequence.ts';
export type { Segment } from './doctor/segments.ts';
export { exportAnthropic } from './export/anthropic.ts';
export type { JsonOptions } from './export/json.ts';
export { exportJson } from './export/json.ts';
export type { MarkdownOptions } from './export/markdown.ts';
export { exportMarkdown } from './export/markdown.ts';
export { exportOpenai } from './export/openai.ts';
export type { ExportSource, SecretCount } from './export/subject.ts';
export { exportSource } from './export/subject.ts';
export type {
  Block,
  BlockOf,
  BlockType,
  ImageBlock,
  KnownBlock,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
} from './format/block.ts';
export { blocksOf, isImage, isText, isThinking, isToolResult, isToolUse, textOf } from './format/block.ts';
export type { Edit, JsonPath } from './format/edit.ts';
export type {
  AssistantEntry,
  AttachmentEntry,
  Entry,
  EntryOf,
  EntryType,
  Envelope,
  KnownEntry,
  SystemEntry,
  UnknownEntry,
  UserEntry,
} from './format/entry.ts';
export { contentOf, isAssistant, isAttachment, isSystem, isUser, roleOf } from './format/entry.ts';
export type { Odd } from './format/fields.ts';
export type { CallHead, Head, MessageHead, ResultHead } from './format/head.ts';
export type { EntryPiece, ParsedLine, Piece, RawPiece } from './format/line.ts';
export { editEntry, parseLine, serialiseLine } from './format/line.ts';
export type { LineDamage, LineDamageCode, Span } from './format/recover.ts';
export { scanRecord } from './format/scan.ts';
export type {
  KnownToolResult,
  ToolResult,
  ToolResultKind,
  ToolResultOf,
  ToolResultShape,
} from './format/tool-result.ts';
export { toolResultKind } from './format/tool-result.ts';
export type { TokenCounts, Usage } from './format/usage.ts';
export type { ArchiveOptions, ArchiveReport, SessionOutcome } from './library/archive/archive.ts';
export { archiveSessions } from './library/archive/archive.ts';
export type { ArchivedSession } from './library/archive/contents.ts';
export { listArchive } from './library/archive/find.ts';
export type { ArchivedFile, Manifest } from './library/archive/manifest.ts';
export { findOrphans, type OrphanSession } from './library/archive/orphans.ts';
export type { Restored, RestoredFile, RestoreOptions } from './library/archive/restore.ts';
export { restoreSession } from './library/archive/restore.ts';
export type { SessionPath } from './library/archive/session-paths.ts';
export type { FollowOptions, NewRecord } from './library/follow.ts';
export { followRecords } from './library/follow.ts';
export type { IndexProgress, IndexReport } from './library/indexer.ts';
export type {
  Library,
  LibraryOptions,
  LibraryQuery,
  LibraryUpdate,
  LibraryUsage,
  UpdateLibraryOptions,
  UsageQuery,
} from './library/library.ts';
export { openLibrary } from './library/library.ts';
export type { UsageSession } from './library/library-usage.ts';
export type { LiveIndexOptions } from './library/live-index.ts';
export { keepCurrent } from './library/live-index.ts';
export type { Hit, SearchQuery, SearchResult, SessionHits } from './library/search.ts';
export type { HitSession, SearchFilter } from './library/search-filter.ts';
export type { SnippetPiece } from './library/search-snippet.ts';
export type { ListedSession, SessionList } from './library/session-list.ts';
export type { TextKind } from './library/text-extract.ts';
export type { ReportKind, UnpricedModel, UsageRow, UsageSum } from './library/usage-report.ts';
export { reportKinds } from './library/usage-report.ts';
export type { Verdict } from './library/verdicts.ts';
export type { ModelFacts } from './models/facts.ts';
export type { AgentSource } from './session/agents.ts';
export type { Branch } from './session/branch.ts';
export type { Compaction } from './session/compaction.ts';
export { compactionsOf } from './session/compaction.ts';
export type { Graph } from './session/graph.ts';
export type { PromptKind, UserKind } from './session/input.ts';
export type { Node, NodeMessage } from './session/node.ts';
export { promptText } from './session/prompt-text.ts';
export type { QueuedPrompt } from './session/queue.ts';
export { findQueuedPrompts } from './session/queue.ts';
export type { Reachable } from './session/reachable.ts';
export type { SessionFileOptions } from './session/recognise.ts';
export type { Relatives } from './session/relatives.ts';
export type { AutoCompaction } from './session/resume/auto-compaction.ts';
export type { WireBlock, WireMessage } from './session/resume/draft.ts';
export type { ClientHost } from './session/resume/model.ts';
export type { ResumeRequest, ResumeSource } from './session/resume/request.ts';
export { type ResumeOptions, requestMessages } from './session/resume/request.ts';
export type { Session } from './session/session.ts';
export { cwdOf, diagnosticsOf, loadAgent, loadSession, readEntry, versionsOf } from './session/session.ts';
export type { SessionSummary } from './session/summary.ts';
export { summarise, summariseFile } from './session/summary.ts';
export { titleOf } from './session/title.ts';
export type { ToolCall } from './session/tool-calls.ts';
export { toolCallsOf } from './session/tool-calls.ts';
export type { Transcript, TranscriptOptions } from './session/transcript.ts';
export { turnUsage } from './session/turn-usage.ts';
export type { Message, Turn } from './session/turns.ts';
export { messagesOf, turnsOf } from './session/turns.ts';
export type { CountedMessage, DroppedLine, DropReason, UsageCount, UsageLine, UsageTotals } from './session/usage.ts';
export { countUsage, totalUsage } from './session/usage.ts';
export type { LoadAgent } from './session/usage-lines.ts';
export { sessionUsage, usageLinesOf } from './session/usage-lines.ts';
export type { Round, RoundType } from './session/views/rounds.ts';
export { roundsOf } from './session/views/rounds.ts';
export type { StrictTurn, StrictTurns } from './session/views/strict-turns.ts';
export { strictTurns } from './session/views/strict-turns.ts';
export type { FoundSession, FoundSessions } from './store/discover.ts';
export { discoverSessions, findSession } from './store/discover.ts';
export type { DiskProblem } from './store/folders.ts';
export type { Line, LineOptions } from './store/lines.ts';
export { readLines } from './store/lines.ts';
export type { LeftOut } from './store/owned-files.ts';
export type { ProjectsFolder, RootOptions } from './store/roots.ts';
export { resolveRoots } from './store/roots.ts';
export type { AgentFile, SessionFiles } from './store/session-files.ts';
export { encodeSlug } from './store/slug.ts';
export type { TranscriptPlace } from './store/transcripts.ts';
export type { ThinkingRule } from './surgery/bound-thinking.ts';
export type { CompressOptions } from './surgery/compress.ts';
export { planCompress } from './surgery/compress.ts';
export type { Summary } from './surgery/compress-summary.ts';
export type { ForkOptions } from './surgery/fork.ts';
export { planFork } from './surgery/fork.ts';
export type { GraftOptions } from './surgery/graft.ts';
export { planGraft } from './surgery/graft.ts';
export type { OperateOptions, Outcome } from './surgery/operate.ts';
export { operate } from './surgery/operate.ts';
export type { FileChange, FileState, OperationRecord } from './surgery/operation-log.ts';
export { operationsFolder, readRecords } from './surgery/operation-log.ts';
export type { Dropped, Plan, PlannedFile, PlannedOtherFile, PlannedSession, PlannedSource } from './surgery/plan.ts';
export type { Proof } from './surgery/prove.ts';
export type { SessionRedactor } from './surgery/redact-parcel.ts';
export { redactorFor } from './surgery/redact-parcel.ts';
export type { FoundSecret } from './surgery/redactor.ts';
export { planRename, planTag } from './surgery/rename.ts';
export type { ResumeLook } from './surgery/resume-look.ts';
export type { RewindOptions } from './surgery/rewind.ts';
export { planRewind } from './surgery/rewind.ts';
export type { Source, SourceFile } from './surgery/source.ts';
export { loadSource } from './surgery/source.ts';
export type { SplitOptions } from './surgery/split.ts';
export { planSplit } from './surgery/split.ts';
export { planStrip } from './surgery/strip.ts';
export type { StripOptions } from './surgery/strip-options.ts';
export type { ThinkingOutcome } from './surgery/thinking-outcome.ts';
export { undoOperation } from './surgery/undo.ts';
export type { Labels, TraceConfig } from './trace/config.ts';
export { readTraceConfig } from './trace/config.ts';
export type { ContentMode } from './trace/content.ts';
export type { TraceContext } from './trace/context.ts';
export { createTraceContext } from './trace/context.ts';
export type { DestinationReport } from './trace/destination-report.ts';
export { reportDestination } from './trace/destination-report.ts';
export type { Destination, ProfileName, WireFormat } from './trace/destinations.ts';
export type { ExplainedSpan } from './trace/explain.ts';
export { explainJson, explainLines } from './trace/explain.ts';
export type { ParkedBatch } from './trace/outbox.ts';
export type { TracePlaces } from './trace/places.ts';
export { recoverSessions } from './trace/recover.ts';
export type { SendOptions, SendReport } from './trace/send.ts';
export { sendOutbox } from './trace/send.ts';
export type { SessionSpansOptions } from './trace/session-spans.ts';
export { sessionSpans } from './trace/session-spans.ts';
export type {
  GenerationDetail,
  GenerationResult,
  ImagePlaceholder,
  SpanParent,
  SubagentDetail,
  ToolDetail,
  TraceCompaction,
  TraceSpan,
  TraceUsage,
  TurnDetail,
} from './trace/span.ts';
export type { SessionReport, SessionRun } from './trace/trace-session.ts';
export { traceSession } from './trace/trace-session.ts';
