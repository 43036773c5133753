import { z } from 'zod';
import { host } from '../../../../core/host/host.ts';
import type { ObjectStore, StoredObject } from '../../../../core/stores/object-store.ts';
import { objectText } from '../../../../core/stores/read-object.ts';
import { jsonOf } from '../../../../core/text/json.ts';
import type { MirroredTable } from '../../../engines/mirror-sql.ts';
import {
  type LayoutCommit,
  MirroredPartition,
  MOST_MANIFEST,
  type PlacedPartition,
  tableFolder,
} from '../mirror-objects.ts';
import { columnType, fieldIds, storedType } from './column-types.ts';
import { type ManifestEntry, manifest, manifestList } from './manifests.ts';
import {
  amountsOf,
  currentSchema,
  logOf,
  newMetadata,
  nextMetadata,
  type Schema,
  TableMetadata,
  withColumns,
} from './table-metadata.ts';

const DataFile = MirroredPartition.extend({
  bytes: z.number(),
  /** The schema of the written file. */
  schema: z.number(),
  /** The snapshot that added it, and its sequence number. */
  snapshot: z.number(),
  sequence: z.number(),
  /** The sequence number of the snapshot that removed it. */
  removed: z.number().nullable(),
});
type DataFile = z.infer<typeof DataFile>;

/** The input for the next version. It is stored next to the metadata; other readers ignore it. */
const TableState = z.object({
  metadata: TableMetadata,
  /** The files of all kept snapshots. */
  files: z.array(DataFile).readonly(),
  /** Manifests, their lists and versions of the metadata, each with the snapshot that added it. */
  objects: z.array(z.object({ object: z.string(), bytes: z.number(), sequence: z.number() })).readonly(),
});
type TableState = z.infer<typeof TableState>;

/** The content of the bucket. */
export interface BucketFacts {
  readonly store: ObjectStore;
  readonly listed: ReadonlyMap<string, StoredObject>;
  /** Versions of objects, as recorded by the last mirror. */
  readonly noted: ReadonlyMap<string, string | undefined>;
  /** The last version of each table's metadata from the last mirror. */
  readonly versions: ReadonlyMap<string, number>;
}

interface Change {
  readonly kept: readonly DataFile[];
  readonly removed: readonly DataFile[];
  readonly added: readonly PlacedPartition[];
}

/** An Iceberg table in the bucket, with `data/` and `metadata/` in its folder, as Hadoop's catalogs require. */
export class IcebergTable {
  /** Whether the last mirror finished with this version. */
  readonly isFinished: boolean;
  readonly #folder: string;
  readonly #facts: BucketFacts;
  #version: number;
  #state: TableState;

  private constructor(
    folder: string,
    { version, isFinished }: { readonly version: number; readonly isFinished: boolean },
    facts: BucketFacts,
    state: TableState,
  ) {
    this.isFinished = isFinished;
    this.#folder = folder;
    this.#facts = facts;
    this.#version = version;
    this.#state = state;
  }

  /**
   * @returns the table with the newest version of its metadata. The hint may be older, because a mirror may have ended
   *   in between
   */
  static async open(
    prefix: string,
    name: string,
    facts: BucketFacts,
    signal: AbortSignal,
  ): Promise<IcebergTable> {
    const { store, listed, versions } = facts;
    const folder = tableFolder(prefix, name);
    const present = [...listed.keys()]
      .filter((key) => key.startsWith(`${folder}/metadata/`))
      .map((key) => Number(/\/v(\d+)\.metadata\.json$/.exec(key)?.[1] ?? 0));
    // The version of the last mirror may have been removed.
    const version = Math.max(versions.get(name) ?? 0, ...present);
    const object = listed.get(stateKey(folder, version));
    const isRead = object !== undefined && object.size <= MOST_MANIFEST;
    const read = isRead ? TableState.safeParse(jsonOf(await objectText(store, object, signal))) : undefined;
    const location = store.url(folder);
    // Manifests contain full URLs, so those of a copied bucket do not belong to it.
    const isHere = read?.success === true && read.data.metadata.location === location;
    const state = isHere ? read.data : { metadata: newMetadata(location), files: [], objects: [] };
    return new IcebergTable(folder, { version, isFinished: versions.get(name) === version }, facts, state);
  }

  get version(): number {
    return this.#version;
  }

  get hint(): string {
    return `${this.#folder}/metadata/version-hint.text`;
  }

  /** The data files of the current snapshot. */
  get current(): readonly DataFile[] {
    return this.#state.files.filter(({ removed }) => removed === null);
  }

