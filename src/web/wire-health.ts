// What the page asks of doctor, and of the repairs that surgery makes.

export const severityNames = ['fatal', 'loss', 'warn', 'info'] as const;
export type Severity = (typeof severityNames)[number];

export interface FindingView {
  readonly code: string;
  readonly severity: Severity;
  /** What this kind of damage is. */
  readonly title: string;
  readonly file: string;
  readonly line: number;
  readonly message: string;
  readonly effect: string;
  readonly fix: string;
}

export interface ReachView {
  readonly loaded: number;
  readonly of: number;
}

export interface DiagnosisAnswer {
  readonly key: string;
  readonly findings: readonly FindingView[];
  /** More were found than are given. */
  readonly hasMore: boolean;
  readonly reachable: ReachView;
  readonly reachableOld: ReachView;
  /** Set where the client compacts the session before it takes up a prompt; what is left then, in words. */
  readonly compactsFirst: { readonly tokens: number; readonly limit: number; readonly left: string } | null;
  readonly violations: readonly { readonly rule: string; readonly message: string; readonly line: number }[];
  /** Whether a repair has anything to do. */
  readonly isMendable: boolean;
  /** Files and folders of it that could not be read. */
  readonly unread: readonly { readonly path: string; readonly code: string }[];
}

export interface LibraryDoctorAnswer {
  readonly state: 'idle' | 'running' | 'done' | 'failed';
  readonly bytesDone: number;
  readonly bytesTotal: number;
  readonly sessionsDone: number;
  readonly sessionsTotal: number;
  /** Sessions with findings, worst first. */
  readonly sessions: readonly DoctorRow[];
  readonly folders: readonly FindingView[];
  /** Files and folders that could not be examined. */
  readonly unread: readonly { readonly path: string; readonly code: string }[];
  readonly counts: readonly {
    readonly code: string;
    readonly title: string;
    readonly severity: Severity;
    readonly findings: number;
    readonly sessions: number;
  }[];
}

export interface DoctorRow {
  readonly key: string;
  readonly id: string;
  readonly title: string | null;
  readonly project: string;
  readonly severity: Severity;
  readonly reachable: ReachView;
  readonly codes: readonly { readonly code: string; readonly count: number }[];
}

/** What a repair would do, proved on a copy; one for each strategy that differs. */
export interface FixPreview {
  readonly strategy: string;
  readonly meaning: string;
  readonly isDefault: boolean;
  readonly before: ReachView;
  readonly after: ReachView;
  readonly changed: number;
  readonly dropped: readonly { readonly line: number; readonly reason: string }[];
  readonly droppedTotal: number;
  readonly sizeBefore: number;
  readonly sizeAfter: number;
  readonly notes: readonly string[];
}

export interface FixAnswer {
  /** None where there is nothing to mend. */
  readonly previews: readonly FixPreview[];
}

export interface ApplyFix {
  readonly strategy?: string;
  /** Takes the place of the session, which is kept for undo, instead of making a new one. */
  readonly inPlace?: boolean;
}

export interface AppliedFix {
  /** For undo. */
  readonly operation: string;
  readonly to: { readonly key: string; readonly id: string };
  readonly preview: FixPreview;
  /** What is left, looked at again. */
  readonly left: readonly FindingView[];
}

export interface OperationRow {
  readonly id: string;
  readonly operation: string;
  readonly at: string;
  readonly state: string;
  readonly from: readonly { readonly key: string; readonly id: string }[];
  readonly to: readonly { readonly key: string; readonly id: string }[];
  readonly canUndo: boolean;
}
