import type { MirroredTable, MirrorPartition } from '../../../engines/mirror-sql.ts';
import {
  type BucketListing,
  type MirrorDifference,
  type MirroredPartition,
  type MirrorLayout,
  type MirrorPlace,
  mirrorObject,
} from '../mirror-objects.ts';
import { IcebergTable } from './iceberg-table.ts';

/** Returns a layout in which each mirrored table is an Iceberg table, whose data files are never overwritten. */
export async function icebergLayout(
  { store, prefix }: MirrorPlace,
  tables: readonly MirroredTable[],
  { manifest, listed }: BucketListing,
  signal: AbortSignal,
): Promise<MirrorLayout> {
  const noted = new Map(
    [...(manifest?.partitions ?? []), ...(manifest?.tables ?? []).flatMap(({ objects }) => objects)].map(
      ({ object, version }) => [object, version],
    ),
  );
  const versions = new Map(manifest?.tables?.map(({ table, version }) => [table, version]));
  const facts = { store, listed, noted, versions };
  const opened = new Map<string, IcebergTable>();
  const fields = new Map<string, MirroredTable>();
  const files = new Map<string, MirroredPartition>();
  for (const table of tables) {
    const iceberg = await IcebergTable.open(prefix, table.name, facts, signal);
    opened.set(table.name, iceberg);
    fields.set(table.name, iceberg.withFields(table));
    for (const file of iceberg.current)
      files.set(placeOf(file), {
        ...file,
        // Different columns require another file, even for the same rows.
        fingerprint: iceberg.hasColumns(file) ? file.fingerprint : '',
        version: noted.get(file.object) ?? listed.get(file.object)?.version,
      });
  }
  const tableOf = (name: string): IcebergTable => {
    const table = opened.get(name);
    if (table === undefined) throw new Error(`${name} is not mirrored`);
    return table;
  };
  return {
    former: { version: 2, publication: '', ...manifest, partitions: [...files.values()] },
    differences: [...opened.values()]
      .filter(({ version, isFinished }) => version > 0 && !isFinished)
      .map(({ hint }): MirrorDifference => ({ object: hint, problem: 'outdated' })),
    withFields: (table) => fields.get(table.name) ?? table,
    objectOf: (partition) => files.get(placeOf(partition))?.object ?? mirrorObject(partition, prefix),
    newObject: ({ table }) => tableOf(table).newObject(),
    async commit(partitions, commit) {
      const own = Map.groupBy(partitions, ({ table }) => table);
      for (const [name, table] of opened) await table.commit(own.get(name) ?? [], commit);
    },
    tables: () =>
      [...opened].map(([table, { version, others }]) => ({
        table,
        version,
        objects: others.map(({ object }) => object),
      })),
  };
}

function placeOf({ table, key }: Pick<MirrorPartition, 'table' | 'key'>): string {
  return JSON.stringify([table, key]);
}
