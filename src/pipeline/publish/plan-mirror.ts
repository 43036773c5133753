import type { MirrorPartition } from '../../engines/mirror-source.ts';

/** The contents of the store, by its manifest. */
export interface MirrorManifest {
  readonly version: 1;
  /** The publication that it is a copy of (`ops.publication.id`). */
  readonly publication: string;
  readonly partitions: readonly (MirrorPartition & { readonly object: string })[];
}

export interface MirrorPlan {
  readonly upload: readonly MirrorPartition[];
  /** Objects of partitions that are there no longer. */
  readonly remove: readonly string[];
}

/** The steps that update a mirror: upload new and changed partitions, remove the others. */
export function planMirror(
  present: readonly MirrorPartition[],
  former: MirrorManifest | null,
  prefix: string,
): MirrorPlan {
  const known = new Map(former?.partitions.map((partition) => [partition.object, partition]));
  const objects = new Set(present.map((partition) => mirrorObject(partition, prefix)));
  return {
    upload: present.filter(
      (partition) => known.get(mirrorObject(partition, prefix))?.fingerprint !== partition.fingerprint,
    ),
    remove: [...known.keys()].filter((object) => !objects.has(object)),
  };
}

/** `mirror/raw/crawl_pages/_source_id=65a1/data.parquet`, as engines that know Hive's partitions expect it. */
export function mirrorObject({ table, key }: Pick<MirrorPartition, 'table' | 'key'>, prefix: string): string {
  const folders = key.map(
    ([column, value]) =>
      `${encodeURIComponent(column)}=${value === null ? '__HIVE_DEFAULT_PARTITION__' : encodeURIComponent(value)}`,
  );
  return [...(prefix === '' ? [] : [prefix]), ...table.split('.'), ...folders, 'data.parquet'].join('/');
}
