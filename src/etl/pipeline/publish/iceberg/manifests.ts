import type { Schema } from 'avsc';
import type { IcebergField } from './column-types.ts';

/** A data file in the manifest of a snapshot. */
export interface ManifestEntry {
  readonly status: 'existing' | 'added' | 'deleted';
  /** The snapshot that added or deleted it. */
  readonly snapshot: number;
  /** The sequence number of the snapshot that added it. */
  readonly sequence: number;
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
  /** The constant value of a column in all rows, by its field's number. */
  readonly values: ReadonlyMap<number, string | null>;
}

export interface ManifestSchema {
  readonly 'schema-id': number;
  readonly fields: readonly IcebergField[];
}

const STATUS = { existing: 0, added: 1, deleted: 2 } as const;

type Column = readonly [name: string, type: unknown, id: number];

const record = (name: string, columns: readonly Column[]) => ({
  type: 'record',
  name,
  fields: columns.map(([column, type, id]) => ({
    name: column,
    type,
    'field-id': id,
    ...(Array.isArray(type) ? { default: null } : {}),
  })),
});
const byField = (type: string, key: number, value: number) => [
  'null',
  {
    type: 'array',
    logicalType: 'map',
    items: record(`k${key}_v${value}`, [
      ['key', 'int', key],
      ['value', type, value],
    ]),
  },
];

/** Iceberg's specification, version 2, "Manifests". */
const ENTRY = record('manifest_entry', [
  ['status', 'int', 0],
  ['snapshot_id', ['null', 'long'], 1],
  ['sequence_number', ['null', 'long'], 3],
  ['file_sequence_number', ['null', 'long'], 4],
  [
    'data_file',
    record('r2', [
      ['content', 'int', 134],
      ['file_path', 'string', 100],
      ['file_format', 'string', 101],
      ['partition', record('r102', []), 102],
      ['record_count', 'long', 103],
      ['file_size_in_bytes', 'long', 104],
      ['value_counts', byField('long', 119, 120), 109],
      ['null_value_counts', byField('long', 121, 122), 110],
      ['lower_bounds', byField('bytes', 126, 127), 125],
      ['upper_bounds', byField('bytes', 129, 130), 128],
    ]),
    2,
  ],
]);

/** "Manifest Lists". */
const MANIFEST = record('manifest_file', [
  ['manifest_path', 'string', 500],
  ['manifest_length', 'long', 501],
  ['partition_spec_id', 'int', 502],
  ['content', 'int', 517],
  ['sequence_number', 'long', 515],
  ['min_sequence_number', 'long', 516],
  ['added_snapshot_id', 'long', 503],
  ['added_files_count', 'int', 504],
  ['existing_files_count', 'int', 505],
  ['deleted_files_count', 'int', 506],
  ['added_rows_count', 'long', 512],
  ['existing_rows_count', 'long', 513],
  ['deleted_rows_count', 'long', 514],
]);

/** Returns the manifest of a snapshot: all its files, and those that it deletes. */
export function manifest(entries: readonly ManifestEntry[], schema: ManifestSchema): Promise<Buffer> {
  const rows = entries.map(({ status, snapshot, sequence, path, rows, bytes, values }) => {
    const fields = [...values];
    const bounds = fields.flatMap(([key, value]) =>
      value === null ? [] : [{ key, value: Buffer.from(value) }],
    );
    return {
      status: STATUS[status],
      snapshot_id: snapshot,
      sequence_number: sequence,
      file_sequence_number: sequence,
      data_file: {
        content: 0,
        file_path: path,
        file_format: 'PARQUET',
        partition: {},
        record_count: rows,
        file_size_in_bytes: bytes,
        value_counts: fields.map(([key]) => ({ key, value: rows })),
        null_value_counts: fields.map(([key, value]) => ({ key, value: value === null ? rows : 0 })),
        lower_bounds: bounds,
        upper_bounds: bounds,
      },
    };
  });
  return avroFile(ENTRY, rows, {
    schema: JSON.stringify({ type: 'struct', ...schema }),
    'schema-id': String(schema['schema-id']),
    'partition-spec': '[]',
    'partition-spec-id': '0',
    'format-version': '2',
    content: 'data',
  });
}

/** Returns the list of a snapshot's manifests. Each snapshot has one. */
export function manifestList(
  { path, length }: { readonly path: string; readonly length: number },
  entries: readonly ManifestEntry[],
  {
    id,
    parent,
    sequence,
  }: { readonly id: number; readonly parent: number | null; readonly sequence: number },
): Promise<Buffer> {
  const of = (status: ManifestEntry['status']) => entries.filter((entry) => entry.status === status);
  const rows = (status: ManifestEntry['status']) => of(status).reduce((sum, entry) => sum + entry.rows, 0);
  const live = entries.filter(({ status }) => status !== 'deleted');
  const row = {
    manifest_path: path,
    manifest_length: length,
    partition_spec_id: 0,
    content: 0,
    sequence_number: sequence,
    min_sequence_number: Math.min(sequence, ...live.map((entry) => entry.sequence)),
    added_snapshot_id: id,
    added_files_count: of('added').length,
    existing_files_count: of('existing').length,
    deleted_files_count: of('deleted').length,
    added_rows_count: rows('added'),
    existing_rows_count: rows('existing'),
    deleted_rows_count: rows('deleted'),
  };
  return avroFile(MANIFEST, [row], {
    'snapshot-id': String(id),
    'parent-snapshot-id': parent === null ? 'null' : String(parent),
    'sequence-number': String(sequence),
    'format-version': '2',
  });
}

async function avroFile(
  schema: object,
  rows: readonly object[],
  metadata: Readonly<Record<string, string>>,
): Promise<Buffer> {
  const { default: avro } = await import('avsc');
  const options = {
    codec: 'deflate',
    writeHeader: 'always' as const,
    // Its types lack this option.
    metadata: Object.fromEntries(Object.entries(metadata).map(([key, value]) => [key, Buffer.from(value)])),
  };
  const encoder = new avro.streams.BlockEncoder(schema as Schema, options);
  for (const row of rows) encoder.write(row);
  encoder.end();
  return Buffer.concat(await Array.fromAsync(encoder as AsyncIterable<Buffer>));
}
