// The options of the page's server, and its handle while it runs.

export interface ServerSetup {
  readonly roots: readonly string[];
  /** Clew's own state folder. */
  readonly state: string;
  readonly isDemo: boolean;
  readonly allowsChanges: boolean;
  /** 0: any free port. */
  readonly port: number;
  /** The folder of the built page. */
  readonly pageFolder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly onNotice: (message: string) => void;
  /** Bugs, with their stack. */
  readonly onFault: (message: string) => void;
}

export interface RunningServer {
  readonly port: number;
  /** With the token, which gives access to all data. */
  readonly url: string;
  /** The address of a session's page, with the token; `undefined` for a file that is not a session below the roots. */
  urlOf(path: string): Promise<string | undefined>;
  close(): Promise<void>;
}
