import { dirname } from 'node:path';
import { CrawlhouseError } from '../../src/core/errors/errors.ts';
import { makeFolder } from '../../src/core/files/make-folder.ts';
import type { Logger } from '../../src/core/logs/logger.ts';
import { putInPlace, removeLeftovers } from '../../src/etl/pipeline/publish/put-in-place.ts';
import type { FormerLoad } from '../../src/etl/project/model/former-load.ts';
import type { LedgerRun, LedgerUnit } from '../../src/etl/project/model/runs/ledger-records.ts';
import { restoreWhole } from '../../src/etl/state/catalog/published/restore-former.ts';
import type { Oracle } from './oracle.ts';
import type { SimProcess } from './sim-process.ts';

interface Load {
  readonly rows: readonly string[];
  readonly run_id: string;
  readonly loaded_at: number;
  readonly route: string;
  readonly ended_at: number | null;
}

interface Contents {
  readonly id: string | null;
  readonly former: string | null;
  readonly dirty: boolean;
  readonly loads: Readonly<Record<string, Load>>;
  readonly units: readonly LedgerUnit[];
  readonly runs: readonly LedgerRun[];
}

const EMPTY: Contents = { id: null, former: null, dirty: false, loads: {}, units: [], runs: [] };

/** Stands for the working copy and its publications: small files. The engine's own transactions are trusted. */
export class SimWarehouse {
  readonly #process: SimProcess;
  readonly #oracle: Oracle;
  readonly #path: string;
  readonly publishedPath: string;
  #contents: Contents;
  #published: Contents | null;

  private constructor(
    process: SimProcess,
    oracle: Oracle,
    paths: readonly [string, string],
    found: readonly [Contents, Contents | null],
  ) {
    this.#process = process;
    this.#oracle = oracle;
    [this.#path, this.publishedPath] = paths;
    [this.#contents, this.#published] = found;
  }

  static async open(
    process: SimProcess,
    oracle: Oracle,
    stateDir: string,
    publishedPath: string,
    logger: Logger,
  ): Promise<SimWarehouse> {
    const { files } = process;
    makeFolder(dirname(publishedPath));
    const opens = async (path: string): Promise<boolean> =>
      files.existsSync(path) && contentsOf(await files.readFile(path, 'utf8')) !== null;
    await restoreWhole(opens, publishedPath, logger);
    const read = async (path: string): Promise<Contents | null> =>
      files.existsSync(path) ? contentsOf(await files.readFile(path, 'utf8')) : null;
    const published = await read(publishedPath);
    const path = `${stateDir}/working.duckdb`;
    const working = await read(path);
    // As `etl/engines/working-copy.ts` decides it.
    const isOurs =
      working !== null && (published === null || [working.id, working.former].includes(published.id));
    const found = isOurs ? working : (published ?? EMPTY);
    return new SimWarehouse(process, oracle, [path, publishedPath], [found, published]);
  }

  get contents(): Contents {
    return this.#contents;
  }

  get hasNews(): boolean {
    return this.#contents.dirty || this.#published === null || this.#published.id !== this.#contents.id;
  }

  loaded(): Map<string, FormerLoad> {
    return new Map(
      Object.entries(this.#contents.loads).map(([unit, load]) => [
        unit,
        {
          unit,
          content_sha256: null,
          published: this.#published?.loads[unit]?.run_id === load.run_id,
          loaded_at: load.loaded_at,
          run_id: load.route === 'export' ? load.run_id : null,
          source_ended_at: load.ended_at,
          is_owed: false,
        },
      ]),
    );
  }

  /** A transaction of the engine: durable, or as if it had never been. */
  async change(more: Partial<Contents>): Promise<void> {
    const next: Contents = { ...this.#contents, dirty: true, ...more };
    await this.#process.operate('file database write', this.#path, 2, (fault) => {
      const { disk } = this.#process.machine;
      disk.refuseFull(this.#path);
      if (fault?.fault === 'short') throw new CrawlhouseError('disk', 'the disk is full');
      const file = disk.files.get(this.#path) ?? disk.create(this.#path, 0o600);
      file.data = Buffer.from(JSON.stringify(next));
      disk.sync(this.#path);
      disk.sync(dirname(this.#path));
    });
    this.#contents = next;
  }

  async load(unit: string, load: Load): Promise<void> {
    await this.change({ loads: { ...this.#contents.loads, [unit]: load } });
  }

  /** The product's own steps around a copy; `confirm` is the ledger's. */
  async publish(confirm: () => Promise<void>): Promise<string> {
    const { files } = this.#process;
    const id = this.#process.uuid();
    await this.change({ id, former: this.#published?.id ?? null });
    await removeLeftovers(this.publishedPath);
    const temporary = `${this.publishedPath}.${id}.publishing`;
    const copy: Contents = { ...this.#contents, dirty: false };
    const text = JSON.stringify(copy);
    const refuse = async (path: string): Promise<void> => {
      if ((await files.readFile(path, 'utf8')) !== text)
        throw new CrawlhouseError('damaged_warehouse', `${path} differs from what was written`);
    };
    try {
      await files.writeFile(temporary, text);
      this.#oracle.writes(this.#place, id, text);
      const kept = await putInPlace(temporary, this.publishedPath, id, {
        verify: () => refuse(temporary),
        confirm,
        publish: async () => {},
        check: () => refuse(this.publishedPath),
      });
      this.#oracle.finished(this.#place, id);
      await files.rm(kept, { force: true });
    } finally {
      await files.rm(temporary, { force: true });
    }
    this.#published = copy;
    await this.change({ dirty: false });
    return id;
  }

  get #place(): string {
    return placeOf(this.#process.machine.name, this.publishedPath);
  }
}

export function placeOf(machine: string, path: string): string {
  return `${machine}:${path}`;
}

/** Null for a file that is not whole. */
export function contentsOf(text: string): Contents | null {
  try {
    return JSON.parse(text) as Contents;
  } catch {
    // Torn, or empty.
    return null;
  }
}
