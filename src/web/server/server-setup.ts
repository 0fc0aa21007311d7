// What a server of the page is started with, and what one has of it while it runs.

export interface ServerSetup {
  readonly roots: readonly string[];
  /** Clew's own state folder. */
  readonly state: string;
  readonly isDemo: boolean;
  readonly allowsChanges: boolean;
  /** 0: any that is free. */
  readonly port: number;
  /** Where the built page is. */
  readonly pageFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onNotice: (message: string) => void;
  /** Bugs, with their stack. */
  readonly onFault: (message: string) => void;
}

export interface RunningServer {
  readonly port: number;
  /** With its token: who has it may read everything. */
  readonly url: string;
  /** The address of a session's page, with the token; `undefined` for a file that is no session below the roots. */
  urlOf(path: string): Promise<string | undefined>;
  /** Pages that listen, and those of them that do not keep up. */
  listeners(): number;
  behind(): number;
  close(): Promise<void>;
}
