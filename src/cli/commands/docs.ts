import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { loadPipelines } from '../../config/pipelines.ts';
import { writeFileAtomic } from '../../core/atomic-file.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import { renderDictionaryPage } from '../../document/dictionary-page.ts';
import { renderSite } from '../../document/site.ts';
import { readDictionary } from '../../pipeline/read-dictionary.ts';
import type { Command } from '../command.ts';

const FORMATS = {
  html: { file: 'index.html', render: renderSite },
  markdown: { file: 'dictionary.md', render: renderDictionaryPage },
} as const;

export const docs: Command = {
  name: 'docs',
  summary: 'data dictionary and lineage of the warehouse, as a site',
  positionals: { shown: '', most: 0 },
  flags: {
    output: { type: 'string', value: 'DIR', help: 'the folder to write to (warehouse-docs)' },
    format: { type: 'string', value: 'FORMAT', help: 'html (the default), or markdown: the models alone' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const format = invocation.text('format') ?? 'html';
    if (!Object.hasOwn(FORMATS, format)) {
      throw new CrawlhouseError('usage', `--format: ${format} does not work`, {
        hint: `formats: ${Object.keys(FORMATS).join(', ')}`,
      });
    }
    const { file, render } = FORMATS[format as keyof typeof FORMATS];
    const pipelines = await loadPipelines(settings.projectDir);
    const dictionary = await readDictionary(settings, pipelines, { published: format === 'html' });
    const folder = resolve(invocation.workingDirectory, invocation.text('output') ?? 'warehouse-docs');
    await mkdir(folder, { recursive: true });
    const path = join(folder, file);
    await writeFileAtomic(path, render(dictionary));
    if (invocation.has('json')) await invocation.write(`${JSON.stringify({ file: path })}\n`);
    else invocation.say(`${path}\n`);
    return 0;
  },
};
