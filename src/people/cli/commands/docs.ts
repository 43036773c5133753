import { join, resolve } from 'node:path';
import { renderDbtSources } from '../../../answers/dictionary/dbt-sources.ts';
import type { Dictionary } from '../../../answers/dictionary/dictionary.ts';
import { renderDictionaryPage } from '../../../answers/dictionary/dictionary-page.ts';
import { readDictionary } from '../../../answers/dictionary/read-dictionary.ts';
import { renderSite } from '../../../answers/dictionary/site.ts';
import {
  checkOutput,
  checkOutputFolder,
  filesOfProject,
} from '../../../answers/query/result/check-output.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { writeFileAtomic } from '../../../core/files/atomic-file.ts';
import { makeFolder } from '../../../core/files/make-folder.ts';
import { giveUserMode } from '../../../core/files/private-files.ts';
import { PublicationFollower } from '../../../engines/publication-follower.ts';
import { loadPipelines } from '../../../project/settings/pipelines.ts';
import { readContract } from '../../../project/sql/plan/mart-contract.ts';
import type { Command } from '../command.ts';
import { oneOf } from '../flag-values.ts';

const FORMATS = {
  html: { file: 'index.html', render: renderSite },
  markdown: { file: 'dictionary.md', render: renderDictionaryPage },
} as const;

export const docs: Command = {
  name: 'docs',
  summary: 'data dictionary and lineage of the warehouse, as a site',
  flags: {
    dbt: { help: 'sources.yml for dbt: raw and mart, with their columns' },
    output: { value: 'DIR', help: 'the folder to write to (warehouse-docs)' },
    format: { value: 'FORMAT', help: 'html (the default), or markdown: the models alone' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const own = filesOfProject(settings);
    const folder = resolve(invocation.workingDirectory, invocation.text('output') ?? 'warehouse-docs');
    await checkOutputFolder(folder, own);
    const isDbt = invocation.has('dbt');
    if (isDbt && invocation.text('format') !== undefined)
      throw new CrawlhouseError('usage', '--dbt and --format do not go together');
    const names = Object.keys(FORMATS) as (keyof typeof FORMATS)[];
    const format = oneOf(invocation, 'format', names) ?? 'html';
    const { version } = await readContract();
    const { file, render } = isDbt
      ? { file: 'sources.yml', render: (one: Dictionary) => renderDbtSources(one, version) }
      : FORMATS[format];
    const pipelines = await loadPipelines(settings.projectDir);
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
