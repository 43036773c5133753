import { CrawlhouseError } from '../../../core/errors/errors.ts';
import { lookUp } from '../../../core/text/look-up.ts';
import { changeSchedules, type ScheduleKey } from '../../../etl/project/settings/change-schedules.ts';
import { loadPipelines } from '../../../etl/project/settings/pipelines.ts';
import { projectSchedules } from '../../../etl/project/settings/schedules.ts';
import { targetsOf } from '../../operations/alert/targets.ts';
import { type ReadSchedule, readSchedule } from '../page-parts/schedules/schedule-fields.ts';
import { drawScheduleForm } from '../page-parts/schedules/schedule-form.ts';
import type { ConsoleForm, FormContext, SentForm } from './console-form.ts';

const PAUSES: Readonly<Record<string, ScheduleKey>> = {
  pause: [['paused'], true],
  resume: [['paused'], undefined],
};

const text = ({ form }: SentForm, field: string): string => (form.get(field) ?? '').trim();

async function read(sent: SentForm, { settings, isOwners }: FormContext): Promise<ReadSchedule> {
  const { alerts, projectDir } = settings;
  const isNew = text(sent, 'change') === 'add';
  const schedules = isNew ? [] : await projectSchedules(projectDir);
  const schedule = schedules.find(({ name }) => name === text(sent, 'name'));
  return readSchedule(sent.form, { schedule, alerts }, isOwners);
}

/** Adds, changes, pauses, resumes or deletes a schedule of `schedules.yaml`, and continues at the schedules. */
export const SCHEDULE_FORM: ConsoleForm = {
  path: '/schedules',
  failed: 'The schedule was not written',
  audit(sent) {
    const fields = [...sent.form].filter(
      ([name, value]) => !['csrf', 'change', 'name'].includes(name) && value !== '',
    );
    const what = ['add', 'save'].includes(text(sent, 'change'))
      ? ` ${JSON.stringify(fields.map((field) => field.join('=')))}`
      : '';
    return `${text(sent, 'change')} schedule ${text(sent, 'name')}${what}`;
  },
  async act(sent, context) {
    const { projectDir } = context.settings;
    const [change, name] = [text(sent, 'change'), text(sent, 'name')];
    const pause = lookUp(PAUSES, change);
    if (change === 'delete') await changeSchedules(projectDir, { change, name, keys: [] });
    else if (pause !== undefined) await changeSchedules(projectDir, { change: 'save', name, keys: [pause] });
    else if (change === 'add' || change === 'save') {
      const { keys, problems } = await read(sent, context);
      const [problem] = problems;
      if (problem !== undefined) throw new CrawlhouseError('usage', problem.join(': '));
      await changeSchedules(projectDir, { change, name, keys });
    } else
      throw new CrawlhouseError('usage', `change ${change}: add, save, pause, resume or delete is expected`);
    return '/schedules';
  },
  async again(sent, error, context) {
    const { alerts, projectDir } = context.settings;
    // With another error, a file of the project is invalid or cannot be written.
    if (error.code !== 'usage' || !['add', 'save'].includes(text(sent, 'change'))) return null;
    return drawScheduleForm({
      name: text(sent, 'change') === 'save' ? text(sent, 'name') : null,
      fields: sent.form,
      problems: (await read(sent, context)).problems,
      datasets: (await loadPipelines(projectDir)).map(({ dataset }) => dataset),
      targets: targetsOf(alerts).map((target) => target.name),
      csrf: sent.session.csrf,
    });
  },
};
