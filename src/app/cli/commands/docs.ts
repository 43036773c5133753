import { join, resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { giveUserMode } from '../../../core/files/private-files.ts';
import { PublicationFollower } from '../../../etl/engines/publication-follower.ts';
import type { Pipeline } from '../../../etl/project/model/pipeline.ts';
import { loadPipelines } from '../../../etl/project/settings/pipelines.ts';
import { projectSchedules } from '../../../etl/project/settings/schedules.ts';
import type { Settings } from '../../../etl/project/settings/settings.ts';
import { loadModels } from '../../../etl/project/sql/models/load-models.ts';
import { sqlFolders } from '../../../etl/project/sql/models/sql-folders.ts';
import { readContract } from '../../../etl/project/sql/plan/mart-contract.ts';
import { type DbtOptions, renderDbtSources } from '../../answers/dictionary/dbt-sources.ts';
import type { Dictionary } from '../../answers/dictionary/dictionary.ts';
import { renderDictionaryPage } from '../../answers/dictionary/dictionary-page.ts';
import { renderSite } from '../../answers/dictionary/dictionary-site.ts';
import { readDictionary } from '../../answers/dictionary/read-dictionary.ts';
import {
  checkOutput,
  checkOutputFolder,
  filesOfProject,
} from '../../answers/query/result/check-output-file.ts';
import { longestWait } from '../../operations/schedule/next-firing.ts';
import type { Command } from '../command.ts';
import { oneOf } from '../flag-values.ts';

/** Options of the dbt files, from schedules.yaml and sql/. */
async function dbtOptions(
  settings: Settings,
  pipelines: readonly Pipeline[],
  database = 'crawlhouse',
): Promise<DbtOptions> {
  const { version } = await readContract();
  const schedules = await projectSchedules(settings.projectDir);
  const hours = new Map<string, number>();
  for (const schedule of schedules.filter(({ paused }) => !paused)) {
    const wait = longestWait(schedule, Date.now());
    for (const { dataset } of wait === null ? [] : pipelines)
      if (schedule.pipelines === 'all' || schedule.pipelines.includes(dataset))
        hours.set(dataset, Math.min(wait ?? 0, hours.get(dataset) ?? Number.POSITIVE_INFINITY));
  }
  const models = await loadModels(sqlFolders(settings));
  const tests = new Map(models.map((model) => [model.name, model.tests]));
  return { database, contractVersion: version, tests, hours };
}

const FORMATS = {
  html: { file: 'index.html', render: renderSite },
  markdown: { file: 'dictionary.md', render: renderDictionaryPage },
} as const;

export const docs: Command = {
  name: 'docs',
  summary: 'write the data dictionary and lineage of the warehouse as a website',
  flags: {
    dbt: { help: 'write sources.yml for dbt: raw, mart and ops, with columns, tests and freshness' },
    database: { value: 'NAME', help: 'with --dbt: the name of the warehouse in dbt (crawlhouse)' },
    output: { value: 'DIR', help: 'the folder to write to (warehouse-docs)' },
    format: { value: 'FORMAT', help: 'html (default), or markdown for the models only' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const own = filesOfProject(settings);
    const folder = resolve(invocation.workingDirectory, invocation.text('output') ?? 'warehouse-docs');
    await checkOutputFolder(folder, own);
    const isDbt = invocation.has('dbt');
    if (isDbt && invocation.text('format') !== undefined)
      throw new CrawlhouseError('usage', '--dbt and --format cannot be combined');
    const names = Object.keys(FORMATS) as (keyof typeof FORMATS)[];
    const format = oneOf(invocation, 'format', names) ?? 'html';
    if (!isDbt && invocation.text('database') !== undefined)
      throw new CrawlhouseError('usage', '--database needs --dbt');
    const pipelines = await loadPipelines(settings.projectDir);
    const dbt = isDbt ? await dbtOptions(settings, pipelines, invocation.text('database')) : undefined;
    const { file, render } = dbt
      ? { file: 'sources.yml', render: (dictionary: Dictionary) => renderDbtSources(dictionary, dbt) }
      : FORMATS[format];
    if (format === 'html')
      await new PublicationFollower(settings, invocation.logger).tryFollow(invocation.signal);
    const dictionary = await readDictionary(settings, pipelines, { published: format === 'html' });
    if (makeFolder(folder, { from: '--output' }) !== undefined) await giveUserMode(folder);
    const path = await checkOutput(join(folder, file), own);
    await writeFileAtomic(path, render(dictionary));
    await giveUserMode(path);
    if (invocation.has('json')) await invocation.printJson({ file: path });
    else invocation.say(`${path}\n`);
    return 0;
  },
};
