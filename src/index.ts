// The public surface of the library: open a session, walk through it, count it, know what a resume will send; and ask
// about all sessions at once, keep copies of them, follow them as they are written; run the agent (docs/library.md).
// Everything here keeps to one promise: bad data gives diagnostics, never an exception.
export { openAgent } from './agent/agent.ts';
export type {
  Agent,
  AgentState,
  PromptIdentity,
  RewindPoint,
  RewindPreview,
  RewindReport,
} from './agent/contract/agent.ts';
export type { PermissionMode } from './agent/contract/confinement.ts';
export { permissionModes } from './agent/contract/confinement.ts';
export type {
  ContextCategory,
  ContextCategoryId,
  ContextPart,
  ContextUsage,
} from './agent/contract/context-usage.ts';
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
  ModelSwitched,
  Notice,
  PartArrived,
  PermissionFact,
  PromptFrozen,
  PromptGiven,
  PromptOrigin,
  PromptQueued,
  PromptTaken,
  RequestFailed,
  RequestSent,
  RetryPlanned,
  SessionOpened,
  ShellRan,
  TaskEnded,
  TaskProgressed,
  TaskStarted,
  TaskUsage,
  TaskView,
  ThinkingReported,
  ThinkingStripped,
  ToolCallView,
  TurnEnded,
} from './agent/contract/event.ts';
export type { HookCallback, HookName } from './agent/contract/hook.ts';
export { HookUnanswered, hookNames } from './agent/contract/hook.ts';
export type {
  HostConnection,
  HostServerSettings,
  HostServers,
  McpControl,
  McpServerChange,
  McpServerView,
} from './agent/contract/host.ts';
export type { AgentOptions, RunPrice, SessionChoice, SettingSource, ThinkingChoice } from './agent/contract/options.ts';
export { settingSources } from './agent/contract/options.ts';
export type { Approval, Approve, PermissionPlace, PermissionUpdate, RuleOffer } from './agent/contract/permission.ts';
export { permissionPlaces } from './agent/contract/permission.ts';
export type {
  CallProgress,
  ShellOptions,
  ShellReport,
  Todo,
  ToolOutcome,
  UserAnswer,
  UserQuestion,
} from './agent/contract/tool.ts';
export type { ModelFailure } from './api/client/model.ts';
export type { ApiKeySource } from './api/connection/credentials.ts';
export type { ImageSize, ImageType } from './api/request/image-size.ts';
export { decodedByteLength, readImageSize } from './api/request/image-size.ts';
export type {
  BlockView,
  CheckableRequest,
  ImageView,
  MessageView,
  Place,
  RequestView,
} from './api/request/request-view.ts';
export { viewRequest } from './api/request/request-view.ts';
export { apiRules, checkRequest } from './api/rules/check-request.ts';
export type { ApiRule, Violation } from './api/rules/rule.ts';
export type { Mismatch } from './api/server/match-request.ts';
export type { MessagesServer, ScriptedServerOptions, ServerOptions } from './api/server/messages-server.ts';
export { startScriptedServer } from './api/server/messages-server.ts';
export type { ReplayCounts, ReplayOptions, ReplayServer, Served } from './api/server/replay-server.ts';
export { isSideRequest, startReplayServer } from './api/server/replay-server.ts';
export type {
  ApiError,
  ReplyBlock,
  Script,
  ScriptedError,
  ScriptedHang,
  ScriptedReply,
  ScriptStep,
  ServedRequest,
  StreamFault,
} from './api/server/script.ts';
export type { AccountKind } from './api/server/thinking-check.ts';
export type { Diagnostic } from './base/errors/errors.ts';
export { UserError } from './base/errors/errors.ts';
export type { JsonObject, JsonValue } from './base/json/json.ts';
export type { Bytes, Environment } from './base/node/node-types.ts';
export { version } from './base/version/version.ts';
export type { ContextOptions } from './context/ledger/ledger.ts';
export { contextLedger } from './context/ledger/ledger.ts';
export type {
  Basis,
  ContextDrop,
  ContextLedger,
  ContextRequest,
  ContextSlice,
  ContextTurn,
  LineRange,
  SliceFree,
  SliceKind,
} from './context/wire/ledger.ts';
export { sliceKinds, sliceLabels } from './context/wire/ledger.ts';
export type { PlacedViolation } from './doctor/checks/api.ts';
export type { Segment } from './doctor/checks/examined-session.ts';
export type { DamageClass, DamageCode, Finding, Severity } from './doctor/checks/finding.ts';
export { damageClasses, damageCodes } from './doctor/checks/finding.ts';
export type { FolderOptions } from './doctor/checks/folder.ts';
export type { DiagnoseOptions, Diagnosis } from './doctor/diagnosis/diagnose.ts';
export { diagnoseSession } from './doctor/diagnosis/diagnose.ts';
export type { RepairOptions } from './doctor/repair/repair.ts';
export { planRepair } from './doctor/repair/repair.ts';
export type { Strategy } from './doctor/repair/sequence.ts';
export type { JsonOptions } from './export/json.ts';
export { exportJson } from './export/json.ts';
export type { MarkdownOptions } from './export/markdown/markdown.ts';
export { exportMarkdown } from './export/markdown/markdown.ts';
export { exportAnthropic, exportOpenai } from './export/requests.ts';
export type { ExportSource, SecretCount } from './export/source/source.ts';
export { exportSource } from './export/source/source.ts';
export type { Edit, JsonPath } from './format/bytes/edit.ts';
export type {
  Block,
  BlockOf,
  BlockType,
  ImageBlock,
  KnownBlock,
  Odd,
  TextBlock,
  ThinkingBlock,
  ToolResultBlock,
  ToolUseBlock,
  UnknownBlock,
} from './format/entry/block.ts';
export { blocksOf, isImage, isText, isThinking, isToolResult, isToolUse, textOf } from './format/entry/block.ts';
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
} from './format/entry/entry.ts';
export { contentOf, isAssistant, isAttachment, isSystem, isUser, roleOf } from './format/entry/entry.ts';
export type {
  KnownToolResult,
  ToolResult,
  ToolResultKind,
  ToolResultOf,
  ToolResultShape,
} from './format/entry/tool-result.ts';
export { toolResultKind } from './format/entry/tool-result.ts';
export type { TokenCounts, Usage } from './format/entry/usage.ts';
export type { EntryPiece, ParsedLine, Piece, RawPiece } from './format/line/line.ts';
export { editEntry, parseLine, serialiseLine } from './format/line/line.ts';
export type { LineDamage, LineDamageCode, Span } from './format/line/recover.ts';
export type { CallHead, Head, MessageHead, ResultHead } from './format/scan/scan.ts';
export { scanRecord } from './format/scan/scan.ts';
export type { ArchiveOptions, ArchiveReport, SessionOutcome } from './library/archive/archive.ts';
export { archiveSessions, findOrphans, type OrphanSession } from './library/archive/archive.ts';
export type { ArchivedCopy } from './library/archive/copies.ts';
export type { ArchivedSession } from './library/archive/pack/contents.ts';
export type { ArchivedFile, Manifest } from './library/archive/pack/manifest.ts';
export type { ArchivedPlace, Restored, RestoredFile, RestoreOptions } from './library/archive/restore.ts';
export { listArchive, restoreSession } from './library/archive/restore.ts';
export type { IndexProgress, IndexReport } from './library/index/indexer.ts';
export type { ListedSession, SessionList } from './library/index/session-list.ts';
export type { Verdict } from './library/index/session-summaries.ts';
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
export type { Hit, MatchedWords, SearchQuery, SearchResult, SessionHits } from './library/search/search.ts';
export type { SessionPath } from './library/session-files/session-paths.ts';
export type { HitSession, SearchFilter } from './library/text/filter.ts';
export type { SnippetPiece } from './library/text/snippet.ts';
export type { TextKind } from './library/text/text-extract.ts';
export type { UsageSession } from './library/usage/cells.ts';
export type { BlockPace, ReportKind, UnpricedModel, UsageRow, UsageSum } from './library/usage/report.ts';
export { reportKinds } from './library/usage/report.ts';
export type { FollowOptions, NewRecord } from './library/watch/follow.ts';
export { followRecords } from './library/watch/follow.ts';
export type { LiveIndexOptions } from './library/watch/live-index.ts';
export { keepCurrent } from './library/watch/live-index.ts';
export type { ModelFacts } from './models/facts.ts';
export type { Effort } from './models/model-row.ts';
export type { OriginFacts } from './session/facts/origin-facts.ts';
export type { Reachable } from './session/facts/reachable.ts';
export type { LoadAgent } from './session/facts/session-usage.ts';
export { sessionUsage, turnUsage, usageLinesOf } from './session/facts/session-usage.ts';
export type { SessionSummary } from './session/facts/summary.ts';
export { summarise, summariseFile } from './session/facts/summary.ts';
export { titleOf } from './session/facts/titles.ts';
export type { PullRequest, WorkFacts, Worktree } from './session/facts/work-facts.ts';
export type { Graph } from './session/graph/graph.ts';
export type { Relatives } from './session/graph/relatives.ts';
export type { AgentSource } from './session/load/agents.ts';
export type { Compaction } from './session/load/compaction.ts';
export { compactionsOf } from './session/load/compaction.ts';
export type { Branch, Session } from './session/load/session.ts';
export { cwdOf, diagnosticsOf, loadAgent, loadSession, readEntry, versionsOf } from './session/load/session.ts';
export type { WireBlock, WireMessage } from './session/resume/messages/draft.ts';
export type { ClientHost } from './session/resume/messages/for-request.ts';
export type { AutoCompaction } from './session/resume/request/full-request.ts';
export type { ResumeRequest, ResumeSource } from './session/resume/request/request.ts';
export { type ResumeOptions, requestMessages } from './session/resume/request/request.ts';
export type { Node, NodeMessage, PromptKind, UserKind } from './session/transcript/node.ts';
export { promptText } from './session/transcript/prompt-text.ts';
export type { SessionFileOptions } from './session/transcript/recognise.ts';
export type { NeededPart, Transcript, TranscriptOptions } from './session/transcript/transcript.ts';
export type { QueuedPrompt } from './session/turns/queue.ts';
export { findQueuedPrompts } from './session/turns/queue.ts';
export type { ToolCall } from './session/turns/tool-calls.ts';
export { toolCallsOf } from './session/turns/tool-calls.ts';
export type { Message, Turn } from './session/turns/turns.ts';
export { messagesOf, turnsOf } from './session/turns/turns.ts';
export type {
  CountedMessage,
  DroppedLine,
  DropReason,
  UsageCount,
  UsageLine,
  UsageTotals,
} from './session/usage/usage.ts';
export { countUsage, totalUsage } from './session/usage/usage.ts';
export type { Round, RoundType, StrictTurn, StrictTurns } from './session/views/views.ts';
export { roundsOf, strictTurns } from './session/views/views.ts';
export type { FoundSession, FoundSessions } from './store/discover.ts';
export { discoverSessions, findSession } from './store/discover.ts';
export type { FileState } from './store/file-state.ts';
export type { Line, LineOptions } from './store/lines.ts';
export { readLines } from './store/lines.ts';
export type { DiskProblem, LeftOut } from './store/owned-files.ts';
export type { ProjectsFolder, RootOptions } from './store/roots.ts';
export { encodeSlug, resolveRoots } from './store/roots.ts';
export type { AgentFile, SessionFiles } from './store/session-files.ts';
export type { TranscriptPlace } from './store/transcripts.ts';
export type { OperateOptions, Outcome } from './surgery/engine/operate.ts';
export { operate } from './surgery/engine/operate.ts';
export type {
  Dropped,
  Plan,
  PlannedFile,
  PlannedOtherFile,
  PlannedSession,
  Source,
  SourceFile,
} from './surgery/engine/plan.ts';
export { loadSource } from './surgery/engine/plan.ts';
export type { Proof } from './surgery/engine/stage.ts';
export type { ThinkingOutcome } from './surgery/engine/trim-thinking.ts';
export type { Doubt } from './surgery/journal/change-on-disk.ts';
export type {
  FileChange,
  OperationRecord,
  OperationState,
  PlannedSource,
  SourceState,
} from './surgery/journal/operation-log.ts';
export { operationsFolder, readRecords } from './surgery/journal/operation-log.ts';
export type { Recovered } from './surgery/journal/recover-operations.ts';
export { undoOperation } from './surgery/journal/undo-operations.ts';
export type { CompressOptions } from './surgery/operations/compress.ts';
export { planCompress } from './surgery/operations/compress.ts';
export type { Summary } from './surgery/operations/compress-summary.ts';
export type { ForkOptions } from './surgery/operations/fork.ts';
export { planFork } from './surgery/operations/fork.ts';
export type { GraftOptions } from './surgery/operations/graft.ts';
export { planGraft } from './surgery/operations/graft.ts';
export { planRename, planTag } from './surgery/operations/rename.ts';
export type { RewindOptions, SplitOptions } from './surgery/operations/rewind.ts';
export { planRewind, planSplit } from './surgery/operations/rewind.ts';
export type { FoundSecret } from './surgery/redact/redactor.ts';
export type { SessionRedactor } from './surgery/redact/session-redactor.ts';
export { redactorFor } from './surgery/redact/session-redactor.ts';
export type { ThinkingRule } from './surgery/request/bound-thinking.ts';
export type { ResumeLook } from './surgery/request/resume-look.ts';
export { planStrip } from './surgery/strip/strip.ts';
export type { StripOptions } from './surgery/strip/strip-options.ts';
export type { Labels, TraceConfig } from './trace/config/config.ts';
export { readTraceConfig } from './trace/config/config.ts';
export type { Destination, ProfileName, WireFormat } from './trace/config/destinations.ts';
export type { DestinationReport } from './trace/outbox/delivery-status.ts';
export { reportDestination } from './trace/outbox/delivery-status.ts';
export type { ParkedBatch } from './trace/outbox/outbox.ts';
export type { SendOptions, SendReport } from './trace/outbox/send.ts';
export { sendOutbox } from './trace/outbox/send.ts';
export type { TraceContext } from './trace/session/context.ts';
export { createTraceContext } from './trace/session/context.ts';
export { recoverSessions } from './trace/session/recover.ts';
export type { SessionReport, SessionRun } from './trace/session/trace-session.ts';
export { traceSession } from './trace/session/trace-session.ts';
export type { ContentMode } from './trace/span/content.ts';
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
} from './trace/span/span.ts';
export type { ExplainedSpan, SessionSpansOptions } from './trace/spans/session-spans.ts';
export { explainJson, explainLines, sessionSpans } from './trace/spans/session-spans.ts';
export type { TracePlaces } from './trace/state/places.ts';
