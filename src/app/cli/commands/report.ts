import { extname, resolve } from 'node:path';
import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted } from '../../../core/text/amounts.ts';
import { checkOutput, filesOfProject } from '../../answers/query/result/check-output-file.ts';
import type { Command, Invocation } from '../command.ts';
import { oneOf } from '../flag-values.ts';
import { EXPLORE_FLAGS } from '../reports/explored.ts';
import { readReport, writeReport } from '../reports/write-report.ts';

const FORMATS = ['html', 'xlsx'] as const;

export const report: Command = {
  name: 'report',
  summary: 'write one HTML file or workbook about the last crawls: what to fix first, what changed',
  flags: {
    project: { value: 'PROJECT', help: 'only this project, by name or id' },
    crawl: EXPLORE_FLAGS.crawl,
    issues: { value: 'ISSUE', multiple: true, help: 'only these issues, separated by commas' },
    note: { value: 'TEXT', help: 'your own text, shown above all figures' },
    format: { value: 'FORMAT', values: FORMATS, help: 'html (default), or xlsx for a workbook of one crawl' },
    output: { value: 'FILE', help: 'the file to write (report.html); .xlsx sets the format' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const { signal } = invocation;
    const issues = invocation.texts('issues').flatMap((text) => text.split(',').filter((one) => one !== ''));
    const asked = { project: invocation.text('project'), crawl: invocation.text('crawl'), issues };
    const { format, given } = fileOf(invocation);
    const output = resolve(invocation.workingDirectory, given);
    if (!invocation.has('json')) await checkOutput(output, filesOfProject(settings));
    if (format === 'xlsx') {
      const { reportWorkbook } = await import('../reports/report-workbook.ts');
      const remark = invocation.text('note');
      const {
        project,
        issues: found,
        notes,
      } = await reportWorkbook(settings, invocation, { ...asked, remark, output });
      for (const note of notes) invocation.say(`${note}\n`);
      invocation.say(`${project} with the pages of ${counted(found, 'issue')} in ${given}\n`);
      return 0;
    }
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

/** @throws CrawlhouseError `usage` for JSON in a workbook */
function fileOf(invocation: Invocation): { format: (typeof FORMATS)[number]; given: string } {
  const output = invocation.text('output');
  const isXlsx = output !== undefined && extname(output).toLowerCase() === '.xlsx';
  const format = oneOf(invocation, 'format', FORMATS) ?? (isXlsx ? 'xlsx' : 'html');
  if (format === 'xlsx' && invocation.has('json'))
    throw new CrawlhouseError('usage', '--json and --format xlsx cannot be combined');
  return { format, given: output ?? `report.${format}` };
}
