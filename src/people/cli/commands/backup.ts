import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { checkOutput, filesOfProject } from '../../../answers/query/result/check-output.ts';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { isInCatalogue } from '../../../engines/registry.ts';
import { backUp } from '../../../state/catalogue/published/back-up.ts';
import type { Command } from '../command.ts';
import { neededArguments } from '../flag-values.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'a whole, verified copy of the published warehouse, also during a run',
  positionals: { shown: 'FILE', most: 1 },
  flags: { overwrite: { help: 'replace FILE if it is there' } },
  async run(invocation) {
    const hint = 'crawlhouse backup warehouse-backup.duckdb';
    const [name] = neededArguments(invocation, 'name the file of the copy', hint);
    const settings = await invocation.settings();
    if (!isInCatalogue(settings))
      throw new CrawlhouseError(
        'usage',
        'backup copies a warehouse of DuckDB, and the rows of this one are in another engine',
        { hint: 'back up the bucket and the catalogue of that engine (docs/operate.md)' },
      );
    const { warehouse } = settings;
    const file = await checkOutput(resolve(invocation.workingDirectory, name), {
      ...filesOfProject(settings),
      named: 'backup',
    });
    if (existsSync(file) && !invocation.has('overwrite'))
      throw new CrawlhouseError('usage', `${file} is there already`, {
        hint: 'name another file, or add --overwrite',
      });
    const made = await backUp(settings, file, invocation.signal);
    if (invocation.has('json')) await invocation.printJson(made);
    else
      await invocation.print(
        `${made.file}: ${counted(made.bytes, 'byte')}, ${counted(made.tables.length, 'table')} with the same rows as ${warehouse}\n`,
      );
    return 0;
  },
};
