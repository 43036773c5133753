import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { OqlError, parseOql } from '../../../client/oql/parse-oql.ts';
import { CRAWL_DATA_TYPES, LOCAL_DATA_TYPES } from '../../../client/resources/fields.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/text/nearest-name.ts';
import { Pipeline } from '../model/pipeline.ts';
import { RESOURCE_NAMES } from '../model/resource-names.ts';
import { OQL_HINT } from '../model/unit-source.ts';
import { oqlPath } from './segments.ts';
import { checkYaml, readYaml, type YamlSource } from './yaml-file.ts';

/** The data types of the kinds of source that accept only some. The others accept any. */
const DATA_TYPES: Readonly<Partial<Record<Pipeline['source']['kind'], readonly string[]>>> = {
  crawl: [...CRAWL_DATA_TYPES, ...LOCAL_DATA_TYPES, 'fields'],
  crawl_over_crawl: ['pages'],
  log_monitoring: ['events', 'pages'],
  resource: RESOURCE_NAMES,
};

/**
 * Reads every file in `pipelines/`, sorted by dataset.
 *
 * @throws CrawlhouseError `bad_pipeline` naming file, line, key and valid values
 */
export async function loadPipelines(projectDir: string): Promise<Pipeline[]> {
  const pipelines = new Map<string, Pipeline>();
  for await (const source of pipelineFiles(projectDir)) {
    const pipeline = checkYaml(Pipeline, source, 'bad_pipeline');
    checkPipeline(pipeline, source);
    if (pipelines.has(pipeline.dataset)) {
      throw new CrawlhouseError(
        'bad_pipeline',
        `${source.file}:${source.lineOf(['dataset'])}: the dataset ${pipeline.dataset} has a second pipeline`,
      );
    }
    pipelines.set(pipeline.dataset, pipeline);
  }
  return [...pipelines.values()].sort((a, b) => a.dataset.localeCompare(b.dataset));
}

/**
 * Returns the location of a key in a pipeline file, for messages: `pipelines/crawl_pages.yaml:4: fields.include.1`.
 */
export async function pipelinePlace(
  projectDir: string,
  dataset: string,
  path: readonly PropertyKey[],
): Promise<string> {
  for await (const source of pipelineFiles(projectDir)) {
    if ((source.value as { dataset?: unknown }).dataset === dataset)
      return `${source.file}:${source.lineOf(path)}: ${path.join('.')}`;
  }
  return `pipeline ${dataset}: ${path.join('.')}`;
}

async function* pipelineFiles(projectDir: string): AsyncGenerator<YamlSource> {
  const folder = join(projectDir, 'pipelines');
  if (!existsSync(folder)) {
    throw new CrawlhouseError('bad_project', `${projectDir} has no pipelines folder`);
  }
  for (const name of (await readdir(folder)).sort()) {
    if (/\.ya?ml$/.test(name)) yield await readYaml(join(folder, name), `pipelines/${name}`, 'bad_pipeline');
  }
}

/**
 * Returns the pipelines that a command line names, or all pipelines.
 *
 * @throws CrawlhouseError `usage` for a name without a file
 */
export function selectPipelines(pipelines: readonly Pipeline[], names: readonly string[]): Pipeline[] {
  const datasets = pipelines.map((pipeline) => pipeline.dataset);
  for (const name of names) {
    if (datasets.includes(name)) continue;
    throw new CrawlhouseError('usage', `there is no pipeline ${name}`, {
      hint: `${didYouMean(name, datasets)}pipelines of this project: ${datasets.join(', ')}`,
    });
  }
  return pipelines.filter((pipeline) => names.length === 0 || names.includes(pipeline.dataset));
}

/**
 * Checks what the schema of a pipeline file cannot check: the data type of the source, and the filter.
 *
 * @throws CrawlhouseError `bad_pipeline` naming file, line, key and valid values
 */
function checkPipeline({ source: { kind, data_type }, filter }: Pipeline, file: YamlSource): void {
  const refuse = (path: readonly PropertyKey[], problem: string, hint: string): never => {
    const where = `${file.file}:${file.lineOf(path)}: ${path.join('.')}`;
    throw new CrawlhouseError('bad_pipeline', `${where}: ${problem}`, { hint });
  };
  const known = DATA_TYPES[kind];
  if (known && !known.includes(data_type))
    refuse(
      ['source', 'data_type'],
      `a ${kind} has no ${data_type}`,
      `${didYouMean(data_type, known)}allowed values: ${known.join(', ')}`,
    );
  if (filter === undefined || filter === null) return;
  try {
    parseOql(filter, { root: 'filter' });
  } catch (error) {
    if (!(error instanceof OqlError)) throw error;
    refuse(oqlPath(error.path), error.detail, OQL_HINT);
  }
}
