import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlhouseError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/text/nearest-name.ts';
import { Pipeline } from '../model/pipeline.ts';
import { checkPipeline } from './check-pipeline.ts';
import { checkYaml, readYaml, type YamlSource } from './yaml-file.ts';

/**
 * Reads every file of `pipelines/`, ordered by dataset.
 *
 * @throws CrawlhouseError `bad_pipeline` naming file, line, key and what would work
 */
export async function loadPipelines(projectDir: string): Promise<Pipeline[]> {
  const pipelines = new Map<string, Pipeline>();
  for await (const source of pipelineFiles(projectDir)) {
    const pipeline = checkYaml(Pipeline, source, 'bad_pipeline');
    checkPipeline(pipeline, source);
    if (pipelines.has(pipeline.dataset)) {
      throw new CrawlhouseError(
        'bad_pipeline',
        `${source.file}:${source.lineOf(['dataset'])}: a second pipeline of the dataset ${pipeline.dataset}`,
      );
    }
    pipelines.set(pipeline.dataset, pipeline);
  }
  return [...pipelines.values()].sort((a, b) => a.dataset.localeCompare(b.dataset));
}

/** The place of a key of a dataset's pipeline, for messages: `pipelines/crawl_pages.yaml:4: fields.include.1`. */
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
 * The pipelines that a command line names, all of them when it names none.
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
