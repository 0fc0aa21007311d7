// Changes on the disk, and news of the workers → events for the pages, gathered so that each page gets few: rows of the
// list a few times a second, an append as soon as it is read, and of one transcript never two readings at once.
import type { TranscriptPlace } from '../../library/transcript-files.ts';
import type { IndexState, SessionRow } from '../wire.ts';
import type { EventHub } from './event-hub.ts';
import { manyRows, type SessionList, type SessionListChange } from './roster.ts';
import type { Tail, TailQuery } from './tail-answers.ts';
import type { Thread } from './thread.ts';
import type { DoctorProgress } from './worker-methods.ts';

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
  /** Transcripts that are being read: `true`, where they have changed again since. */
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
    const news = this.#changed.size + this.#gone.size;
    // They are asked for instead of sent.
    this.#isMany ||= isMany || news > manyRows;
    if (this.#isMany) this.#forgetRows();
    if (this.#isMany || news > 0) this.#rowsTimer ??= setTimeout(() => this.#sendRows(), rowsMs);
  }

  /** How far the index and doctor are; the last word of each is always sent. */
  stateChanged(state: IndexState): void {
    this.#latest.state = state;
    this.#stateTimer ??= setTimeout(() => this.#sendStates(), stateMs);
  }

  doctorChanged(doctor: DoctorProgress): void {
    this.#latest.doctor = doctor;
    this.#stateTimer ??= setTimeout(() => this.#sendStates(), stateMs);
  }

  /** A page has begun to listen: what it knows now is where the news starts. */
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
    this.#look({ key, path: mainPath, agentId: place.agentId ?? null }, place.path);
  }

  /** Nobody watched the disk until now: what pages show may have grown since they asked for it. */
  lookAtAll(): void {
    const live = this.#hub.has(({ wantsLive }) => wantsLive) ? this.#sessions.live().map(({ row }) => row.key) : [];
    for (const key of new Set([...this.#hub.watched(), ...live])) {
      const path = this.#sessions.findPath(key);
      if (path !== undefined) this.#look({ key, path, agentId: null }, path);
    }
  }

  #look(query: TailQuery, file: string): void {
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
      // Gone, or the server stops: the list tells of it.
    } finally {
      this.#reading.delete(file);
    }
  }

  #sendTail({ key }: TailQuery, { append, lines }: Tail): void {
    if (append !== null) this.#hub.tell('append', append, ({ keys }) => keys.has(key));
    if (lines.length > 0) this.#hub.tell('live', { key, lines }, ({ wantsLive }) => wantsLive);
  }

  #sendRows(): void {
    this.#rowsTimer = undefined;
    const [changed, gone, isMany] = [[...this.#changed.values()], [...this.#gone], this.#isMany];
    this.#hub.tell('sessions', { changed, gone, isMany });
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
    if (state !== undefined) this.#hub.tell('index', state);
    if (doctor !== undefined) this.#hub.tell('doctor', doctor);
  }
}
