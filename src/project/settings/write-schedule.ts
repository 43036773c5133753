import { join } from 'node:path';
import { isMap, isSeq } from 'yaml';
import { writeFileAtomic } from '../../core/files/atomic-file.ts';
import { readText } from '../../core/files/read-text.ts';
import { documentToChange } from '../../core/text/parse-yaml.ts';
import type { Schedule } from './schedules.ts';

/** Puts a schedule into `schedules.yaml`, in the place of one of the same name. Comments and other schedules stay. */
export async function writeSchedule(
  projectDir: string,
  schedule: Partial<Schedule> & Pick<Schedule, 'name' | 'cron'>,
): Promise<void> {
  const path = join(projectDir, 'schedules.yaml');
  const document = documentToChange(await readText(path));
  const known = document.get('schedules');
  const items = isSeq(known) ? known.items : [];
  const index = items.findIndex((item) => isMap(item) && item.get('name') === schedule.name);
  const node = document.createNode(schedule);
  if (items.length === 0) document.set('schedules', [schedule]);
  else if (index === -1) document.addIn(['schedules'], node);
  else document.setIn(['schedules', index], node);
  await writeFileAtomic(path, document.toString({ lineWidth: 0 }));
}
