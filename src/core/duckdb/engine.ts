import { Semaphore } from '../queue/semaphore.ts';
import type { Connection, Database } from './duckdb.ts';
import { ranOutOfMemory } from './lower-memory.ts';

/** Memory of DuckDB that a conversion, or a thread of a load, is reckoned to take, in MB. */
const MB_A_PLACE = 130;
/** MB of a conversion of more than `WIDE_FIELDS` fields, whose parts are smaller (`writeParts`). */
const MB_A_WIDE_PLACE = 200;
/** From more fields on, the fields of a part decide about its memory. */
export const WIDE_FIELDS = 200;
/** Node has four threads for all that blocks; one is left for files and gzip. */
const MOST_PLACES = 3;

/** How a process shares out its DuckDB. */
export interface EnginePlan {
  /** Conversions at once. */
  readonly places: number;
  /** DuckDB's threads while conversions run; each conversion adds its own thread. */
  readonly conversionThreads: number;
  /** DuckDB's threads for what runs alone. */
  readonly aloneThreads: number;
  /** Places that a conversion of many fields takes; two of three take one and a half each. */
  readonly widePlaces: number;
}

/**
 * Divides the threads and the memory limit. Many conversions of one thread each take a quarter less processor time than
 * one on all threads. A waiting DuckDB thread is busy, and a part of 32 MB has little work to share
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

/** The one DuckDB of a process, whose memory is shared: conversions several at once, or one thing alone. */
export class ConversionPlaces {
  readonly plan: EnginePlan;
  readonly #connection: Connection;
  readonly #threads: number;
  readonly #places: Semaphore;
  #converting = 0;
  /** DuckDB's threads as they were last set. */
  #inUse: number;
  /** Settings follow one another. */
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
   * Converts a part of so many fields as soon as there is room. A part that did not fit into the memory beside others is
   * converted once more by itself, so `work` must leave nothing half done.
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
      if (this.#converting++ === 0) this.#useThreads(this.plan.conversionThreads);
      try {
        await this.#settings;
        return await work();
      } finally {
        if (--this.#converting === 0) await this.#useThreads(this.#threads);
      }
    }, places);
  }

  /** Runs what shares itself out over threads, when nothing else runs: a load, a Parquet file as large as it comes. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#places.run(async () => {
      await this.#useThreads(this.plan.aloneThreads);
      try {
        return await work();
      } finally {
        await this.#useThreads(this.#threads);
      }
    }, this.#places.size);
  }

  #useThreads(count: number): Promise<unknown> {
    this.#settings = this.#settings
      // The caller of the former change has its error.
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
