import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CrawlhouseError, toCrawlhouseError } from '../../../core/errors/errors.ts';
import { host } from '../../../core/host/host.ts';
import type { Logger } from '../../../core/logs/logger.ts';
import { findObject, listObjects } from '../../../core/stores/list-objects.ts';
import type { ObjectStore } from '../../../core/stores/object-store.ts';
import { objectBytes, objectText } from '../../../core/stores/read-object.ts';
import { openConfiguredStore, type StorePrefix, type StoreSettings } from '../../../core/stores/registry.ts';
import { jsonOf } from '../../../core/text/json.ts';
import { PreparedLoad } from '../../project/model/prepared-load.ts';
import type { Ledger } from '../../state/ledger/ledger.ts';
import { checkFiles, type Package, readManifest, readPackage } from '../load/read-package.ts';
import { resetFolders, type UnitFolders } from '../stage/unit-folders.ts';

const MANIFEST = 'manifest.json';
/** The facts that the run needs about a load in the warehouse's bucket. */
const PREPARED = 'prepared.json';
/** A manifest without its parts. */
const REMOTE = 'manifest-of-prepared.json';
const TABLES = 'tables.json';
/** Only within the package's folder. */
const FILES = /^(manifest\.json|parts\/[A-Za-z0-9][\w.-]{0,199}\.parquet|rejects-[\w.-]{1,199}\.parquet)$/;

/**
 * The packages in the store of the `packages` setting, in transit from the process that staged them to the process that
 * loads them. The key of each package contains the token of its claim, so no process writes to the package of another
 * claim.
 */
export class PackageStore implements AsyncDisposable {
  readonly #store: ObjectStore;
  /** With a trailing slash. */
  readonly #root: string;

  private constructor(store: ObjectStore, root: string) {
    this.#store = store;
    this.#root = root;
  }

  /** @param queue the id of the queue, so that two queues may share a prefix */
  static async open(
    settings: StoreSettings,
    { store, prefix }: StorePrefix,
    queue: string,
  ): Promise<PackageStore> {
    const root = `${[prefix, queue].filter((part) => part !== '').join('/')}/`;
    return new PackageStore(await openConfiguredStore(settings, store), root);
  }

  /** Uploads a package, its manifest last. A package with a manifest is complete. */
  async put(
    claim: string,
    { folder, manifest }: Package,
    signal: AbortSignal,
    prepared: PreparedLoad | null = null,
  ): Promise<void> {
    if (prepared !== null) await host().files.writeFile(join(folder, PREPARED), JSON.stringify(prepared));
    const files = [...manifest.parts, ...manifest.rejects].map(({ file }) => file);
    for (const file of [...files, ...(prepared === null ? [] : [PREPARED]), MANIFEST])
      await this.#store.put(`${this.#root}${claim}/${file}`, join(folder, file), signal);
  }

  /**
   * Downloads a package into a unit's folders, and checks the size and SHA-256 of every file.
   *
   * @param takesPrepared whether to leave the parts in the store if the rows are in the warehouse's bucket
   * @throws CrawlhouseError `bad_package` for an incomplete one; the store's errors
   */
  async fetch(
    claim: string,
    folders: UnitFolders,
    signal: AbortSignal,
    takesPrepared = false,
  ): Promise<Package> {
    const root = `${this.#root}${claim}/`;
    await resetFolders(folders, 'parts');
    const objects = await listObjects(this.#store, root, signal);
    const prepared = takesPrepared ? objects.find(({ key }) => key === `${root}${PREPARED}`) : undefined;
    const files = objects
      .map((object) => ({ object, file: object.key.slice(root.length) }))
      .filter(({ file }) => file !== PREPARED && !(prepared && file.startsWith('parts/')))
      // Here too, the manifest comes last.
      .toSorted((a, b) => Number(a.file === MANIFEST) - Number(b.file === MANIFEST));
    for (const { object, file } of files) {
      if (!FILES.test(file))
        throw new CrawlhouseError('bad_package', `${object.url} is not a file of a package`);
      // On disk, a package with a manifest is complete.
      const name = prepared && file === MANIFEST ? REMOTE : file;
      const bytes = objectBytes(this.#store, object, {}, signal);
      await pipeline(bytes, host().files.createWriteStream(join(folders.package, name)), { signal });
    }
    if (prepared === undefined) return readPackage(folders.package);
    const load = PreparedLoad.safeParse(jsonOf(await objectText(this.#store, prepared, signal)));
    if (!load.success)
      throw new CrawlhouseError(
        'bad_package',
        `${prepared.url} is not a record of a load: ${load.error.message}`,
      );
    const manifest = await readManifest(join(folders.package, REMOTE));
    await checkFiles(folders.package, { ...manifest, parts: [] });
    const bringParts = async (): Promise<void> => {
      await this.fetch(claim, folders, signal);
    };
    return { folder: folders.package, manifest, prepared: { load: load.data, bringParts } };
  }

  async putTables(runId: string, text: string, folder: string, signal: AbortSignal): Promise<void> {
    const file = join(folder, `${host().uuid()}-${TABLES}`);
    try {
      await host().files.writeFile(file, text);
      await this.#store.put(`${this.#root}${runId}/${TABLES}`, file, signal);
    } finally {
      await host().files.rm(file, { force: true });
    }
  }

  /**
   * Returns the schemas that `putTables` wrote last; null for none. The run may replace them between the listing and
   * the read.
   */
  async tables(runId: string, signal: AbortSignal): Promise<string | null> {
    for (;;) {
      const object = await findObject(this.#store, `${this.#root}${runId}/${TABLES}`, signal);
      if (object === undefined) return null;
      try {
        return await objectText(this.#store, object, signal);
      } catch (thrown) {
        if (toCrawlhouseError(thrown).code !== 'object_changed') throw thrown;
      }
    }
  }

  /** Removes the packages that are no longer needed, and the remains of lost processes. */
  async sweep(needed: () => Promise<ReadonlySet<string>>, signal: AbortSignal): Promise<void> {
    const objects = await listObjects(this.#store, this.#root, signal);
    // Read after the listing, because a claim is in the queue before its first object is written.
    const kept = await needed();
    for (const object of objects) {
      const [claim = ''] = object.key.slice(this.#root.length).split('/');
      if (!kept.has(claim)) await this.#store.remove(object, signal);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
  }
}

export async function removePublishedPackages({
  ledger: { offers },
  settings,
  logger,
  signal,
}: {
  readonly ledger: Pick<Ledger, 'offers'>;
  readonly settings: StoreSettings & { readonly packages?: StorePrefix | undefined };
  readonly logger: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  if (offers === null || settings.packages === undefined) return;
  try {
    await using packages = await PackageStore.open(settings, settings.packages, await offers.id());
    await offers.forgetLoaded();
    await packages.sweep(() => offers.claims(), signal);
  } catch (thrown) {
    signal.throwIfAborted();
    logger.warn('loaded packages stay in the store', { error: toCrawlhouseError(thrown).message });
  }
}
