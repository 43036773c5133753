import { CrawlhouseError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import { CRAWL_DATA_TYPES } from '../../service/api/fields.ts';
import { OqlError, parseOql } from '../../service/api/parse-oql.ts';
import type { Pipeline } from '../model/pipeline.ts';
import { RESOURCE_NAMES } from '../model/resources.ts';
import { OQL_HINT } from '../model/unit-source.ts';
import { oqlPath } from './segments.ts';
import type { YamlSource } from './yaml-file.ts';

/** The data types of each kind of source that takes only some; the others take any. */
const DATA_TYPES: Readonly<Partial<Record<Pipeline['source']['kind'], readonly string[]>>> = {
  crawl: [...CRAWL_DATA_TYPES, 'fields'],
  crawl_over_crawl: ['pages'],
  log_monitoring: ['events', 'pages'],
  resource: RESOURCE_NAMES,
};

/**
 * Checks what the schema of a pipeline file can't: the data type of its source, and its filter.
 *
 * @throws CrawlhouseError `bad_pipeline` naming file, line, key and what would work
 */
export function checkPipeline({ source: { kind, data_type }, filter }: Pipeline, file: YamlSource): void {
  const refuse = (path: readonly PropertyKey[], problem: string, hint: string): never => {
    const where = `${file.file}:${file.lineOf(path)}: ${path.join('.')}`;
    throw new CrawlhouseError('bad_pipeline', `${where}: ${problem}`, { hint });
  };
  const known = DATA_TYPES[kind];
  if (known && !known.includes(data_type))
    refuse(
      ['source', 'data_type'],
      `a ${kind} has no ${data_type}`,
      `${didYouMean(data_type, known)}values that work: ${known.join(', ')}`,
    );
  if (filter === undefined || filter === null) return;
  try {
    parseOql(filter, { root: 'filter' });
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    refuse(oqlPath(error.path), error.detail, OQL_HINT);
  }
}