  /** The objects of the table other than the current data files. */
  get others(): readonly { readonly object: string; readonly bytes?: number }[] {
    const { files, objects } = this.#state;
    if (objects.length === 0) return [];
    const former = files.filter(({ removed }) => removed !== null);
    return [...objects, ...former, { object: stateKey(this.#folder, this.#version) }, { object: this.hint }];
  }

  newObject(): string {
    return `${this.#folder}/data/${host().uuid()}.parquet`;
  }

  /** Returns a table as in its Parquet files, with Iceberg's types and the numbers of the fields. */
  withFields(mirrored: MirroredTable): MirroredTable {
    this.#state = { ...this.#state, metadata: withColumns(this.#state.metadata, mirrored.columns) };
    const columns = mirrored.columns.map((column) => ({
      ...column,
      stored: storedType(columnType(column.type)),
    }));
    return { ...mirrored, columns, fieldIds: fieldIds(this.#schema.fields) };
  }

  /** Returns whether a data file has the current columns. */
  hasColumns({ schema }: DataFile): boolean {
    return schema === this.#schema['schema-id'];
  }

  /**
   * Makes these partitions the content of the table: writes manifest, list, metadata, and finally the hint. A table
   * that already contains exactly these partitions keeps its snapshot.
   */
  async commit(partitions: readonly PlacedPartition[], commit: LayoutCommit): Promise<void> {
    const placed = new Set(partitions.map(({ object }) => object));
    const before = new Set(this.current.map(({ object }) => object));
    const change = {
      kept: this.current.filter(({ object }) => placed.has(object)),
      removed: this.current.filter(({ object }) => !placed.has(object)),
      added: partitions.filter(({ object }) => !before.has(object)),
    };
    const isSame = change.added.length === 0 && change.removed.length === 0;
    if (!isSame || !this.#isWhole()) await this.#addSnapshot(change, commit);
    else if (this.isFinished) return;
    await commit.put(this.hint, String(this.#version));
  }

  get #schema(): Schema {
    const schema = currentSchema(this.#state.metadata);
    if (schema === undefined) throw new Error(`${this.#folder} has no columns`);
    return schema;
  }

  async #addSnapshot({ kept, removed, added }: Change, commit: LayoutCommit): Promise<void> {
    const { metadata, files, objects } = this.#state;
    const schema = this.#schema;
    const id = 1 + Math.floor(host().random() * (Number.MAX_SAFE_INTEGER - 1));
    const sequence = metadata['last-sequence-number'] + 1;
    const made: TableState['objects'][number][] = [];
    const write = async (name: string, content: string | Buffer): Promise<string> => {
      const object = this.#metadata(name);
      await commit.put(object, content);
      made.push({ object, bytes: Buffer.byteLength(content), sequence });
      return this.#facts.store.url(object);
    };
    const fresh = added.map((file): DataFile => {
      return { ...file, schema: schema['schema-id'], snapshot: id, sequence, removed: null };
    });
    const entries = [
      ...kept.map((file) => this.#entry(file, 'existing', file.snapshot)),
      ...fresh.map((file) => this.#entry(file, 'added', id)),
      ...removed.map((file) => this.#entry(file, 'deleted', id)),
    ];
    const content = await manifest(entries, schema);
    const path = await write(`${id}-m0.avro`, content);
    const of = { id, parent: metadata['current-snapshot-id'] ?? null, sequence };
    const list = await write(
      `snap-${id}.avro`,
      await manifestList({ path, length: content.length }, entries, of),
    );
    const readable = new Set(commit.snapshots > 1 ? this.#readable().slice(1 - commit.snapshots) : []);
    const former = objects.filter((object) => readable.has(object.sequence));
    const urls = new Set(former.map(({ object }) => this.#facts.store.url(object)));
    const next = nextMetadata(
      metadata,
      {
        id,
        sequence,
        publication: commit.publication,
        list,
        added: amountsOf(fresh),
        removed: amountsOf(removed),
        total: amountsOf([...kept, ...fresh]),
      },
      readable,
      logOf(metadata, this.#facts.store.url(this.#metadata(`v${this.#version}.metadata.json`))).filter(
        (one) => urls.has(one['metadata-file']),
      ),
    );
    const gone = new Set(removed);
    const all = [...files.map((file) => (gone.has(file) ? { ...file, removed: sequence } : file)), ...fresh];
    this.#version++;
    const version = { object: this.#metadata(`v${this.#version}.metadata.json`), sequence };
    const text = JSON.stringify(next);
    this.#state = {
      metadata: next,
      files: all.filter((file) => file.removed === null || [...readable].some((one) => isIn(file, one))),
      objects: [...former, ...made, { ...version, bytes: Buffer.byteLength(text) }],
    };
    await commit.put(stateKey(this.#folder, this.#version), JSON.stringify(this.#state));
    await commit.put(version.object, text);
  }

  #entry(file: DataFile, status: ManifestEntry['status'], snapshot: number): ManifestEntry {
    const { rows, bytes, sequence } = file;
    const fields = new Map(this.#schema.fields.map(({ name, type, id }) => [name, { type, id }]));
    const values = file.key.flatMap(([column, value]) => {
      const field = fields.get(column);
      return field?.type === 'string' ? [[field.id, value] as const] : [];
    });
    const path = this.#facts.store.url(file.object);
    return { status, snapshot, sequence, path, rows, bytes, values: new Map(values) };
  }

  #metadata(name: string): string {
    return `${this.#folder}/metadata/${name}`;
  }

  #isIntact({ object, bytes }: { readonly object: string; readonly bytes?: number }): boolean {
    const { listed, noted } = this.#facts;
    const found = listed.get(object);
    if (found === undefined || (bytes !== undefined && found.size !== bytes)) return false;
    return !noted.has(object) || noted.get(object) === found.version;
  }

  #isWhole(): boolean {
    return this.#state.objects.length > 0 && this.others.every((other) => this.#isIntact(other));
  }

  /** Returns the sequence numbers of the snapshots with complete objects. */
  #readable(): number[] {
    const { metadata, files, objects } = this.#state;
    return metadata.snapshots
      .map((snapshot) => snapshot['sequence-number'])
      .filter((sequence) =>
        [
          ...objects.filter((object) => object.sequence === sequence),
          ...files.filter((file) => isIn(file, sequence)),
        ].every((one) => this.#isIntact(one)),
      );
  }
}

function stateKey(folder: string, version: number): string {
  return `${folder}/metadata/v${version}.state.json`;
}

/** Returns whether the snapshot with this sequence number contains a file. */
function isIn({ sequence, removed }: DataFile, of: number): boolean {
  return sequence <= of && (removed === null || removed > of);
}
