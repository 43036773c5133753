import { resolve } from 'node:path';
import { loadPackages } from '../../../etl/pipeline/load-packages.ts';
import { withLineage } from '../../operations/openlineage/with-lineage.ts';
import type { Command } from '../command.ts';
import { neededArguments } from '../flag-values.ts';
import { printRun } from '../reports/run-report.ts';

export const load: Command = {
  name: 'load',
  keepsLog: true,
  summary: 'load packages that another machine has staged',
  positionals: { shown: 'PACKAGE…', most: Number.POSITIVE_INFINITY },
  flags: {},
  async run(invocation) {
    const hint = 'crawlhouse load DIR, a folder with manifest.json';
    const packages = neededArguments(invocation, 'no package named', hint);
    const folders = packages.map((folder) => resolve(invocation.workingDirectory, folder));
    const settings = await invocation.settings();
    const { logger, signal } = invocation;
    const result = await withLineage(settings, 'load', logger, signal, () =>
      loadPackages(settings, folders, logger, signal),
    );
    return printRun(invocation, settings, result, { idle: 'Nothing new: the warehouse has these packages.' });
  },
};
