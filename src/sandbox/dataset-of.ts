import type { CrawlDataType } from '../api/fields.ts';
import { catalogueOf } from './catalogue/catalogue-of.ts';
import type { Dataset, Resources } from './resources.ts';
import { kindOfField } from './rows/column.ts';

/** A data type of a crawl; where it has none of its own, the catalogue's fields and no rows. */
export function datasetOf(resources: Resources, crawlId: string, dataType: CrawlDataType): Dataset {
  const own = resources.dataset(crawlId, dataType);
  if (own !== undefined) return own;
  const columns = catalogueOf(dataType).map((field, index) => ({
    id: `c${index}`,
    kind: kindOfField(field),
    field,
  }));
  return { table: undefined, columns };
}
