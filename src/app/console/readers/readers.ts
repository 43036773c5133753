import { AsyncLocalStorage } from 'node:async_hooks';
import type { z } from 'zod';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { FairQueue } from '../../../core/queue/fair-queue.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { type Typed, typedRows } from '../../../core/text/typed-rows.ts';
import { PublicationFollower } from '../../../etl/engines/publication-follower.ts';
import type { AlertSettings } from '../../../etl/project/settings/alert-settings.ts';
import { projectSchedules } from '../../../etl/project/settings/schedules.ts';
import type { CrawlFolderSettings } from '../../../etl/project/settings/settings.ts';
import { type SqlSettings, sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { loadQuestions, type Question } from '../../../etl/project/sql/questions/questions.ts';
import { publicationStamp } from '../../../etl/state/catalog/published/publication-stamp.ts';
import { readPublished } from '../../../etl/state/catalog/published/read-published.ts';
import type { CrawlProxy } from '../../../site/crawler/fetch/crawl-proxy.ts';
import type { RenderOptions } from '../../../site/crawler/render/renderer.ts';
import { type QuerySettings, waitingLimits } from '../../answers/query/open-warehouse.ts';
import type { ParameterTexts } from '../../answers/query/parameters.ts';
import type { Warehouse } from '../../answers/query/warehouse.ts';
import { WarehousePool } from '../../answers/query/warehouse-pool.ts';
import { upcoming } from '../../operations/schedule/next-firing.ts';
import { readStatus, type Status, type StatusSettings } from '../../operations/status/read-status.ts';
import { KeptTexts } from './statement.ts';

/** Slots for one kind of work. The next slot goes to the person with the fewest; none gets more than the limit. */
interface Lane {
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** The place of one read of a preparation in the queue. */
interface PreparingPlace {
  hasSlot: boolean;
}

export type WarehouseRow = Readonly<Record<string, unknown>>;

/** Maximum answers that are kept for their publication. */
const MOST_KEPT = 2000;
/** Maximum characters of these answers as JSON: some answers have thousands of rows. */
const MOST_KEPT_SIZE = 32_000_000;
const NO_PARAMETERS: ParameterTexts = new Map();

type ReaderSettings = QuerySettings &
  StatusSettings &
  SqlSettings &
  CrawlFolderSettings &
  FetchSettings & { readonly alerts: AlertSettings };

/** The settings of the machine that fetches pages. */
export interface FetchSettings {
  readonly rendering: RenderOptions;
  readonly crawl_proxy?: CrawlProxy | undefined;
}

/** The sources of the pages: the published warehouse, the ledger, the files of the project. */
export class Readers implements AsyncDisposable {
  readonly settings: ReaderSettings;
  readonly logger: Logger;
  readonly lanes = new Lanes();
  readonly warehouse: WarehousePool;
  /** For SQL of users on a page; a download has the limits of the settings. */
  readonly asking: WarehousePool;
  readonly texts = new KeptTexts();
  readonly #follower: PublicationFollower;
  readonly #closing = new AbortController();
  /** Ends shared work, which does not end with one page; questions have their own time limit. */
  readonly closing: AbortSignal = this.#closing.signal;
  #kept = new Map<string, Promise<unknown>>();
  readonly #sizes = new WeakMap<Promise<unknown>, number>();
  readonly #places = new WeakMap<Promise<unknown>, PreparingPlace>();
  #keptOf = '';
  #keptSize = 0;

  constructor(settings: ReaderSettings, logger: Logger) {
    this.settings = settings;
    this.logger = logger;
    this.#follower = new PublicationFollower(settings, logger);
    this.warehouse = new WarehousePool(settings, logger, this.#follower, this.lanes.pages);
    this.asking = new WarehousePool(waitingLimits(settings), logger, this.#follower, this.lanes.asking);
  }

  /**
   * Returns the rows of one statement, or the first rows, with the restrictions of `query`.
   *
   * @throws CrawlhouseError `nothing_published`, `bad_query`, `query_limit`
   */
  rows(
    sql: string,
    signal: AbortSignal,
    parameters = NO_PARAMETERS,
    firstRows?: number,
  ): Promise<WarehouseRow[]> {
    return this.warehouse.use((warehouse) => warehouse.rows(sql, signal, parameters, firstRows));
  }

  /** Returns rows for frequently requested pages, read once per publication. */
  rowsOnce<Schema extends z.ZodType>(
    schema: Schema,
    sql: string,
    parameters = NO_PARAMETERS,
  ): Promise<readonly Typed<Schema>[]> {
    const key = JSON.stringify([sql, ...parameters]);
    return this.once(key, async () => typedRows(schema, await this.rows(sql, this.closing, parameters)));
  }

  /** Reads the tables of `ops` in this process; undefined if nothing is published. */
  async published<T>(read: (connection: Connection) => Promise<T>): Promise<T | undefined> {
    await this.#follower.tryFollow();
    return readPublished(this.settings, read);
  }

  /** Returns the result of `read` on the warehouse, read once per publication. */
  readOnce<T>(key: string, read: (warehouse: Warehouse, signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.once(key, () => this.warehouse.use((warehouse) => read(warehouse, this.closing)));
  }

  /**
   * Returns the result of `read`, which depends only on the publication, on `key` and on the day of UTC (mart.tickets);
   * read once per publication and day.
   */
  async once<T>(key: string, read: () => Promise<T>): Promise<T> {
    await this.#follower.tryFollow();
    const stamp = this.#stamp();
    if (stamp !== this.#keptOf) this.#kept.clear();
    this.#keptOf = stamp;
    const { isPreparing } = this.lanes;
    const known = this.#kept.get(key);
    // A person does not wait for the slot of a preparation.
    const isWaiting = known !== undefined && this.#places.get(known)?.hasSlot === false;
    const place = { hasSlot: !isPreparing };
    const begin = (): Promise<T> => (isPreparing ? this.lanes.preparing(read, place) : read());
    const kept = known !== undefined && (isPreparing || !isWaiting) ? known : begin();
    if (kept !== known) this.#places.set(kept, place);
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    try {
      const answer = await kept;
      this.#places.delete(kept);
      if (!this.#sizes.has(kept)) this.#sizes.set(kept, stringifyJson(answer)?.length ?? 0);
      this.#forgetOldest();
      return answer as T;
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      throw error;
    }
  }

  /**
   * Returns a text that changes when kept answers become outdated.
   *
   * @throws CrawlhouseError if the newest publication cannot be fetched
   */
  async currentStamp(): Promise<string> {
    await this.#follower.follow(this.closing);
    return this.#stamp();
  }

  #stamp(): string {
    return `${publicationStamp(this.settings.warehouse)} ${new Date().toISOString().slice(0, 10)}`;
  }

  /** Whether many more answers would remove kept ones. */
  get isHalfFull(): boolean {
    return this.#kept.size > MOST_KEPT / 2 || this.#keptSize > MOST_KEPT_SIZE / 2;
  }

  /** Removes answers beyond the limits; answers that are still being read have no size yet. */
  #forgetOldest(): void {
    let size = 0;
    for (const [key, kept] of [...this.#kept].reverse()) {
      size += this.#sizes.get(kept) ?? 0;
      if (size > MOST_KEPT_SIZE) this.#kept.delete(key);
    }
    this.#keptSize = size;
  }

  /** Shares a read that ends when its requester leaves; another waiting caller then reads again. */
  async onceAsked<T>(
    key: string,
    signal: AbortSignal,
    read: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    let isOwn = false;
    try {
      return await this.once(key, () => {
        isOwn = true;
        return read(signal);
      });
    } catch (thrown) {
      if (isOwn) throw thrown;
      return read(signal);
    }
  }

  forget(key: string): void {
    this.#kept.delete(key);
  }

  async status(): Promise<Status> {
    await this.#follower.tryFollow();
    return readStatus(this.settings, Date.now());
  }

  async firings(): Promise<ReturnType<typeof upcoming>> {
    return upcoming(await projectSchedules(this.settings.projectDir), Date.now());
  }

  questions(): Promise<readonly Question[]> {
    return loadQuestions(sqlFolders(this.settings));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new CrawlhouseError('interrupted', 'the console is closing'));
    await this.warehouse[Symbol.asyncDispose]();
    await this.asking[Symbol.asyncDispose]();
  }
}

/**
 * The slots of the console, with a lane for each kind of work: no page waits for a query of `/ask` or for a download. A
 * lane shares its slots fairly between people, and one person never gets all slots of interactive work.
 */
export class Lanes {
  readonly #person = new AsyncLocalStorage<string>();
  readonly #preparing = new AsyncLocalStorage<PreparingPlace>();
  readonly #quick = this.#lane(3, 2);
  readonly #slow = this.#lane(1, 1);
  /** Pages: three slots, so that one person can use two and another person one. */
  readonly pages: Lane = {
    run: (work) => {
      const place = this.#preparing.getStore();
      if (place === undefined) return this.#quick.run(work);
      return this.#slow.run(() => {
        place.hasSlot = true;
        return work();
      });
    },
  };
  /** Questions that read every page of a site, so that quick ones always find a slot. */
  readonly slowPages: Lane = { run: (work) => (this.isPreparing ? work() : this.#slow.run(work)) };
  /** SQL of users, so that slow queries delay no page. */
  readonly asking = this.#lane(2, 1);
  /** Whole answers: they have the query limits of the settings, so another person needs a free slot. */
  readonly downloads = this.#lane(2, 1);
  /** Shared links, so that no spreadsheet delays a person. */
  readonly shared = this.#lane(1, 1);

  /** Runs a person's work: its slots are counted for that person across all sessions. */
  of<T>({ subject }: { readonly subject: string }, work: () => Promise<T>): Promise<T> {
    return this.#person.run(subject, work);
  }

  /** Prepares pages: one query at a time, in the slot for slow questions. */
  preparing<T>(work: () => Promise<T>, place: PreparingPlace = { hasSlot: false }): Promise<T> {
    return this.#preparing.run(place, work);
  }

  /** Whether the current work is a preparation. */
  get isPreparing(): boolean {
    return this.#preparing.getStore() !== undefined;
  }

  #lane(all: number, each: number): Lane {
    const queue = new FairQueue({ all, project: each, store: all });
    return { run: (work) => queue.run(this.#person.getStore() ?? '', work) };
  }
}

/** Handles errors of projects that omit the shipped models. */
export const withoutModels =
  <T>(instead: T) =>
  (thrown: unknown): T => {
    if (thrown instanceof CrawlhouseError && thrown.code === 'bad_query') return instead;
    throw thrown;
  };
