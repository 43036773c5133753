import { CrawlhouseError } from '../../core/errors/errors.ts';
import type { Manifest } from '../../project/model/manifest.ts';
import { mergeType } from '../../state/catalogue/merge-type.ts';
import type { ReadField } from '../../state/catalogue/raw-table.ts';

/**
 * Refuses a unit whose fields the models can't read. A field may have a type that does not fit the one that they read,
 * or only a name that differs in case. As the first unit of its dataset, it would set the column for all later units.
 *
 * @param reads what the models read of the dataset
 * @param retype whether a field may come with another type
 * @throws CrawlhouseError `contract_drift`
 */
export function refuseTypesModelsCannotRead(
  { name, columns }: Manifest,
  reads: ReadonlyMap<string, ReadField>,
  retype: (field: string) => boolean,
): void {
  const present = new Set(columns.map(({ field }) => field));
  const lowered = new Map([...reads.keys()].map((field) => [field.toLowerCase(), field]));
  for (const { field, type, sql_type } of columns) {
    const read = reads.get(field);
    if (read) {
      if (retype(field) || fits(read.type, sql_type)) continue;
      throw new CrawlhouseError(
        'contract_drift',
        `${name}: the field ${field} came as ${sql_type} (${type}), but ${read.file} reads it as ${read.type}`,
        {
          hint: `the unit keeps its former rows; retype: allow in the pipeline file, in an entry of columns for ${field}, accepts it`,
        },
      );
    }
    const meant = lowered.get(field.toLowerCase());
    if (meant === undefined || present.has(meant)) continue;
    throw new CrawlhouseError(
      'contract_drift',
      `${name}: the field ${JSON.stringify(field)} came without ${JSON.stringify(meant)}, which ${reads.get(meant)?.file} reads`,
      {
        hint: 'the names differ only in case, so the field may be the same or another; fields.exclude in the pipeline file leaves it out',
      },
    );
  }
}

/** Whole numbers may be wide, and a lone value may go to a list. A list may not go to a lone value. */
function fits(read: string, incoming: string): boolean {
  const merged = mergeType(read, incoming)?.type;
  return merged !== undefined && merged.endsWith('[]') === read.endsWith('[]');
}
