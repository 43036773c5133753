import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { counted, countText } from '../../../core/text/amounts.ts';
import { textTable } from '../../answers/presentation/text-table.ts';
import { mirrorNow, verifyMirror } from '../../operations/mirror/mirror-now.ts';
import type { Command } from '../command.ts';
import { failureOf } from '../print-error.ts';

const SHOWN = 100;

export const mirror: Command = {
  name: 'mirror',
  keepsLog: true,
  summary: 'update the mirror in a bucket, or compare it with the warehouse',
  positionals: { shown: '', most: 0 },
  flags: {
    verify: { help: 'change nothing; list the objects that differ, and exit with 4 if there are any' },
    full: { help: 'copy every partition again; with --verify, read every object in full' },
  },
  async run(invocation) {
    const settings = await invocation.settings();
    const { logger, signal } = invocation;
    const options = { command: 'mirror', settings, logger, signal, full: invocation.has('full') };
    const result = await (invocation.has('verify') ? verifyMirror : mirrorNow)(options);
    const differences = 'differences' in result ? result.differences : [];
    const errors = differences
      .slice(0, 1)
      .map(
        ({ object, problem }) =>
          new CrawlhouseError(
            'unreconciled',
            `the mirror differs from the warehouse: ${object} is ${problem}`,
            { hint: 'crawlhouse mirror updates it' },
          ),
      );
    const code = errors.length > 0 ? 4 : 0;
    const compared = `${counted(result.partitions, 'partition')}, ${counted(result.rows, 'row')}`;
    if (invocation.has('json')) await invocation.printJson({ ...result, error: failureOf(errors, code) });
    else if ('uploaded' in result)
      await invocation.print(
        `${compared}: ${countText(result.uploaded)} uploaded, ${countText(result.removed)} removed\n`,
      );
    else if (differences.length === 0)
      await invocation.print(`${compared}: the mirror has the rows of the warehouse\n`);
    else {
      const rows = differences
        .slice(0, SHOWN)
        .map(({ object, problem, rows: n }) => [problem, n === undefined ? '' : countText(n), object]);
      const more = differences.length - rows.length;
      await invocation.print(
        `${compared}: ${counted(differences.length, 'object')} differ\n\n` +
          `${textTable(['problem', 'rows', 'object'], rows)}${more > 0 ? `and ${countText(more)} more: --json lists all\n` : ''}`,
      );
    }
    return code;
  },
};
