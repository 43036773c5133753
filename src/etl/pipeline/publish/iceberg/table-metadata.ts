import { z } from 'zod';
import { host } from '../../../../core/host/host.ts';
import type { MirroredTable } from '../../../engines/mirror-sql.ts';
import { columnType, type IcebergField, icebergField, icebergType, isSameType } from './column-types.ts';

const Schema = z.looseObject({
  'schema-id': z.number(),
  fields: z.custom<readonly IcebergField[]>(Array.isArray),
});
export type Schema = z.infer<typeof Schema>;

const Snapshot = z.looseObject({
  'snapshot-id': z.number(),
  'sequence-number': z.number(),
  'timestamp-ms': z.number(),
  'schema-id': z.number(),
});

/** The parts of a table's metadata (version 2 of the format) that the next version needs. */
export const TableMetadata = z.looseObject({
  'table-uuid': z.string(),
  location: z.string(),
  'last-sequence-number': z.number(),
  'last-updated-ms': z.number(),
  'last-column-id': z.number(),
  'current-schema-id': z.number(),
  'current-snapshot-id': z.number().optional(),
  schemas: z.array(Schema).readonly(),
  snapshots: z.array(Snapshot).readonly(),
  'metadata-log': z.array(z.object({ 'metadata-file': z.string(), 'timestamp-ms': z.number() })).readonly(),
});
export type TableMetadata = z.infer<typeof TableMetadata>;

export function newMetadata(location: string): TableMetadata {
  return {
    'format-version': 2,
    'table-uuid': host().uuid(),
    location,
    'last-sequence-number': 0,
    'last-updated-ms': 0,
    'last-column-id': 0,
    'current-schema-id': -1,
    schemas: [],
    'partition-specs': [{ 'spec-id': 0, fields: [] }],
    'default-spec-id': 0,
    'last-partition-id': 999,
    'sort-orders': [{ 'order-id': 0, fields: [] }],
    'default-sort-order-id': 0,
    // Then Spark removes no files of the table; crawlhouse does.
    properties: { 'gc.enabled': 'false' },
    snapshots: [],
    'snapshot-log': [],
    'metadata-log': [],
  };
}

export function currentSchema({ schemas, 'current-schema-id': id }: TableMetadata): Schema | undefined {
  return schemas.find((schema) => schema['schema-id'] === id);
}

/** Updates the columns. A column keeps its number as long as its name and type stay the same. */
export function withColumns(metadata: TableMetadata, columns: MirroredTable['columns']): TableMetadata {
  const former = currentSchema(metadata);
  const known = new Map(former?.fields.map((field) => [field.name, field]));
  let last = metadata['last-column-id'];
  const fields = columns.map(({ name, type }) => {
    const read = columnType(type);
    const field = known.get(name);
    return field &&
      isSameType(
        field.type,
        icebergType(read, () => 0),
      )
      ? field
      : icebergField(name, read, () => ++last);
  });
  if (former && JSON.stringify(former.fields) === JSON.stringify(fields)) return metadata;
  const id = Math.max(-1, ...metadata.schemas.map((schema) => schema['schema-id'])) + 1;
  return {
    ...metadata,
    'last-column-id': last,
    'current-schema-id': id,
    schemas: [...metadata.schemas, { type: 'struct', 'schema-id': id, fields }],
  };
}

/** Number of files and rows in a part of a snapshot. */
export interface Amounts {
  readonly files: number;
  readonly rows: number;
  readonly bytes: number;
}

export function amountsOf(files: readonly { readonly rows: number; readonly bytes: number }[]): Amounts {
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return {
    files: files.length,
    rows: sum(files.map(({ rows }) => rows)),
    bytes: sum(files.map(({ bytes }) => bytes)),
  };
}

/** Returns the metadata log of the version after this one. */
export function logOf(former: TableMetadata, url: string): TableMetadata['metadata-log'] {
  return [...former['metadata-log'], { 'metadata-file': url, 'timestamp-ms': former['last-updated-ms'] }];
}

export interface NewSnapshot {
  readonly id: number;
  readonly sequence: number;
  readonly publication: string;
  /** The URL of the list of manifests. */
  readonly list: string;
  readonly added: Amounts;
  readonly removed: Amounts;
  readonly total: Amounts;
}

/**
 * Returns the next version of a table's metadata.
 *
 * @param former its current version
 * @param kept the sequence numbers of the snapshots that stay readable
 * @param log the former versions, with their last snapshots
 */
export function nextMetadata(
  former: TableMetadata,
  { id, sequence, publication, list, added, removed, total }: NewSnapshot,
  kept: ReadonlySet<number>,
  log: TableMetadata['metadata-log'],
): TableMetadata {
  const at = Math.max(host().now(), former['last-updated-ms'] + 1);
  const snapshot = {
    'snapshot-id': id,
    ...(former['current-snapshot-id'] === undefined
      ? {}
      : { 'parent-snapshot-id': former['current-snapshot-id'] }),
    'sequence-number': sequence,
    'timestamp-ms': at,
    'manifest-list': list,
    'schema-id': former['current-schema-id'],
    summary: {
      operation: operationOf(added, removed),
      ...countsOf('added', added),
      ...countsOf('deleted', removed),
      'total-data-files': String(total.files),
      'total-records': String(total.rows),
      'total-files-size': String(total.bytes),
      'total-delete-files': '0',
      'total-position-deletes': '0',
      'total-equality-deletes': '0',
      'crawlhouse.publication': publication,
    },
  };
  const snapshots = [
    ...former.snapshots.filter((snapshot) => kept.has(snapshot['sequence-number'])),
    snapshot,
  ];
  const schemas = new Set(snapshots.map((snapshot) => snapshot['schema-id']));
  return {
    ...former,
    'last-sequence-number': sequence,
    'last-updated-ms': at,
    schemas: former.schemas.filter((schema) => schemas.has(schema['schema-id'])),
    'current-snapshot-id': id,
    refs: { main: { 'snapshot-id': id, type: 'branch' } },
    snapshots,
    'snapshot-log': snapshots.map((snapshot) => ({
      'snapshot-id': snapshot['snapshot-id'],
      'timestamp-ms': snapshot['timestamp-ms'],
    })),
    'metadata-log': log,
  };
}

function operationOf(added: Amounts, removed: Amounts): string {
  if (removed.files === 0) return added.files === 0 ? 'replace' : 'append';
  return added.files === 0 ? 'delete' : 'overwrite';
}

function countsOf(what: 'added' | 'deleted', { files, rows, bytes }: Amounts) {
  if (files === 0) return {};
  return {
    [`${what}-data-files`]: String(files),
    [`${what}-records`]: String(rows),
    [`${what === 'added' ? 'added' : 'removed'}-files-size`]: String(bytes),
  };
}
