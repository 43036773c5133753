import { Semaphore } from '../queue/semaphore.ts';
import type { Connection, Database } from './duckdb.ts';
import { ranOutOfMemory } from './lower-memory.ts';

/** Estimated DuckDB memory of a conversion, or of one thread of a load, in MB. */
const MB_A_PLACE = 130;
/** Estimated memory of a conversion of more than `WIDE_FIELDS` fields, in MB. Its parts are smaller (`writeParts`). */
const MB_A_WIDE_PLACE = 200;
/** Above this number of fields, the fields of a part determine its memory. */
export const WIDE_FIELDS = 200;
/** Node has four threads for blocking work; one is left for files and gzip. */
const MOST_PLACES = 3;

/** How a process divides its DuckDB. */
export interface EnginePlan {
  /** Parallel conversions. */
  readonly places: number;
  /** DuckDB's threads while conversions run; each conversion adds its own thread. */
  readonly conversionThreads: number;
  /** DuckDB's threads for work that runs alone. */
  readonly aloneThreads: number;
  /**
   * Places that a conversion of many fields occupies. If two such conversions share three places, each occupies 1.5.
   */
  readonly widePlaces: number;
}

/**
 * Divides the threads and the memory limit. Several single-threaded conversions need a quarter less processor time than
 * one conversion on all threads, because a waiting DuckDB thread is busy and a part of 32 MB has little work to share
 * (docs/decisions/staging.md).
 */
export function planEngine(threads: number, memoryLimit: string): EnginePlan {
  const memory = megabytes(memoryLimit);
  const useful = Math.max(1, Math.min(threads, Math.floor(memory / MB_A_PLACE)));
  const places = Math.min(useful, MOST_PLACES);
  return {
    places,
    conversionThreads: useful - places + 1,
    aloneThreads: useful,
    widePlaces: places / Math.max(1, Math.min(places, Math.floor(memory / MB_A_WIDE_PLACE))),
  };
}

/** The single DuckDB of a process with its shared memory: runs several conversions in parallel, or one task alone. */
export class ConversionPlaces {
  readonly plan: EnginePlan;
  readonly #connection: Connection;
  readonly #threads: number;
  readonly #places: Semaphore;
  #converting = 0;
  /** DuckDB's current number of threads. */
  #inUse: number;
  /** Settings are changed one after the other. */
  #settings: Promise<unknown> = Promise.resolve();

  private constructor(connection: Connection, threads: number, memoryLimit: string) {
    this.plan = planEngine(threads, memoryLimit);
    this.#connection = connection;
    this.#threads = threads;
    this.#inUse = threads;
    this.#places = new Semaphore(this.plan.places);
  }

  static async start(database: Database, threads: number, memoryLimit: string): Promise<ConversionPlaces> {
    return new ConversionPlaces(await database.connect(), threads, memoryLimit);
  }

  /**
   * Converts a part with this number of fields as soon as there is room. If a part does not fit into memory next to
   * others, it is converted again alone, so `work` must leave nothing half done.
   */
  async convert<T>(fields: number, work: () => Promise<T>): Promise<T> {
    const places = fields > WIDE_FIELDS ? this.plan.widePlaces : 1;
    try {
      return await this.#convert(work, places);
    } catch (error) {
      if (places === this.#places.size || !ranOutOfMemory(error)) throw error;
    }
    return this.#convert(work, this.#places.size);
  }

  #convert<T>(work: () => Promise<T>, places: number): Promise<T> {
    return this.#places.run(async () => {
      // Awaited below, like changes that others request.
      if (this.#converting++ === 0) void this.#useThreads(this.plan.conversionThreads);
      try {
        await this.#settings;
        return await work();
      } finally {
        if (--this.#converting === 0) await this.#useThreads(this.#threads);
      }
    }, places);
  }

  /**
   * Waits until nothing else runs. For work that uses all threads: a load, or a large Parquet file. Other work waits
   * until the end of the scope.
   */
  async alone(): Promise<AsyncDisposable> {
    const places = await this.#places.take(this.#places.size);
    const end = async (): Promise<void> => {
      await this.#useThreads(this.#threads).finally(() => places[Symbol.dispose]());
    };
    await this.#useThreads(this.plan.aloneThreads).catch(async (error: unknown) => {
      // A second error would hide the first.
      await end().catch(() => {});
      throw error;
    });
    return { [Symbol.asyncDispose]: end };
  }

  #useThreads(count: number): Promise<unknown> {
    this.#settings = this.#settings
      // The caller of the former change handles its error.
      .catch(() => {})
      .then(async () => {
        if (count === this.#inUse) return;
        await this.#connection.run(`SET threads = ${count}`);
        this.#inUse = count;
      });
    return this.#settings;
  }
}

function megabytes(limit: string): number {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT])/i.exec(limit);
  const scale = { K: 1e-3, M: 1, G: 1e3, T: 1e6 }[match?.[2]?.toUpperCase() ?? 'M'] ?? 1;
  return Number(match?.[1] ?? 0) * scale;
}
