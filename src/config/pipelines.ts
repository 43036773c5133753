import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CrawlhouseError } from '../core/errors.ts';
import { didYouMean } from '../core/nearest-name.ts';
import { Pipeline } from '../model/pipeline.ts';
import { checkYaml, readYaml } from './yaml-file.ts';

/**
 * Reads every file of `pipelines/`, ordered by dataset.
 *
 * @throws CrawlhouseError `bad_pipeline` naming file, line, key and what would work
 */
export async function loadPipelines(projectDir: string): Promise<Pipeline[]> {
  const folder = join(projectDir, 'pipelines');
  if (!existsSync(folder)) {
    throw new CrawlhouseError('bad_project', `${projectDir} has no pipelines folder`);
  }
  const pipelines = new Map<string, Pipeline>();
  for (const name of (await readdir(folder)).sort()) {
    if (!/\.ya?ml$/.test(name)) continue;
    const source = await readYaml(join(folder, name), `pipelines/${name}`, 'bad_pipeline');
    const pipeline = checkYaml(Pipeline, source, 'bad_pipeline');
    if (pipelines.has(pipeline.dataset)) {
      throw new CrawlhouseError(
        'bad_pipeline',
        `pipelines/${name}:${source.lineOf(['dataset'])}: a second pipeline of the dataset ${pipeline.dataset}`,
      );
    }
    pipelines.set(pipeline.dataset, pipeline);
  }
  return [...pipelines.values()].sort((a, b) => a.dataset.localeCompare(b.dataset));
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
