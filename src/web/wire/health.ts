// Answers of doctor and of the repairs that surgery makes.

export const severityNames = ['fatal', 'loss', 'warn', 'info'] as const;
export type Severity = (typeof severityNames)[number];

export interface FindingView {
  readonly code: string;
  readonly severity: Severity;
  /** The kind of damage. */
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
  /** There are more findings than listed. */
  readonly hasMore: boolean;
  readonly reachable: ReachView;
  readonly reachableOld: ReachView;
  /** Set if the client compacts the session before the next prompt; `left` describes what remains. */
  readonly compactsFirst: { readonly tokens: number; readonly limit: number; readonly left: string } | null;
  readonly violations: readonly { readonly rule: string; readonly message: string; readonly line: number }[];
  readonly isRepairable: boolean;
  /** Files and folders of the session that could not be read. */
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
  /** What the most severe finding means for the user; `F-expiring` comes last. */
  readonly effect: string;
  /** A repair can help. */
  readonly isRepairable: boolean;
  /** The most severe first. */
  readonly codes: readonly { readonly code: string; readonly title: string; readonly count: number }[];
}

/** The result of a repair, verified on a copy; one for each strategy that differs. */
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
  /** Empty if there is nothing to repair. */
  readonly previews: readonly FixPreview[];
}

export interface ApplyFix {
  readonly strategy?: string;
  /** Replaces the session, which is kept for undo, instead of writing a new one. */
  readonly inPlace?: boolean;
}

export interface AppliedFix {
  /** Its id, for undo. */
  readonly operation: string;
  readonly to: { readonly key: string; readonly id: string };
  readonly preview: FixPreview;
  /** The findings that remain. */
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
