import type { CrawlDataType, FieldRecord } from '../../api/fields.ts';
import { CLUSTER_CATALOGUE } from './cluster-catalogue.ts';
import { LINK_CATALOGUE } from './link-catalogue.ts';
import { PAGE_CATALOGUE } from './page-catalogue.ts';
import { STRUCTURED_DATA_CATALOGUE } from './structured-data-catalogue.ts';

const CATALOGUES: Readonly<Record<CrawlDataType, readonly FieldRecord[]>> = {
  pages: PAGE_CATALOGUE,
  links: LINK_CATALOGUE,
  clusters: CLUSTER_CATALOGUE,
  structured_data: STRUCTURED_DATA_CATALOGUE,
};

/** The fields of a data type where nothing else gives them. */
export function catalogueOf(dataType: CrawlDataType): readonly FieldRecord[] {
  return CATALOGUES[dataType];
}
