import { loadPipelines } from '../../config/pipelines.ts';
import { loadSchedules } from '../../config/schedules.ts';
import { CrawlhouseError } from '../../core/errors.ts';
import { stringifyJson } from '../../core/json.ts';
import { redact } from '../../core/redact.ts';
import { readStanding } from '../../pipeline/standing.ts';
import { upcoming } from '../../schedule/upcoming.ts';
import type { Command } from '../command.ts';
import { fitTerminal } from '../fit-terminal.ts';
import { describeOne, describeStatus, isAlarm } from '../status-report.ts';

export const status: Command = {
  name: 'status',
  summary: 'last runs, what fails and why, what is due, how fresh, next firings, disk use',
  positionals: { shown: '[RUN|UNIT|CRAWL]', most: 1 },
  flags: {},
  async run(invocation) {
    const [wanted] = invocation.positionals;
    const show = (text: string): Promise<void> =>
      invocation.write(fitTerminal(redact(text), invocation.terminal, isAlarm));
    const settings = await invocation.settings();
    const standing = await readStanding(settings, Date.now());
    const schedules = await nextFirings(settings.projectDir);
    if (invocation.has('json')) {
      const units = standing.units.filter((unit) => wanted === undefined || unit.unit.includes(wanted));
      await invocation.write(redact(`${stringifyJson({ ...standing, units, schedules }, 2)}\n`));
      return 0;
    }
    if (wanted === undefined) {
      await show(describeStatus(standing, schedules, Date.now()));
      return 0;
    }
    const found = describeOne(wanted, standing, Date.now());
    if (found === '') {
      throw new CrawlhouseError('usage', `nothing is known of ${wanted}`, {
        hint: 'give a unit, a crawl or the first characters of a run; crawlhouse status shows what there is',
      });
    }
    await show(found);
    return 0;
  },
};

async function nextFirings(projectDir: string): Promise<ReturnType<typeof upcoming>> {
  const pipelines = await loadPipelines(projectDir);
  const datasets = pipelines.map((one) => one.dataset);
  return upcoming(await loadSchedules(projectDir, datasets), Date.now());
}
