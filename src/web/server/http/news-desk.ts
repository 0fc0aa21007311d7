// Turns changes on disk and events of the workers into events for the pages. Rows are batched a few times a second,
// appends are sent as soon as they are read, and a transcript is never read twice at once.
import type { TranscriptPlace } from '../../../store/transcripts.ts';
import type { IndexState, SessionRow } from '../../wire/wire.ts';
import type { Tail, TailQuery } from '../answers/tail-answers.ts';
import type { Thread } from '../workers/thread.ts';
import type { DoctorProgress } from '../workers/worker-methods.ts';
import type { EventHub } from './change-notifier.ts';
import { manyRows, type SessionList, type SessionListChange } from './session-list.ts';

const rowsMs = 200;
const stateMs = 200;

export class ChangeNotifier {
  readonly #hub: EventHub;
  readonly #sessions: SessionList;
  readonly #reader: Thread<'reader'>;
  readonly #changed = new Map<string, SessionRow>();
  readonly #gone = new Set<string>();
  #isMany = false;
  #rowsTimer: NodeJS.Timeout | undefined;
  #latest: { state?: IndexState; doctor?: DoctorProgress } = {};
  #stateTimer: NodeJS.Timeout | undefined;
  /** Transcripts that are being read; `true`: changed again since. */
  readonly #reading = new Map<string, boolean>();

  constructor(hub: EventHub, sessions: SessionList, reader: Thread<'reader'>) {
    this.#hub = hub;
    this.#sessions = sessions;
    this.#reader = reader;
  }

  rowsChanged({ changed, gone, isMany }: SessionListChange): void {
    for (const row of changed) this.#changed.set(row.key, row);
    for (const key of gone) {
      this.#changed.delete(key);
      this.#gone.add(key);
    }
    const count = this.#changed.size + this.#gone.size;
    // The page asks for them instead.
    this.#isMany ||= isMany || count > manyRows;
    if (this.#isMany) this.#forgetRows();
    if (this.#isMany || count > 0) this.#rowsTimer ??= setTimeout(() => this.#sendRows(), rowsMs);
  }

  /** Progress is throttled, but the last state is always sent. */
  stateChanged(state: IndexState): void {
    this.#latest.state = state;
    this.#stateTimer ??= setTimeout(() => this.#sendStates(), stateMs);
  }

  doctorChanged(doctor: DoctorProgress): void {
    this.#latest.doctor = doctor;
    this.#stateTimer ??= setTimeout(() => this.#sendStates(), stateMs);
  }

  /** A page starts to listen: later appends are compared with the session as it is now. */
  async listen(keys: Iterable<string>, wantsLive: boolean): Promise<void> {
    const paths = [...keys].map((key) => this.#sessions.pathOf(key));
    const live = wantsLive ? this.#sessions.live().map(({ row }) => row.path) : [];
    for (const path of new Set([...paths, ...live]))
      this.#reader.send('know', { key: this.#sessions.keyOf(path) ?? '', path, agentId: null });
  }

  transcriptChanged(place: TranscriptPlace): void {
    const { mainPath } = place;
    const key = mainPath === undefined ? undefined : this.#sessions.keyOf(mainPath);
    if (mainPath === undefined || key === undefined) return;
    if (!this.#hub.has(({ keys, wantsLive }) => wantsLive || keys.has(key))) return;
    this.#check({ key, path: mainPath, agentId: place.agentId ?? null }, place.path);
  }

  /** The watcher has just started: sessions may have grown since pages asked for them. */
  checkAll(): void {
    const live = this.#hub.has(({ wantsLive }) => wantsLive) ? this.#sessions.live().map(({ row }) => row.key) : [];
    for (const key of new Set([...this.#hub.watched(), ...live])) {
      const path = this.#sessions.findPath(key);
      if (path !== undefined) this.#check({ key, path, agentId: null }, path);
    }
  }

  #check(query: TailQuery, file: string): void {
    const isReading = this.#reading.has(file);
    this.#reading.set(file, isReading);
    if (!isReading) void this.#readOn(query, file);
  }

  close(): void {
    clearTimeout(this.#rowsTimer);
    clearTimeout(this.#stateTimer);
  }

  async #readOn(query: TailQuery, file: string): Promise<void> {
    try {
      do {
        this.#reading.set(file, false);
        this.#sendTail(query, await this.#reader.askValue('grown', query));
      } while (this.#reading.get(file) === true);
    } catch {
      // The file is gone (the list shows it) or the server is stopping.
    } finally {
      this.#reading.delete(file);
    }
  }

  #sendTail({ key }: TailQuery, { append, lines }: Tail): void {
    if (append !== null) this.#hub.send('append', append, ({ keys }) => keys.has(key));
    if (lines.length > 0) this.#hub.send('live', { key, lines }, ({ wantsLive }) => wantsLive);
  }

  #sendRows(): void {
    this.#rowsTimer = undefined;
    const [changed, gone, isMany] = [[...this.#changed.values()], [...this.#gone], this.#isMany];
    this.#hub.send('sessions', { changed, gone, isMany });
    this.#isMany = false;
    this.#forgetRows();
  }

  #forgetRows(): void {
    this.#changed.clear();
    this.#gone.clear();
  }

  #sendStates(): void {
    this.#stateTimer = undefined;
    const { state, doctor } = this.#latest;
    this.#latest = {};
    if (state !== undefined) this.#hub.send('index', state);
    if (doctor !== undefined) this.#hub.send('doctor', doctor);
  }
}
