import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeWhole } from '../../core/atomic-file.ts';
import { giveUserMode } from '../../core/private-files.ts';
import { checkOutput } from '../../query/check-output.ts';
import { readSiteReport } from '../../report/read-site-report.ts';
import { reportPage } from '../../report/report-page.ts';
import { loadQuestions } from '../../transform/questions.ts';
import { sqlFolders } from '../../transform/sql-folders.ts';
import { checkProject } from '../check-project.ts';
import type { Command } from '../command.ts';
import { openWarehouse } from '../open-warehouse.ts';

export const report: Command = {
  name: 'report',
  summary: 'one HTML file about the last crawls: what to do first, what changed, charts',
  positionals: { shown: '', most: 0 },
  flags: {
    project: { type: 'string', value: 'PROJECT', help: 'only this project, by name or id' },
    output: { type: 'string', value: 'FILE', help: 'the file to write (report.html)' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const project = invocation.text('project');
    const { signal } = invocation;
    const questions = await loadQuestions(sqlFolders(settings));
    await using warehouse = await openWarehouse(invocation, settings);
    await checkProject(new Map([['project', project ?? null]]), warehouse, signal);
    const projects = await readSiteReport(
      (sql, parameters) => warehouse.rows(sql, signal, parameters),
      questions,
      project,
    );
    if (invocation.has('json')) {
      await invocation.printJson({ projects });
      return 0;
    }
    const given = invocation.text('output') ?? 'report.html';
    const places = { warehouse: settings.warehouse, stateDir: settings.state_dir };
    const path = await checkOutput(resolve(invocation.workingDirectory, given), places);
    const page = reportPage(projects, new Date());
    await writeWhole(path, async (growing) => {
      await writeFile(growing, page);
      await giveUserMode(growing);
    });
    invocation.say(`${projects.length} ${projects.length === 1 ? 'project' : 'projects'} in ${given}\n`);
    return 0;
  },
};
