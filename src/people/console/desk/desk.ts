import { AsyncLocalStorage } from 'node:async_hooks';
import { type QuerySettings, waitingLimits } from '../../../answers/query/open-warehouse.ts';
import type { ParameterTexts } from '../../../answers/query/parameters.ts';
import type { Warehouse } from '../../../answers/query/warehouse.ts';
import { WarehousePool } from '../../../answers/query/warehouse-pool.ts';
import type { Connection } from '../../../core/duckdb/duckdb.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { FairQueue } from '../../../core/queue/fair-queue.ts';
import { stringifyJson } from '../../../core/text/json.ts';
import { PublicationFollower } from '../../../engines/publication-follower.ts';
import { upcoming } from '../../../operations/schedule/next-firing.ts';
import { readStatus, type Status, type StatusSettings } from '../../../operations/status/read-status.ts';

import { loadQuestions, type Question } from '../../../pipeline/transform/questions/questions.ts';
import { projectSchedules } from '../../../project/settings/schedules.ts';
import { type SqlSettings, sqlFolders } from '../../../project/sql/models/sql-folders.ts';
import { publicationStamp } from '../../../state/catalogue/published/publication-stamp.ts';

import { readPublished } from '../../../state/catalogue/published/read-published.ts';
import { KeptTexts } from './statement.ts';

/** Places for work of one kind. Who has fewest at work is next; none has more than its share. */
interface Lane {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export type WarehouseRow = Readonly<Record<string, unknown>>;

/** Answers that are kept for the publication that they were read from. */
const MOST_KEPT = 200;
/** Characters of the same, as JSON: some answers have thousands of rows. */
const MOST_KEPT_SIZE = 32_000_000;
/** Work that others wait for too does not end with one page; questions have their own limit of time. */
export const UNTIL_READ: AbortSignal = new AbortController().signal;
const NO_PARAMETERS: ParameterTexts = new Map();

type ReaderSettings = QuerySettings & StatusSettings & SqlSettings;

/** The sources of the pages: the published warehouse, the ledger, the files of the project. */
export class Readers implements AsyncDisposable {
  readonly settings: ReaderSettings;
  readonly logger: Logger;
  readonly lanes = new Lanes();
  readonly warehouse: WarehousePool;
  /** For SQL of people on a page; a download has the limits of the settings. */
  readonly asking: WarehousePool;
  readonly texts = new KeptTexts();
  readonly #follower: PublicationFollower;
  #kept = new Map<string, Promise<unknown>>();
  readonly #sizes = new WeakMap<Promise<unknown>, number>();
  #keptOf = '';

  constructor(settings: ReaderSettings, logger: Logger) {
    this.settings = settings;
    this.logger = logger;
    this.#follower = new PublicationFollower(settings, logger);
    this.warehouse = new WarehousePool(settings, logger, this.#follower, this.lanes.pages);
    this.asking = new WarehousePool(waitingLimits(settings), logger, this.#follower, this.lanes.asking);
  }

  /**
   * The rows of one statement behind the fence of `query`, or the first of them.
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

  /** Rows for pages that are often asked for: read once a publication. */
  rowsOnce<T = WarehouseRow>(sql: string, parameters = NO_PARAMETERS): Promise<T[]> {
    const key = JSON.stringify([sql, ...parameters]);
    return this.once(key, async () => (await this.rows(sql, UNTIL_READ, parameters)) as T[]);
  }

  /** Reads the tables of `ops` in this process; undefined where nothing is published. */
  async published<T>(read: (connection: Connection) => Promise<T>): Promise<T | undefined> {
    await this.#follower.tryFollow();
    return readPublished(this.settings, read);
  }

  /** What `read` gives of the warehouse; read once a publication. */
  readOnce<T>(key: string, read: (warehouse: Warehouse, signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.once(key, () => this.warehouse.use((warehouse) => read(warehouse, UNTIL_READ)));
  }

  /** What `read` gives, which depends only on the publication and on `key`; read once a publication. */
  async once<T>(key: string, read: () => Promise<T>): Promise<T> {
    await this.#follower.tryFollow();
    const stamp = publicationStamp(this.settings.warehouse);
    if (stamp !== this.#keptOf) this.#kept.clear();
    this.#keptOf = stamp;
    const kept = this.#kept.get(key) ?? read();
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    try {
      const answer = await kept;
      if (!this.#sizes.has(kept)) this.#sizes.set(kept, stringifyJson(answer)?.length ?? 0);
      this.#forgetOldest();
      return answer as T;
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key);
      throw error;
    }
  }

  /** As many as are too many; what is still being read has no size yet. */
  #forgetOldest(): void {
    let size = 0;
    for (const [key, kept] of [...this.#kept].reverse()) {
      size += this.#sizes.get(kept) ?? 0;
      if (size > MOST_KEPT_SIZE) this.#kept.delete(key);
    }
  }

  /** Reads once what ends when the asker leaves; another waiting caller then reads it anew. */
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

  /** When each schedule fires next. */
  async firings(): Promise<ReturnType<typeof upcoming>> {
    return upcoming(await projectSchedules(this.settings.projectDir), Date.now());
  }

  questions(): Promise<readonly Question[]> {
    return loadQuestions(sqlFolders(this.settings));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.warehouse[Symbol.asyncDispose]();
    await this.asking[Symbol.asyncDispose]();
  }
}

/**
 * The places of the console, each kind in a lane of its own: no page waits for a query of `/ask`, or for a download. In
 * a lane they are fair by person, and one person never has all places of what people ask for.
 */
export class Lanes {
  readonly #person = new AsyncLocalStorage<string>();
  /** Pages. Three, so that one person has two and another person one beside it. */
  readonly pages = this.#lane(3, 2);
  /** Questions of pages that read every page of a site: the quick ones find a place beside them. */
  readonly slowPages = this.#lane(1, 1);
  /** SQL of people: what runs long there keeps no page waiting. */
  readonly asking = this.#lane(2, 1);
  /** Whole answers: they take what the settings allow a query, so another person's needs a place beside it. */
  readonly downloads = this.#lane(2, 1);

  /** Does what a person asked for: the places that it takes are counted as that person's, whatever their sessions. */
  of<T>({ subject }: { readonly subject: string }, work: () => Promise<T>): Promise<T> {
    return this.#person.run(subject, work);
  }

  #lane(all: number, each: number): Lane {
    const queue = new FairQueue({ all, project: each, store: all });
    return { run: (work) => queue.run(this.#person.getStore() ?? '', work) };
  }
}

/** Catches what a project lacks that does without the models that ship. */
export const withoutModels =
  <T>(instead: T) =>
  (thrown: unknown): T => {
    if (thrown instanceof CrawlhouseError && thrown.code === 'bad_query') return instead;
    throw thrown;
  };
