import { resolve } from 'node:path';
import { checkOutput, filesOfProject } from '../../../answers/query/result/check-output.ts';
import { counted } from '../../../core/text/amounts.ts';
import type { Command } from '../command.ts';
import { EXPLORE_FLAGS } from '../reports/explored.ts';
import { readReport, writeReport } from '../reports/write-report.ts';

export const report: Command = {
  name: 'report',
  summary: 'one HTML file about the last crawls: what to do first, what changed, charts',
  flags: {
    project: { value: 'PROJECT', help: 'only this project, by name or id' },
    crawl: EXPLORE_FLAGS.crawl,
    issues: { value: 'ISSUE', multiple: true, help: 'only these issues, with commas between' },
    note: { value: 'TEXT', help: 'a text of your own, above all figures' },
    output: { value: 'FILE', help: 'the file to write (report.html)' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const { signal } = invocation;
    const issues = invocation.texts('issues').flatMap((text) => text.split(',').filter((one) => one !== ''));
    const asked = { project: invocation.text('project'), crawl: invocation.text('crawl'), issues };
    const given = invocation.text('output') ?? 'report.html';
    const output = resolve(invocation.workingDirectory, given);
    if (!invocation.has('json')) await checkOutput(output, filesOfProject(settings));
    const projects = await readReport(settings, asked, invocation, signal);
    if (invocation.has('json')) {
      await invocation.printJson({ projects });
      return 0;
    }
    await writeReport(projects, { output, remark: invocation.text('note') }, settings);
    invocation.say(`${counted(projects.length, 'project')} in ${given}\n`);
    return 0;
  },
};
