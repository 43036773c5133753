import { catalogueOf, type DatasetName } from '../fields/catalogue-of.ts';
import { kindOfField } from '../fields/column.ts';
import type { Dataset, Resources } from './resources.ts';

/** A data type of a crawl, a comparison or a project; without its own data, the catalogue's fields and no rows. */
export function datasetOf(resources: Resources, owner: string, name: DatasetName): Dataset {
  const own = resources.dataset(owner, name);
  if (own !== undefined) return own;
  const columns = catalogueOf(name).map((field, index) => ({
    id: `c${index}`,
    kind: kindOfField(field),
    field,
  }));
  return { table: undefined, columns };
}
